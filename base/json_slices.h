// The fields and elements of JSON as slices of its text, one level at a time: for code that moves values about without
// reading them.
//
//   for (const JsonField& field : JsonFields(R"({"a":{"b":1},"c":[]})"))    // a {"b":1}, then c []
//
// Thread-safety: pure functions.
// Ownership:     slices point into the text.
// Errors:        none: what is no object has no fields, what is no array no elements; text that is not JSON gives fewer or odd
//                slices, never one that lies outside of it.
// Cost:          one pass over the text for each level; about 1 us per KB.
#ifndef TIDEMARK_BASE_JSON_SLICES_H_
#define TIDEMARK_BASE_JSON_SLICES_H_

#include <vector>

#include "absl/strings/string_view.h"

namespace tidemark {

struct JsonField {
  absl::string_view name;  // without its quotes; escapes as they stand
  absl::string_view value;
};

std::vector<JsonField> JsonFields(absl::string_view object);
std::vector<absl::string_view> JsonElements(absl::string_view array);

// The value at "spec.target.value", of fields with one name the last; empty when there is none or a step is no object.
absl::string_view FindJson(absl::string_view object, absl::string_view path);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_JSON_SLICES_H_
