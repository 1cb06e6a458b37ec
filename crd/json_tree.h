// Json is a custom object taken apart: objects are sorted by key, as Go writes maps. This header is the door to the JSON
// library for this folder.
//
//   TM_ASSIGN_OR_RETURN(Json object, ParseJson(value));
//   if (const Json* spec = Member(object, "spec")) ...
//   std::string text = GoJson(object);
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument for what is no JSON, or is nested deeper than kJsonDepthMax. Nothing throws.
// Cost:          ParseJson about 10 us per KB.
// Source:        Go's encoding/json and Kubernetes' rule for numbers: an integer where it fits, else a double.
#ifndef TIDEMARK_CRD_JSON_TREE_H_
#define TIDEMARK_CRD_JSON_TREE_H_

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::crd {

using Json = nlohmann::json;

// A guard of the stack: trees are walked by recursion.
inline constexpr int kJsonDepthMax = 500;

absl::StatusOr<Json> ParseJson(absl::string_view text);
// Compact, as Go's encoder writes it; for Json, and for nlohmann::ordered_json, whose members keep their order.
template <typename Tree>
void AppendGoJson(const Tree& value, std::string* out);
template <typename Tree>
std::string GoJson(const Tree& value) {
  std::string out;
  AppendGoJson(value, &out);
  return out;
}

// nullptr when `value` is no object or has no such member.
const Json* Member(const Json& value, absl::string_view name);
Json* Member(Json& value, absl::string_view name);
// The member's text; empty when it has none or it is something else.
std::string TextMember(const Json& value, absl::string_view name);
bool BoolMember(const Json& value, absl::string_view name);
// A list's texts; what is no text is left out.
std::vector<std::string> TextsMember(const Json& value, absl::string_view name);
// nullopt for what is no integer of 64 bits.
std::optional<int64_t> Integer(const Json& value);

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_JSON_TREE_H_
