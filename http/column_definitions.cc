#include "http/column_definitions.h"

#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"

namespace tidemark::http {

std::string ColumnDefinitionsJson(absl::Span<const config::TableColumn> columns) {
  std::string json = "[";
  const auto text = [&json](absl::string_view key, absl::string_view value) {
    json.append(key.data(), key.size());
    AppendGoJsonString(value, &json);
  };
  for (const config::TableColumn& column : columns) {
    text(json.size() > 1 ? R"(,{"name":)" : R"({"name":)", column.name);
    text(R"(,"type":)", column.type);
    text(R"(,"format":)", column.format);
    text(R"(,"description":)", column.description);
    absl::StrAppend(&json, R"(,"priority":)", column.priority, "}");
  }
  json.push_back(']');
  return json;
}

}  // namespace tidemark::http
