#include "storeclient/endpoint_guard.h"

#include <gtest/gtest.h>

#include "absl/status/status.h"

namespace tidemark::storeclient {
namespace {

const std::vector<std::string> kThree = {"http://a", "http://b", "http://c"};

TEST(EndpointGuardTest, TooOldMembersCarryNoWatch) {
  EndpointGuard guard(kThree, GuardMode::kAuto, {});
  EXPECT_TRUE(guard.NeedsCheck(0));
  EXPECT_EQ(guard.Start({"3.5.16", "3.4.23", "3.6.0"}).outcome, GuardOutcome::kTrusted);
  EXPECT_FALSE(guard.NeedsCheck(0));
  EXPECT_FALSE(guard.MayCarryWatch(1));
  EXPECT_EQ(guard.NextForWatch(0), 2u);
  EXPECT_EQ(guard.NextForWatch(2), 0u);
  EXPECT_TRUE(guard.ProgressTrusted());
}

TEST(EndpointGuardTest, AskedAgainAfterALostConnection) {
  EndpointGuard guard(kThree, GuardMode::kRequire, {});
  EXPECT_EQ(guard.Start({"3.5.16", "3.5.16", "3.5.16"}).outcome, GuardOutcome::kTrusted);
  guard.Doubt(2);
  EXPECT_TRUE(guard.NeedsCheck(2));
  guard.Learn(2, absl::UnavailableError("down"));
  EXPECT_TRUE(guard.NeedsCheck(2)) << "still not known";
  EXPECT_TRUE(guard.MayCarryWatch(2));
  guard.Learn(2, "3.5.7");
  EXPECT_FALSE(guard.NeedsCheck(2));
  EXPECT_FALSE(guard.MayCarryWatch(2)) << "a member was replaced by an old one";
  EXPECT_TRUE(guard.ProgressTrusted()) << "running on, the others carry the watches";
  guard.Learn(0, "3.5.7");
  guard.Learn(1, "3.5.7");
  EXPECT_FALSE(guard.ProgressTrusted());
  EXPECT_TRUE(guard.MayCarryWatch(1)) << "there is none better";
}

TEST(EndpointGuardTest, OffAsksNothing) {
  EndpointGuard guard({"http://a"}, GuardMode::kOff, {});
  EXPECT_FALSE(guard.NeedsCheck(0));
  EXPECT_FALSE(guard.ProgressTrusted());
  EXPECT_TRUE(guard.MayCarryWatch(0));
  EXPECT_EQ(guard.NextForWatch(0), 0u);
}

TEST(EndpointGuardTest, RefusesOnlyAtTheStart) {
  EndpointGuard guard({"http://a", "http://b"}, GuardMode::kRequire, {});
  EXPECT_EQ(guard.Start({"3.4.23", "3.5.16"}).outcome, GuardOutcome::kRefused);
}

}  // namespace
}  // namespace tidemark::storeclient
