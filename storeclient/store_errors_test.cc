#include "storeclient/store_errors.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace tidemark::storeclient {
namespace {

TEST(StoreErrorsTest, Rows) {
  struct Row {
    const char* name;
    int code;
    const char* message;
    ErrorKind kind;
    absl::StatusCode as_code;
    bool retried;
  };
  const Row rows[] = {
      {"ok", 0, "", ErrorKind::kNone, absl::StatusCode::kOk, false},
      {"compacted", 11, "etcdserver: mvcc: required revision has been compacted", ErrorKind::kCompacted,
       absl::StatusCode::kOutOfRange, false},
      {"future", 11, "etcdserver: mvcc: required revision is a future revision", ErrorKind::kFutureRevision,
       absl::StatusCode::kOutOfRange, false},
      {"compacted as unknown", 2, "etcdserver: mvcc: required revision has been compacted", ErrorKind::kCompacted,
       absl::StatusCode::kOutOfRange, false},
      {"no leader", 14, "etcdserver: no leader", ErrorKind::kStoreUnavailable, absl::StatusCode::kUnavailable, true},
      {"deadline", 4, "Deadline Exceeded", ErrorKind::kStoreUnavailable, absl::StatusCode::kUnavailable, true},
      {"too many requests", 2, "etcdserver: too many requests", ErrorKind::kStoreUnavailable,
       absl::StatusCode::kUnavailable, true},
      {"no space", 8, "etcdserver: mvcc: database space exceeded", ErrorKind::kNoSpace,
       absl::StatusCode::kResourceExhausted, false},
      {"denied", 7, "etcdserver: permission denied", ErrorKind::kNone, absl::StatusCode::kPermissionDenied, false},
      {"token", 16, "etcdserver: invalid auth token", ErrorKind::kNone, absl::StatusCode::kUnauthenticated, false},
      {"unimplemented", 12, "", ErrorKind::kNone, absl::StatusCode::kUnimplemented, false},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const absl::Status status = StoreError(row.code, row.message, "http://store:2379");
    EXPECT_EQ(KindOf(status), row.kind);
    if (row.kind == ErrorKind::kNone || row.kind == ErrorKind::kStoreUnavailable) {
      EXPECT_EQ(status.code(), row.as_code);
    }
    EXPECT_EQ(IsWorthRetrying(status), row.retried);
    if (!status.ok()) {
      EXPECT_NE(status.message().find("http://store:2379"), absl::string_view::npos);
    }
  }
}

}  // namespace
}  // namespace tidemark::storeclient
