// A continue token says where the next page of a list starts, and at which revision. Ours and
// kube-apiserver's are the same:
//
//   base64url({"v":"meta.k8s.io/v1","rv":84,"start":"/cm-1\u0000"}), without padding
//
// `start` is the last key of the page, relative to what was listed ("default/web-1" over all namespaces, "web-1" in
// one), and a zero byte: the next possible key. It may begin with one slash; kube-apiserver's own come in both forms.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument with kube-apiserver's words, "continue key is not valid: ..."; the reader puts
//                "invalid continue token: " before them.
// Source:        apiserver's storage continue tokens; the errors of Go's base64 and JSON decoders show through.
#ifndef TIDEMARK_HTTP_CONTINUE_TOKEN_H_
#define TIDEMARK_HTTP_CONTINUE_TOKEN_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::http {

struct ContinueToken {
  int64_t revision = 0;   // negative: the latest state; never 0
  std::string start_key;  // without a leading slash
};

absl::StatusOr<ContinueToken> DecodeContinueToken(absl::string_view text);
// `leading_slash` as kube-apiserver has it: in a list's token, not in that of an expired one.
std::string EncodeContinueToken(const ContinueToken& token, bool leading_slash);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_CONTINUE_TOKEN_H_
