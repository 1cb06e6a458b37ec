#include "storeclient/store_errors.h"

#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::storeclient {

absl::Status StoreError(int code, absl::string_view message, absl::string_view endpoint) {
  // The numbers of gRPC's codes are Abseil's.
  const absl::StatusCode as_code = static_cast<absl::StatusCode>(code);
  if (as_code == absl::StatusCode::kOk) return absl::OkStatus();
  const std::string text = absl::StrCat(endpoint, ": ", message.empty() ? absl::StatusCodeToString(as_code) : message);
  if (absl::StrContains(message, "required revision has been compacted")) return MakeError(ErrorKind::kCompacted, text);
  if (absl::StrContains(message, "required revision is a future revision")) {
    return MakeError(ErrorKind::kFutureRevision, text);
  }
  if (absl::StrContains(message, "database space exceeded")) return MakeError(ErrorKind::kNoSpace, text);
  switch (as_code) {
    case absl::StatusCode::kUnavailable:
    case absl::StatusCode::kDeadlineExceeded:
    case absl::StatusCode::kCancelled:
    case absl::StatusCode::kAborted:
    case absl::StatusCode::kResourceExhausted:
    case absl::StatusCode::kUnknown:
      return MakeError(ErrorKind::kStoreUnavailable, text);
    default:
      return absl::Status(as_code, text);
  }
}

bool IsWorthRetrying(const absl::Status& status) { return KindOf(status) == ErrorKind::kStoreUnavailable; }

}  // namespace tidemark::storeclient
