#include "base/status.h"

#include <string>

#include "absl/strings/cord.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"

namespace tidemark {
namespace {

constexpr absl::string_view kPayloadUrl = "tidemark/error";

struct KindRow {
  absl::string_view name;
  absl::StatusCode code;
};

// In the order of ErrorKind.
constexpr KindRow kKinds[] = {
    {"none", absl::StatusCode::kUnknown},
    {"compacted", absl::StatusCode::kOutOfRange},
    {"future revision", absl::StatusCode::kOutOfRange},
    {"not leader", absl::StatusCode::kUnavailable},
    {"not ready", absl::StatusCode::kUnavailable},
    {"stale", absl::StatusCode::kDeadlineExceeded},
    {"no space", absl::StatusCode::kResourceExhausted},
    {"lease not found", absl::StatusCode::kNotFound},
    {"lease exists", absl::StatusCode::kFailedPrecondition},
    {"key not found", absl::StatusCode::kInvalidArgument},
    {"duplicate key", absl::StatusCode::kInvalidArgument},
    {"too many operations", absl::StatusCode::kInvalidArgument},
    {"request too large", absl::StatusCode::kInvalidArgument},
    {"store unavailable", absl::StatusCode::kUnavailable},
    {"corrupt", absl::StatusCode::kDataLoss},
    {"rewound", absl::StatusCode::kAborted},
    {"overloaded", absl::StatusCode::kResourceExhausted},
    {"stopped", absl::StatusCode::kCancelled},
    {"store too old", absl::StatusCode::kFailedPrecondition},
    {"gone", absl::StatusCode::kNotFound},
};
constexpr size_t kKindCount = sizeof(kKinds) / sizeof(kKinds[0]);
static_assert(kKindCount == static_cast<size_t>(ErrorKind::kGone) + 1);

// Payload grammar: one byte of kind, then the revision in decimal, if there is one.
absl::Status WithPayload(ErrorKind kind, absl::string_view message, absl::string_view revision) {
  TM_CHECK(kind != ErrorKind::kNone) << message;
  absl::Status status(kKinds[static_cast<size_t>(kind)].code, message);
  status.SetPayload(kPayloadUrl, absl::Cord(absl::StrCat(std::string(1, static_cast<char>(kind)), revision)));
  return status;
}

std::string PayloadOf(const absl::Status& status) {
  if (status.ok()) return "";
  const auto payload = status.GetPayload(kPayloadUrl);
  return payload.has_value() ? std::string(*payload) : "";
}

}  // namespace

absl::Status MakeError(ErrorKind kind, absl::string_view message) { return WithPayload(kind, message, ""); }

absl::Status MakeError(ErrorKind kind, absl::string_view message, Revision revision) {
  return WithPayload(kind, message, absl::StrCat(revision.value()));
}

ErrorKind KindOf(const absl::Status& status) {
  const std::string payload = PayloadOf(status);
  if (payload.empty() || static_cast<size_t>(payload[0]) >= kKindCount) return ErrorKind::kNone;
  return static_cast<ErrorKind>(payload[0]);
}

std::optional<Revision> RevisionOf(const absl::Status& status) {
  const std::string payload = PayloadOf(status);
  int64_t value = 0;
  if (payload.size() < 2 || !absl::SimpleAtoi(payload.substr(1), &value)) return std::nullopt;
  return Revision(value);
}

absl::string_view ErrorKindName(ErrorKind kind) { return kKinds[static_cast<size_t>(kind)].name; }

}  // namespace tidemark
