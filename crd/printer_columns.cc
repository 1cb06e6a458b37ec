#include "crd/printer_columns.h"

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>

#include "base/go_float.h"
#include "base/go_json_string.h"
#include "base/human_duration.h"
#include "base/status.h"
#include "crd/json_tree.h"
#include "crd/object_meta.h"

namespace tidemark::crd {
namespace {

// The API's own descriptions of these two fields, which clients show.
constexpr absl::string_view kNameDescription =
    "Name must be unique within a namespace. Is required when creating resources, although some resources may allow a "
    "client to request the generation of an appropriate name automatically. Name is primarily intended for creation "
    "idempotence and configuration definition. Cannot be updated. More info: "
    "https://kubernetes.io/docs/concepts/overview/working-with-objects/names#names";
constexpr absl::string_view kCreationDescription =
    "CreationTimestamp is a timestamp representing the server time when this object was created. It is not guaranteed "
    "to be set in happens-before order across separate operations. Clients may not set this value. It is represented "
    "in RFC3339 form and is in UTC.\n\nPopulated by the system. Read-only. Null for lists. More info: "
    "https://git.k8s.io/community/contributors/devel/sig-architecture/api-conventions.md#metadata";

std::string TextOf(const Json& value) {
  if (value.is_null()) return "<no value>";
  if (value.is_string()) return value.get<std::string>();
  const bool real = value.is_number_float() || (value.is_number_unsigned() && !Integer(value).has_value());
  return real ? GoFloatText(value.get<double>()) : GoJson(value);
}

std::string AgeText(const std::string& text, absl::Time now) {
  if (text.empty() || text == "null") return "<unknown>";
  const std::optional<absl::Time> time = ParseGoTime(text);
  if (!time.has_value()) return "<invalid>";
  return TimeSince(*time, now);
}

Json IntegerCell(const Json& value) {
  if (const std::optional<int64_t> number = Integer(value)) return *number;
  if (!value.is_number()) return nullptr;
  const double number = value.get<double>();
  // What does not fit is the least number on the processors that the API server runs on.
  constexpr double kEnd = 9223372036854775808.0;
  if (!(number >= -kEnd && number < kEnd)) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(number);
}

Json Cell(const Json* value, const std::string& type, absl::Time now) {
  if (value == nullptr) return nullptr;
  if (type == "string") return TextOf(*value);
  if (type == "integer") return IntegerCell(*value);
  if (type == "number") return value->is_number() ? Json(value->get<double>()) : Json();
  if (type == "boolean") return value->is_boolean() ? *value : Json();
  if (type == "date" && value->is_string()) return AgeText(value->get<std::string>(), now);
  return nullptr;
}

config::TableColumn AgeColumn() {
  return {.name = "Age",
          .type = "date",
          .description = std::string(kCreationDescription),
          .json_path = ".metadata.creationTimestamp"};
}

}  // namespace

PrinterColumns::PrinterColumns(const std::vector<config::TableColumn>& columns) {
  columns_.push_back(
      {.name = "Name", .type = "string", .format = "name", .description = std::string(kNameDescription)});
  for (const config::TableColumn& column : columns.empty() ? std::vector{AgeColumn()} : columns) {
    absl::StatusOr<JsonPath> path = JsonPath::Parse(column.json_path);
    if (!path.ok()) return;
    columns_.push_back(column);
    paths_.push_back(*std::move(path));
  }
}

absl::Status PrinterColumns::AppendCells(absl::string_view json, absl::Time now, std::string* out) const {
  TM_ASSIGN_OR_RETURN(const Json object, ParseJson(json));
  const Json* const metadata = Member(object, "metadata");
  AppendGoJsonString(metadata == nullptr ? "" : TextMember(*metadata, "name"), out);
  for (size_t i = 0; i < paths_.size(); ++i) {
    out->push_back(',');
    AppendGoJson(Cell(paths_[i].First(object), columns_[i + 1].type, now), out);
  }
  return absl::OkStatus();
}

std::shared_ptr<const config::ObjectColumns> ScaleColumns() {
  // A Scale says nothing of zero wanted replicas, and so has no cell for them: the paths are its own, not the object's.
  const std::vector<config::TableColumn> columns = {{.name = "Desired",
                                                     .type = "integer",
                                                     .description = "Number of desired replicas",
                                                     .json_path = ".spec.replicas"},
                                                    {.name = "Available",
                                                     .type = "integer",
                                                     .description = "Number of actual replicas",
                                                     .json_path = ".status.replicas"},
                                                    AgeColumn()};
  return std::make_shared<PrinterColumns>(columns);
}

}  // namespace tidemark::crd
