// StrictJson reads every byte of a JSON value, so that what is not JSON is found: the parser alone checks only what is
// asked of it.
//
// Thread-safety: pure.
// Errors:        the parser's; DEPTH_ERROR below kJsonDepthMax, as a guard of the stack.
// Cost:          about 1 us per KB.
#ifndef TIDEMARK_CACHE_STRICT_JSON_H_
#define TIDEMARK_CACHE_STRICT_JSON_H_

#include "absl/strings/string_view.h"
#include "simdjson.h"

namespace tidemark::cache {

inline constexpr int kJsonDepthMax = 500;

// `depth`: of `value` in its document.
simdjson::error_code CheckJson(simdjson::ondemand::value value, int depth);

// Without the white space behind it.
absl::string_view TrimJsonEnd(absl::string_view text);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_STRICT_JSON_H_
