// JsonRules say how an object in one version of the API becomes one in another: for each field of the target, in the order in
// which Go writes them, where it lies in the source.
//
//   constexpr JsonRule kSeries[] = {{"count", "count", "0"}, {"lastObservedTime", "lastObservedTime", "null"}};
//
// Thread-safety: pure.
// Ownership:     rules are constants; they refer to each other.
// Errors:        none: what a source lacks is written as its zero value, or left out.
// Cost:          one pass over the source for each level and step of a path.
#ifndef TIDEMARK_BASE_JSON_RULES_H_
#define TIDEMARK_BASE_JSON_RULES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tidemark {

// Instead of a zero value: when nothing is written.
inline constexpr absl::string_view kOmitAbsent = "";   // of a pointer: when the source has none
inline constexpr absl::string_view kOmitEmpty = "''";  // of a text or a number: when it is "" or 0, too

struct JsonRule {
  absl::string_view name;  // in the target
  absl::string_view path;  // in the source: "target.averageValue"
  // What is written when the source has none: its zero value, kOmitAbsent or kOmitEmpty.
  absl::string_view zero = kOmitAbsent;
  // Of an object, or of each element of an array: how it is written. Empty: as it stands.
  absl::Span<const JsonRule> rules = {};
};

// Appends `"name":value` for each rule, with commas between them and one before the first unless `json` ends in `{`.
void AppendByRules(absl::Span<const JsonRule> rules, absl::string_view source, std::string* json);
// An object by the rules; an array's elements by the rules; null as null.
void AppendValueByRules(absl::Span<const JsonRule> rules, absl::string_view source, std::string* json);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_JSON_RULES_H_
