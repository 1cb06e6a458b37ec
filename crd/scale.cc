#include "crd/scale.h"

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/go_quote.h"
#include "base/status.h"
#include "config/scale_json.h"

namespace tidemark::crd {
namespace {

// What Go calls the type of a value in an unstructured object, and the value as it prints it.
absl::string_view GoTypeOf(const Json& value) {
  if (value.is_object()) return "map[string]interface {}";
  if (value.is_array()) return "[]interface {}";
  if (value.is_string()) return "string";
  if (value.is_boolean()) return "bool";
  if (value.is_null()) return "<nil>";
  return Integer(value).has_value() ? "int64" : "float64";
}

std::string GoValueOf(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return value.is_null() ? "<nil>" : GoJson(value);
}

absl::Status WrongType(const std::vector<std::string>& fields, size_t count, const Json& value,
                       absl::string_view wanted) {
  return absl::InvalidArgumentError(
      absl::StrCat(".", absl::StrJoin(fields.begin(), fields.begin() + static_cast<ptrdiff_t>(count), "."),
                   " accessor error: ", GoValueOf(value), " is of the type ", GoTypeOf(value), ", expected ", wanted));
}

// The value at ".spec.replicas"; nullptr when there is none.
absl::StatusOr<const Json*> ValueAt(const Json& object, absl::string_view path, std::vector<std::string>* fields) {
  *fields = absl::StrSplit(absl::StripPrefix(path, "."), '.');
  const Json* value = &object;
  for (size_t i = 0; i < fields->size(); ++i) {
    if (value->is_null()) return nullptr;
    if (!value->is_object()) return WrongType(*fields, i + 1, *value, "map[string]interface{}");
    value = Member(*value, (*fields)[i]);
    if (value == nullptr) return nullptr;
  }
  return value;
}

absl::StatusOr<std::optional<int32_t>> ReplicasAt(const Json& object, absl::string_view path) {
  std::vector<std::string> fields;
  TM_ASSIGN_OR_RETURN(const Json* const value, ValueAt(object, path, &fields));
  if (value == nullptr) return std::nullopt;
  const std::optional<int64_t> number = Integer(*value);
  if (!number.has_value()) return WrongType(fields, fields.size(), *value, "int64");
  return static_cast<int32_t>(*number);
}

absl::StatusOr<std::string> SelectorAt(const Json& object, absl::string_view path) {
  if (path.empty()) return "";
  std::vector<std::string> fields;
  TM_ASSIGN_OR_RETURN(const Json* const value, ValueAt(object, path, &fields));
  if (value == nullptr) return "";
  if (!value->is_string()) return WrongType(fields, fields.size(), *value, "string");
  return value->get<std::string>();
}

}  // namespace

absl::StatusOr<std::string> ScaleOf(const Json& object, const ScalePaths& paths) {
  TM_ASSIGN_OR_RETURN(const std::optional<int32_t> wanted, ReplicasAt(object, paths.spec_replicas));
  TM_ASSIGN_OR_RETURN(const std::optional<int32_t> actual, ReplicasAt(object, paths.status_replicas));
  TM_ASSIGN_OR_RETURN(const std::string selector, SelectorAt(object, paths.label_selector));
  if (!wanted.has_value()) {
    return absl::InternalError(
        absl::StrCat("the spec replicas field ", GoQuote(paths.spec_replicas), " does not exist"));
  }
  const Json* const metadata = Member(object, "metadata");
  const auto text = [metadata](absl::string_view field) {
    return metadata == nullptr ? std::string() : TextMember(*metadata, field);
  };
  return config::ScaleJson({.wanted = *wanted, .actual = actual.value_or(0), .selector = selector}, text);
}

}  // namespace tidemark::crd
