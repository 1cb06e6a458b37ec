// GoQuote writes a text as Go's %q does, since kube-apiserver's errors show what they refuse in that form.
//
//   a"b<tab><0x01><0xff><U+00A0>  ->  "a\"b\t\x01\xff\u00a0"
//
// Thread-safety: pure function.
// Source:        Go's strconv.Quote. Of what cannot be printed beyond ASCII it knows spaces, format characters and
//                private use; characters that Unicode has not assigned are not told apart, and shown.
#ifndef TIDEMARK_BASE_GO_QUOTE_H_
#define TIDEMARK_BASE_GO_QUOTE_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark {

std::string GoQuote(absl::string_view text);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_GO_QUOTE_H_
