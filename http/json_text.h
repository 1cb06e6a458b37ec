// JSON strings as Go's encoding/json writes them: kube-apiserver's answers are compared with ours byte for byte.
//
// Thread-safety: pure functions.
// Cost:          one pass; text without anything to escape is copied in one piece.
#ifndef TIDEMARK_HTTP_JSON_TEXT_H_
#define TIDEMARK_HTTP_JSON_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::http {

// Appends `text` in double quotes. <, >, & and the line separators U+2028 and U+2029 are escaped;
// invalid UTF-8 becomes \ufffd.
void AppendJsonString(absl::string_view text, std::string* out);
std::string JsonString(absl::string_view text);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_JSON_TEXT_H_
