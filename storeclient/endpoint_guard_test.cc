#include "storeclient/endpoint_guard.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace tidemark::storeclient {
namespace {

constexpr absl::Time kNow = absl::UnixEpoch();
const std::vector<std::string> kThree = {"http://a", "http://b", "http://c"};

TEST(EndpointGuardTest, TooOldMembersCarryNoWatch) {
  EndpointGuard guard(kThree, GuardMode::kAuto, {});
  EXPECT_TRUE(guard.NeedsCheck(0));
  EXPECT_EQ(guard.Start({"3.5.16", "3.4.23", "3.6.0"}, kNow).outcome, GuardOutcome::kTrusted);
  EXPECT_FALSE(guard.NeedsCheck(0));
  EXPECT_FALSE(guard.MayCarryWatch(1));
  EXPECT_EQ(guard.NextForWatch(0, kNow), 2u);
  EXPECT_EQ(guard.NextForWatch(2, kNow), 0u);
  EXPECT_TRUE(guard.ProgressTrusted());
}

TEST(EndpointGuardTest, AskedAgainAfterALostConnection) {
  EndpointGuard guard(kThree, GuardMode::kRequire, {});
  EXPECT_EQ(guard.Start({"3.5.16", "3.5.16", "3.5.16"}, kNow).outcome, GuardOutcome::kTrusted);
  guard.Doubt(2);
  EXPECT_TRUE(guard.NeedsCheck(2));
  guard.Learn(2, absl::UnavailableError("down"), kNow);
  EXPECT_TRUE(guard.NeedsCheck(2)) << "still not known";
  EXPECT_TRUE(guard.MayCarryWatch(2));
  guard.Learn(2, "3.5.7", kNow);
  EXPECT_FALSE(guard.NeedsCheck(2));
  EXPECT_FALSE(guard.MayCarryWatch(2)) << "a member was replaced by an old one";
  EXPECT_TRUE(guard.ProgressTrusted()) << "running on, the others carry the watches";
  guard.Learn(0, "3.5.7", kNow);
  guard.Learn(1, "3.5.7", kNow);
  EXPECT_FALSE(guard.ProgressTrusted());
  EXPECT_TRUE(guard.MayCarryWatch(1)) << "there is none better";
}

TEST(EndpointGuardTest, ProgressIsTrustedPerEndpoint) {
  EndpointGuard guard(kThree, GuardMode::kAuto, {});
  guard.Start({"3.5.6", "3.5.6", "3.5.6"}, kNow);
  EXPECT_FALSE(guard.ProgressTrusted(1));
  EXPECT_FALSE(guard.Learn(0, "3.5.6", kNow));
  EXPECT_TRUE(guard.Learn(0, "3.5.17", kNow)) << "watches may have to move";
  EXPECT_TRUE(guard.ProgressTrusted());
  EXPECT_TRUE(guard.ProgressTrusted(0));
  EXPECT_FALSE(guard.ProgressTrusted(1)) << "still what it was";
  EXPECT_TRUE(guard.IsTooOld(1));
  EXPECT_FALSE(guard.MayCarryWatch(1));
}

TEST(EndpointGuardTest, TooOldMemberIsOfferedAgainAfterAWhile) {
  EndpointGuard guard(kThree, GuardMode::kAuto, {});
  guard.Start({"3.5.16", "3.5.6", "3.5.6"}, kNow);
  const absl::Time soon = kNow + EndpointGuard::kAskAgainAfter - absl::Seconds(1);
  EXPECT_EQ(guard.NextForWatch(0, soon), 0u);
  EXPECT_FALSE(guard.NeedsCheck(1));
  const absl::Time later = kNow + EndpointGuard::kAskAgainAfter;
  EXPECT_EQ(guard.NextForWatch(0, later), 1u);
  EXPECT_TRUE(guard.NeedsCheck(1)) << "to be asked before a watch is opened there";
  EXPECT_FALSE(guard.MayCarryWatch(1)) << "not yet";
  EXPECT_EQ(guard.NextForWatch(0, later), 2u) << "each to one watch only";
  EXPECT_EQ(guard.NextForWatch(0, later), 0u);
  guard.Learn(1, "3.5.17", later);
  EXPECT_TRUE(guard.MayCarryWatch(1));
  EXPECT_EQ(guard.NextForWatch(0, later), 1u);
  guard.Learn(2, "3.5.6", later);
  EXPECT_EQ(guard.NextForWatch(1, later), 0u) << "still old";
}

TEST(EndpointGuardTest, OldMembersServeUntilTheDeadOneIsFine) {
  EndpointGuard guard(kThree, GuardMode::kAuto, {});
  EXPECT_EQ(guard.Start({"3.5.6", absl::UnavailableError("down"), "3.5.6"}, kNow).outcome, GuardOutcome::kFromStore);
  EXPECT_TRUE(guard.MayCarryWatch(0));
  EXPECT_FALSE(guard.ProgressTrusted(1));
  EXPECT_TRUE(guard.Learn(1, "3.5.17", kNow));
  EXPECT_FALSE(guard.MayCarryWatch(0));
  EXPECT_TRUE(guard.ProgressTrusted(1));
}

TEST(EndpointGuardTest, OffAsksNothing) {
  EndpointGuard guard({"http://a"}, GuardMode::kOff, {});
  EXPECT_FALSE(guard.NeedsCheck(0));
  EXPECT_FALSE(guard.ProgressTrusted());
  EXPECT_TRUE(guard.MayCarryWatch(0));
  EXPECT_EQ(guard.NextForWatch(0, kNow), 0u);
}

TEST(EndpointGuardTest, RefusesOnlyAtTheStart) {
  EndpointGuard guard({"http://a", "http://b"}, GuardMode::kRequire, {});
  EXPECT_EQ(guard.Start({"3.4.23", "3.5.16"}, kNow).outcome, GuardOutcome::kRefused);
}

}  // namespace
}  // namespace tidemark::storeclient
