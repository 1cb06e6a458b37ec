// Domain errors over absl::Status. A Status that a caller has to tell apart carries an ErrorKind as payload; callers ask
// `IsCompacted(status)`, never the message and never the wire code. Wire codes are derived: to gRPC in store/server, to HTTP in
// http/, one table each.
//
//   TM_ASSIGN_OR_RETURN(Revision revision, client->ReadRevision(deadline));
//   if (IsCompacted(status)) return Relist();
//
// Thread-safety: all functions are pure.
// Cost:          an OK status is one word; a domain error allocates.
#ifndef TIDEMARK_BASE_STATUS_H_
#define TIDEMARK_BASE_STATUS_H_

#include <cstdint>
#include <optional>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"

namespace tidemark {

enum class ErrorKind : uint8_t {
  kNone,            // OK, or a status without a domain meaning
  kCompacted,       // the revision is below the store's compaction, or fell out of a history
  kFutureRevision,  // the revision has not been written yet
  kNotLeader,
  kNotReady,  // the first list has not been loaded
  kStale,     // the mirror did not reach the revision in time
  kNoSpace,   // the store's quota is used up
  kLeaseNotFound,
  kLeaseExists,
  kKeyNotFound,
  kDuplicateKey,  // two writes of one key in one transaction
  kTooManyOps,
  kRequestTooLarge,
  kStoreUnavailable,  // no endpoint answered
  kCorrupt,           // a stored value cannot be read
  kRewound,           // the store's revision or cluster id went backwards
  kOverloaded,        // a named limit is reached; try again
  kStopped,           // the part is shutting down
  kStoreTooOld,       // the version guard refuses the store
  kGone,              // the resource is not served any more
};

// A status of this kind; the code is derived from the kind. REQUIRES: kind != kNone.
absl::Status MakeError(ErrorKind kind, absl::string_view message);
// The same with the revision that explains it: the compact revision of kCompacted, the current one of kFutureRevision and kStale.
absl::Status MakeError(ErrorKind kind, absl::string_view message, Revision revision);

ErrorKind KindOf(const absl::Status& status);
// The revision that MakeError was given, if any.
std::optional<Revision> RevisionOf(const absl::Status& status);
absl::string_view ErrorKindName(ErrorKind kind);

inline bool IsCompacted(const absl::Status& status) { return KindOf(status) == ErrorKind::kCompacted; }
inline bool IsFutureRevision(const absl::Status& status) { return KindOf(status) == ErrorKind::kFutureRevision; }
inline bool IsNotReady(const absl::Status& status) { return KindOf(status) == ErrorKind::kNotReady; }
inline bool IsStale(const absl::Status& status) { return KindOf(status) == ErrorKind::kStale; }

}  // namespace tidemark

#define TM_RETURN_IF_ERROR(expression)                            \
  do {                                                            \
    if (absl::Status tm_status = (expression); !tm_status.ok()) { \
      return tm_status;                                           \
    }                                                             \
  } while (false)

#define TM_STATUS_CONCAT_INNER(a, b) a##b
#define TM_STATUS_CONCAT(a, b) TM_STATUS_CONCAT_INNER(a, b)
#define TM_ASSIGN_OR_RETURN(declaration, expression) \
  TM_ASSIGN_OR_RETURN_IMPL(TM_STATUS_CONCAT(tm_status_or_, __LINE__), declaration, expression)
#define TM_ASSIGN_OR_RETURN_IMPL(temporary, declaration, expression) \
  auto temporary = (expression);                                     \
  if (!temporary.ok()) return std::move(temporary).status();         \
  declaration = *std::move(temporary)

#endif  // TIDEMARK_BASE_STATUS_H_
