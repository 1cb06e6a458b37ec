// Whatever decodes must survive being encoded and decoded again, and nothing may leave the
// listed part of the key space.
#include <cstddef>
#include <cstdint>

#include "absl/strings/str_split.h"
#include "base/check.h"
#include "http/continue_token.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tidemark::http::ContinueToken;
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const absl::StatusOr<ContinueToken> token = tidemark::http::DecodeContinueToken(text);
  if (!token.ok()) {
    TM_CHECK(!token.status().message().empty()) << "an error without words";
    return 0;
  }
  TM_CHECK(token->revision != 0) << "a token of no revision";
  for (const absl::string_view part : absl::StrSplit(token->start_key, '/')) {
    TM_CHECK(part != "..") << "a key that climbs: " << token->start_key;
  }
  for (const bool leading_slash : {false, true}) {
    const auto again = tidemark::http::DecodeContinueToken(tidemark::http::EncodeContinueToken(*token, leading_slash));
    const bool root = token->start_key.empty();  // "/" alone has no form without its slash
    TM_CHECK(again.ok() || (root && !leading_slash)) << again.status().ToString();
    if (again.ok()) {
      TM_CHECK(again->start_key == token->start_key && again->revision == token->revision) << token->start_key;
    }
  }
  return 0;
}
