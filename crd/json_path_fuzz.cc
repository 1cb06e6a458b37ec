// Any path and any document, with a line end between them: the path is refused with a reason, or finds something, nothing, or too
// much, and the cells of every type of column are JSON that is no longer than what it was made of allows.
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/check.h"
#include "crd/json_path.h"
#include "crd/json_tree.h"
#include "crd/printer_columns.h"

namespace {

using tidemark::config::TableColumn;
using tidemark::crd::Json;
using tidemark::crd::JsonPath;
using tidemark::crd::PrinterColumns;

constexpr const char* kTypes[] = {"string", "integer", "number", "boolean", "date", "other"};
constexpr size_t kTypeCount = sizeof(kTypes) / sizeof(kTypes[0]);
// "1e20" becomes 21 digits; a control character, or '<', becomes "\u001f" and then, as text in a text, "\\u001f".
constexpr size_t kCellBytesPerByte = 8;
constexpr size_t kCellBytesMin = 64;

std::vector<TableColumn> ColumnsOf(absl::string_view path) {
  std::vector<TableColumn> columns;
  for (const char* type : kTypes) columns.push_back({.name = type, .type = type, .json_path = std::string(path)});
  return columns;
}

void Check(absl::string_view path_text, absl::string_view document) {
  const absl::StatusOr<JsonPath> path = JsonPath::Parse(path_text);
  TM_CHECK(path.ok() || !path.status().message().empty()) << "an error without words";
  const PrinterColumns columns(ColumnsOf(path_text));
  TM_CHECK(columns.columns().size() == (path.ok() ? 1 + kTypeCount : 1)) << path_text;
  const absl::StatusOr<Json> object = tidemark::crd::ParseJson(document);
  if (!object.ok()) return;
  std::string cells = "[";
  TM_CHECK_OK(columns.AppendCells(document, absl::FromUnixSeconds(1'700'000'000), &cells));
  cells += "]";
  const size_t bytes_max =
      (1 + kTypeCount) * (kCellBytesPerByte * (document.size() + path_text.size()) + kCellBytesMin);
  TM_CHECK(cells.size() <= bytes_max) << cells.size() << " bytes of " << document;
  const absl::StatusOr<Json> row = tidemark::crd::ParseJson(cells);
  TM_CHECK(row.ok() && row->size() == columns.columns().size()) << cells;
  if (!path.ok()) return;
  const Json* const found = path->First(*object);
  for (size_t i = 1; i < row->size(); ++i) {
    TM_CHECK(found != nullptr || (*row)[i].is_null()) << kTypes[i - 1] << " of nothing: " << cells;
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const size_t line = text.find('\n');
  if (line == absl::string_view::npos) return 0;
  Check(text.substr(0, line), text.substr(line + 1));
  return 0;
}
