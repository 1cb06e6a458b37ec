#include "storeclient/outage_log.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/log.h"
#include "base/status.h"

namespace tidemark::storeclient {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class OutageLogTest : public testing::Test {
 protected:
  OutageLogTest() { SetLogLevel(LogLevel::kInfo); }

  void Lose(uint64_t from, uint64_t to) {
    for (uint64_t id = from; id < to; ++id) {
      log_->Lost(id, absl::StrCat("r", id), "store:2379", MakeError(ErrorKind::kStoreUnavailable, "refused"));
    }
  }
  void Return(uint64_t from, uint64_t to) {
    for (uint64_t id = from; id < to; ++id) log_->Back(id, "store:2379", "watching");
  }
  // The lines that `act` writes.
  template <typename Act>
  static std::vector<std::string> LinesOf(Act act) {
    testing::internal::CaptureStderr();
    act();
    return absl::StrSplit(testing::internal::GetCapturedStderr(), '\n', absl::SkipEmpty());
  }

  SimClock clock_;
  SimExecutor executor_{clock_};
  std::shared_ptr<OutageLog> log_ = std::make_shared<OutageLog>(&executor_);
};

TEST_F(OutageLogTest, OneLineForAHundredThatLoseTheStoreAndOneForItsReturn) {
  const auto lost = LinesOf([&] {
    Lose(0, 60);
    executor_.RunFor(kOutageSettle / 2);
    Lose(0, 100);
    executor_.RunFor(30 * kOutageRepeat);
    Lose(0, 100);
  });
  EXPECT_THAT(lost, ElementsAre(HasSubstr("WARN the store is not followed waiting=100 resource=r0 endpoint=store:2379 "
                                          "kind=\"store unavailable\" reason=refused")));
  EXPECT_THAT(LinesOf([&] { Return(0, 99); }), IsEmpty());
  EXPECT_THAT(LinesOf([&] { Return(99, 100); }),
              ElementsAre(HasSubstr("INFO the store is followed again resources=100 after=30m0.5s")));
  EXPECT_THAT(LinesOf([&] { executor_.RunFor(2 * kOutageRepeat); }), IsEmpty());
}

TEST_F(OutageLogTest, OneThatStaysAwayIsNamedAMinuteLater) {
  const auto lines = LinesOf([&] {
    Lose(0, 10);
    executor_.RunFor(kOutageSettle);
    Return(0, 7);
    Return(8, 10);
    executor_.RunFor(3 * kOutageRepeat);
  });
  EXPECT_THAT(lines, ElementsAre(HasSubstr("waiting=10 "), HasSubstr("waiting=1 resource=r7 ")));
}

TEST_F(OutageLogTest, AMomentIsOneLine) {
  const auto lines = LinesOf([&] {
    Lose(0, 10);
    Return(0, 10);
    executor_.RunFor(kOutageSettle);
  });
  EXPECT_THAT(lines, ElementsAre(HasSubstr("INFO following the store was interrupted for a moment resources=10 ")));
}

TEST_F(OutageLogTest, TheNextOutageSettlesAnew) {
  LinesOf([&] {
    Lose(0, 10);
    executor_.RunFor(kOutageSettle);
    Return(0, 10);
    executor_.RunFor(kOutageRepeat - kOutageSettle / 2);
    Lose(0, 5);
  });
  EXPECT_THAT(LinesOf([&] { executor_.RunFor(kOutageSettle - absl::Milliseconds(1)); }), IsEmpty());
  EXPECT_THAT(LinesOf([&] { executor_.RunFor(absl::Milliseconds(1)); }), ElementsAre(HasSubstr("waiting=5 ")));
}

TEST_F(OutageLogTest, WhoEndsWaitsNoLonger) {
  LinesOf([&] {
    Lose(0, 2);
    executor_.RunFor(kOutageSettle);
    log_->Forget(0);
  });
  EXPECT_THAT(LinesOf([&] { log_->Forget(1); }), ElementsAre(HasSubstr("the store is followed again resources=2 ")));
}

TEST_F(OutageLogTest, EachResourceAtLevelDebug) {
  SetLogLevel(LogLevel::kDebug);
  const auto lines = LinesOf([&] {
    Lose(7, 8);
    Lose(7, 8);
    executor_.RunFor(kOutageSettle);
    Return(7, 8);
    Return(7, 8);
  });
  EXPECT_THAT(lines,
              ElementsAre(HasSubstr("DEBUG following the store is interrupted resource=r7"),
                          HasSubstr("the store is not followed"),
                          HasSubstr("DEBUG following the store again resource=r7 endpoint=store:2379 by=watching"),
                          HasSubstr("the store is followed again")));
}

}  // namespace
}  // namespace tidemark::storeclient
