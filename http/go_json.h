// A small JSON reader with the manners of Go's encoding/json: what it accepts, and the words by which it refuses. It
// reads one object of scalars, which is all that a continue token is.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument with Go's message: "invalid character 'i' looking for beginning of value".
// Cost:          one pass; nesting is limited as in Go.
// Source:        Go's encoding/json.
#ifndef TIDEMARK_HTTP_GO_JSON_H_
#define TIDEMARK_HTTP_GO_JSON_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::http {

struct GoJsonValue {
  enum class Type { kNull, kBool, kNumber, kString, kArray, kObject };
  Type type = Type::kNull;
  std::string text;  // a string's content, a number's digits

  // What Go calls it in an error: "string", "bool", "array", "object", "number".
  absl::string_view TypeName() const;
};

struct GoJsonMember {
  std::string name;
  GoJsonValue value;
};

struct GoJsonObject {
  GoJsonValue::Type type = GoJsonValue::Type::kObject;  // of the value itself; members only if it is an object
  std::vector<GoJsonMember> members;                    // in order, repeated names kept
};
absl::StatusOr<GoJsonObject> ReadGoJsonObject(absl::string_view text);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_GO_JSON_H_
