// StrictJson reads every byte of a JSON value, so that what is not JSON is found: the parser alone checks only what is
// asked of it.
//
// Thread-safety: pure.
// Errors:        the parser's; DEPTH_ERROR below kJsonDepthMax, as a guard of the stack.
// Cost:          about 1 us per KB.
#ifndef TIDEMARK_PROTO_STRICT_JSON_H_
#define TIDEMARK_PROTO_STRICT_JSON_H_

#include "absl/strings/string_view.h"
#include "simdjson.h"

namespace tidemark::proto {

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

// The number grammar of RFC 8259: of any length, where a parser may refuse what has more than 64 bits.
bool IsJsonNumber(absl::string_view text);

// Without the white space behind it.
absl::string_view TrimJsonEnd(absl::string_view text);

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_STRICT_JSON_H_
