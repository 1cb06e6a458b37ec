// What kube-apiserver leaves to Go's standard library and shows to its clients: numbers and durations in a query, and
// the exact words by which they are refused.
//
// Thread-safety: pure functions.
// Errors:        InvalidArgument, whose message is Go's.
// Source:        Go's strconv.ParseInt and ParseUint, and time.ParseDuration.
#ifndef TIDEMARK_HTTP_GO_TEXT_H_
#define TIDEMARK_HTTP_GO_TEXT_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tidemark::http {

// "strconv.ParseInt: parsing \"abc\": invalid syntax"; a sign is accepted.
absl::StatusOr<int64_t> ParseGoInt64(absl::string_view text);
// "strconv.ParseUint: parsing \"-1\": invalid syntax"; no sign is.
absl::StatusOr<uint64_t> ParseGoUint64(absl::string_view text);
// "1m30s", "-1.5h", "0"; "time: invalid duration \"abc\"".
absl::StatusOr<absl::Duration> ParseGoDuration(absl::string_view text);

// One byte of a text as Go's JSON errors show it: 'i', '\x00', '®' for 0xAE, '\'', '"'.
std::string GoQuoteByte(uint8_t byte);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_GO_TEXT_H_
