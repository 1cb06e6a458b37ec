// JSON strings as Go's encoding/json writes them: kube-apiserver's answers are compared with ours byte for byte.
//
// Thread-safety: pure functions.
// Cost:          one pass; text without anything to escape is copied in one piece.
#ifndef TIDEMARK_BASE_GO_JSON_STRING_H_
#define TIDEMARK_BASE_GO_JSON_STRING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

// Appends `text` in double quotes. <, >, & and the line separators U+2028 and U+2029 are escaped;
// invalid UTF-8 becomes \ufffd.
void AppendGoJsonString(absl::string_view text, std::string* out);
std::string GoJsonString(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_GO_JSON_STRING_H_
