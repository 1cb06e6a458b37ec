#include "base/status.h"

#include <set>
#include <string>

#include "gtest/gtest.h"

namespace tidemark {
namespace {

TEST(StatusTest, EveryKindIsFoundAgainAndHasANameOfItsOwn) {
  std::set<absl::string_view> names;
  for (int i = 1; i <= static_cast<int>(ErrorKind::kStoreTooOld); ++i) {
    const auto kind = static_cast<ErrorKind>(i);
    const absl::Status status = MakeError(kind, "why");
    EXPECT_FALSE(status.ok());
    EXPECT_EQ(KindOf(status), kind);
    EXPECT_EQ(status.message(), "why");
    EXPECT_EQ(RevisionOf(status), std::nullopt);
    EXPECT_TRUE(names.insert(ErrorKindName(kind)).second) << ErrorKindName(kind);
  }
}

TEST(StatusTest, KindsThatShareAWireCodeStayApart) {
  const absl::Status compacted = MakeError(ErrorKind::kCompacted, "m", Revision(12));
  const absl::Status future = MakeError(ErrorKind::kFutureRevision, "m", Revision(13));
  EXPECT_EQ(compacted.code(), future.code());
  EXPECT_TRUE(IsCompacted(compacted));
  EXPECT_FALSE(IsCompacted(future));
  EXPECT_TRUE(IsFutureRevision(future));
  EXPECT_EQ(RevisionOf(compacted), Revision(12));
}

TEST(StatusTest, AStrangersStatusHasNoKind) {
  EXPECT_EQ(KindOf(absl::OkStatus()), ErrorKind::kNone);
  EXPECT_EQ(KindOf(absl::OutOfRangeError("m")), ErrorKind::kNone);
  EXPECT_FALSE(IsStale(absl::DeadlineExceededError("m")));
}

TEST(StatusDeathTest, NoErrorWithoutAKind) {
  EXPECT_DEATH(MakeError(ErrorKind::kNone, "m").IgnoreError(), "check failed");
}

absl::StatusOr<int> Twice(absl::StatusOr<int> input) {
  TM_ASSIGN_OR_RETURN(const int value, input);
  return value * 2;
}

absl::Status FirstError(absl::Status first, absl::Status second) {
  TM_RETURN_IF_ERROR(first);
  TM_RETURN_IF_ERROR(second);
  return absl::OkStatus();
}

TEST(StatusMacrosTest, PassErrorsOnUnchanged) {
  EXPECT_EQ(*Twice(21), 42);
  EXPECT_TRUE(IsNotReady(Twice(MakeError(ErrorKind::kNotReady, "m")).status()));
  EXPECT_TRUE(FirstError(absl::OkStatus(), absl::OkStatus()).ok());
  EXPECT_EQ(FirstError(absl::OkStatus(), absl::AbortedError("b")).message(), "b");
}

}  // namespace
}  // namespace tidemark
