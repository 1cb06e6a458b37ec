// WithJsonField is an object with one field set, added or taken out; all else stays as it stands.
//
//   WithJsonField(R"({"a":1,"c":3})", "b", "2", {kC})  ->  {"a":1,"b":2,"c":3}   where kC is "c"
//
// Thread-safety: pure functions.
// Errors:        none: what is no object counts as {}.
// Cost:          one pass and one copy.
#ifndef TIDEMARK_BASE_JSON_EDIT_H_
#define TIDEMARK_BASE_JSON_EDIT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tidemark {

// A new field stands before the first one of `behind`, or comes last. An empty `value` takes the field out.
std::string WithJsonField(absl::string_view object, absl::string_view name, absl::string_view value,
                          absl::Span<const absl::string_view> behind = {});

}  // namespace tidemark

#endif  // TIDEMARK_BASE_JSON_EDIT_H_
