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

// Calls `visit(key, value)` for each field of an object, in their order; the key is unescaped. The first error, the
// parser's or one that `visit` gives, ends it.
template <typename Visit>
simdjson::error_code ForEachJsonField(simdjson::ondemand::value value, Visit visit) {
  simdjson::ondemand::object object;
  if (const simdjson::error_code error = value.get_object().get(object)) return error;
  for (auto element : object) {
    std::string_view key;
    if (const simdjson::error_code error = element.unescaped_key().get(key)) return error;
    simdjson::ondemand::value child;
    if (const simdjson::error_code error = element.value().get(child)) return error;
    if (const simdjson::error_code error = visit(absl::string_view(key.data(), key.size()), child)) return error;
  }
  return simdjson::SUCCESS;
}

// Without the white space behind it.
absl::string_view TrimJsonEnd(absl::string_view text);

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_STRICT_JSON_H_
