#include "base/json_edit.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/json_slices.h"

namespace tidemark {

std::string WithJsonField(absl::string_view object, absl::string_view name, absl::string_view value,
                          absl::Span<const absl::string_view> behind) {
  const std::vector<JsonField> fields = JsonFields(object);
  const auto named = [name](const JsonField& field) { return field.name == name; };
  bool written = value.empty();
  const bool replaces = std::any_of(fields.begin(), fields.end(), named);
  std::string out = "{";
  const auto append = [&out](absl::string_view key, absl::string_view text) {
    absl::StrAppend(&out, out.size() > 1 ? "," : "", "\"", key, "\":", text);
  };
  for (const JsonField& field : fields) {
    const bool here = replaces ? named(field) : std::find(behind.begin(), behind.end(), field.name) != behind.end();
    if (here && !written) {
      append(name, value);
      written = true;
    }
    if (!named(field)) append(field.name, field.value);
  }
  if (!written) append(name, value);
  return out + "}";
}

}  // namespace tidemark
