// RawJson pastes a message that holds JSON (managedFields, raw extensions) into other JSON as Go's encoding/json does: without
// white space, <, > and & and the line separators escaped. What JSON is, is for Go to say: bytes that are no UTF-8 and halves of
// surrogate pairs are, and kube-apiserver stores them.
//
// Thread-safety: thread-compatible.
// Errors:        InvalidArgument for what is no JSON, or has more than kRawJsonDepthMax brackets in each other.
// Cost:          about 1 us per KB, one pass.
// Source:        Go's encoding/json: what a MarshalJSON returns is compacted and escaped.
#ifndef TIDEMARK_PROTO_RAW_JSON_H_
#define TIDEMARK_PROTO_RAW_JSON_H_

#include <cstddef>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace tidemark::proto {

inline constexpr size_t kRawJsonDepthMax = 10'000;  // Go's

class RawJson {
 public:
  // Field 1 of `message`, or null when it has none.
  absl::Status AppendField(absl::string_view message, std::string* json);
  absl::Status Append(absl::string_view text, std::string* json);

 private:
  std::string open_;  // for its memory
};

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_RAW_JSON_H_
