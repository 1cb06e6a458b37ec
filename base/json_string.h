// JSON strings for what people and programs read of us: log lines, settings. What must look as kube-apiserver's does is
// in base/go_json_string.h.
//
//   JsonString("a\tb")  ->  "a\u0009b"
//
// Thread-safety: pure functions.
#ifndef TIDEMARK_BASE_JSON_STRING_H_
#define TIDEMARK_BASE_JSON_STRING_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

// Appends `text` in double quotes; what is no UTF-8 becomes U+FFFD, byte by byte.
void AppendJsonString(absl::string_view text, std::string* out);
std::string JsonString(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_JSON_STRING_H_
