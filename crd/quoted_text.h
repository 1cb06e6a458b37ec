// The text between quotes in a JSON path, with Go's escapes: \n, \t, \", \x41, \101, \u0041, \U00000041.
//
// Thread-safety: a pure function.
// Errors:        InvalidArgument for an escape that Go does not know, or that stands for the other quote.
// Source:        Go's strconv.UnquoteChar, as client-go's util/jsonpath uses it.
#ifndef TIDEMARK_CRD_QUOTED_TEXT_H_
#define TIDEMARK_CRD_QUOTED_TEXT_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::crd {

// `inside`: without the quotes.
absl::StatusOr<std::string> Unquoted(absl::string_view inside, char quote);

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_QUOTED_TEXT_H_
