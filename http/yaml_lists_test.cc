#include "http/yaml_lists.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/clock.h"
#include "base/executor.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/fake_exchange.h"
#include "http/server_document.h"
#include "metrics/registry.h"

namespace tidemark::http {
namespace {

using testing::HasSubstr;

constexpr size_t kMebibyte = size_t{1} << 20;
// More than is pulled at once.
constexpr size_t kLong = 2 * kMebibyte;

// An empty list among so many spaces that it has `bytes`, made of few: what is large here is what is made of them.
class SpacesSource : public net::BodySource {
 public:
  explicit SpacesSource(size_t bytes) : left_(bytes) {}

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    static const std::string* const kSpaces = new std::string(kMebibyte, ' ');
    if (!begun_) slices->push_back("[");
    const size_t taken = std::min({left_ - 1, max_bytes, kSpaces->size()}) - (begun_ ? 0 : 1);
    slices->push_back(absl::string_view(*kSpaces).substr(0, taken));
    left_ -= taken + (begun_ ? 0 : 1);
    begun_ = true;
    if (left_ > 1) return State::kMore;
    slices->push_back("]");
    return State::kEnd;
  }

 private:
  size_t left_;
  bool begun_ = false;
};

// Gives `text` in pulls of what is asked for, and ends as it is told. Says how often it was pulled, and that it is gone.
class TextSource : public net::BodySource {
 public:
  TextSource(absl::string_view text, State end, int* pulls, bool* gone)
      : text_(text), end_(end), pulls_(pulls), gone_(gone) {}
  ~TextSource() override { *gone_ = true; }

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    ++*pulls_;
    const size_t bytes = std::min(max_bytes, text_.size());
    slices->push_back(text_.substr(0, bytes));
    text_.remove_prefix(bytes);
    return text_.empty() ? end_ : State::kMore;
  }

 private:
  absl::string_view text_;
  const State end_;
  int* const pulls_;
  bool* const gone_;
};

// A list of numbered strings, a little over `bytes` of JSON.
std::string Numbers(size_t bytes) {
  std::string json = R"({"items":[")";
  for (int i = 0; json.size() < bytes; ++i) absl::StrAppend(&json, "number ", i, "\",\"");
  return json + "last\"]}";
}

class YamlListsTest : public testing::Test {
 protected:
  using ExchangePtr = std::shared_ptr<FakeExchange>;

  ExchangePtr Answer(std::unique_ptr<net::BodySource> source) {
    auto exchange = std::make_shared<FakeExchange>("/api/v1/pods");
    lists_->Answer({.encoding = AnswerForm::Encoding::kYaml}, std::move(source), {{"X-Served", "so"}},
                   std::make_shared<Responder>(exchange, &metrics_, &series_, clock_));
    return exchange;
  }
  ExchangePtr Spaces(size_t bytes) { return Answer(std::make_unique<SpacesSource>(bytes)); }
  ExchangePtr Text(absl::string_view text, net::BodySource::State end = net::BodySource::State::kEnd) {
    return Answer(std::make_unique<TextSource>(text, end, &pulls_, &source_gone_));
  }

  SimClock clock_;
  metrics::Registry registry_;
  metrics::HttpMetrics metrics_{&registry_};
  metrics::RequestSeries series_{&registry_, {.verb = "LIST"}};
  std::optional<SimExecutor> executor_{std::in_place, clock_};
  std::optional<SlowLane> lane_{std::in_place, &*executor_, &metrics_};
  std::optional<YamlLists> lists_{std::in_place, &*lane_};
  int pulls_ = 0;
  bool source_gone_ = false;
};

TEST_F(YamlListsTest, AShortListIsWrittenAtOnce) {
  const auto answer = Spaces(kMebibyte);
  ASSERT_TRUE(answer->answered());
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->head().content_type, "application/yaml");
  EXPECT_EQ(answer->Header("X-Served"), "so");
  EXPECT_EQ(answer->Drain(), "[]\n");
  EXPECT_FALSE(executor_->RunOne());
}

TEST_F(YamlListsTest, ALongListIsWrittenByTheExecutorAndIsNoOther) {
  const std::string json = Numbers(3 * kMebibyte);
  const auto answer = Text(json);
  EXPECT_FALSE(answer->answered());
  EXPECT_EQ(metrics_.slow_answers_waiting.Value(), 1);
  EXPECT_EQ(metrics_.inflight_reads.Value(), 1);
  EXPECT_EQ(executor_->RunUntilIdle(), 1);
  ASSERT_TRUE(answer->answered());
  EXPECT_EQ(answer->status(), 200);
  EXPECT_EQ(answer->Header("X-Served"), "so");
  const auto whole = EncodeDocument({.json = json}, AnswerForm::Encoding::kYaml, false);
  ASSERT_TRUE(whole.ok());
  EXPECT_TRUE(answer->Drain() == *whole);
  EXPECT_EQ(metrics_.slow_answers_waiting.Value(), 0);
  EXPECT_EQ(metrics_.inflight_reads.Value(), 0);
}

TEST_F(YamlListsTest, YamlIsMadeOfSixtyFourMebibytesAtMost) {
  const auto longest = Spaces(64 * kMebibyte);
  const auto longer = Spaces(64 * kMebibyte + 1);
  executor_->RunUntilIdle();
  EXPECT_EQ(longest->status(), 200);
  EXPECT_EQ(longest->Drain(), "[]\n");
  EXPECT_EQ(longer->status(), 500);
  EXPECT_THAT(longer->Drain(), HasSubstr("the list is longer than 64 MiB, which is the most that is written as YAML"));
}

TEST_F(YamlListsTest, WhatYamlRefusesIsAnErrorHoweverLongTheListIs) {
  for (const size_t bytes : {size_t{1}, kLong}) {
    const std::string json = absl::StrCat("[\"", std::string(bytes, 'a'), "\x7f\"]");
    const auto answer = Text(json);
    executor_->RunUntilIdle();
    EXPECT_EQ(answer->status(), 500);
    EXPECT_THAT(answer->Drain(), HasSubstr("yaml: control characters are not allowed"));
  }
}

TEST_F(YamlListsTest, AListThatCannotBeReadToItsEndIsAnError) {
  for (const size_t bytes : {size_t{1}, kLong}) {
    const std::string json(bytes, ' ');
    const auto answer = Text(json, net::BodySource::State::kAbort);
    executor_->RunUntilIdle();
    EXPECT_EQ(answer->status(), 500);
    EXPECT_THAT(answer->Drain(), HasSubstr("the list cannot be read to its end"));
  }
}

TEST_F(YamlListsTest, WhenAllPlacesAreTakenTheNextIsToldToComeAgain) {
  std::vector<ExchangePtr> waiting;
  for (int i = 0; i < SlowLane::kWaitingMax; ++i) waiting.push_back(Spaces(kLong));
  EXPECT_EQ(metrics_.slow_answers_waiting.Value(), SlowLane::kWaitingMax);

  const auto refused = Spaces(kLong);
  EXPECT_EQ(refused->status(), 429);
  EXPECT_EQ(refused->Header("Retry-After"), "1");
  EXPECT_THAT(refused->Drain(),
              HasSubstr(R"("message":"too many answers that take long to write wait already",)"
                        R"("reason":"TooManyRequests","details":{"retryAfterSeconds":1},"code":429)"));
  EXPECT_EQ(metrics_.slow_answers_refused.Value(), 1);
  EXPECT_EQ(Spaces(kMebibyte)->status(), 200);

  executor_->RunOne();
  EXPECT_TRUE(waiting[0]->answered());
  waiting.push_back(Spaces(kLong));
  EXPECT_EQ(Spaces(kLong)->status(), 429);
  executor_->RunUntilIdle();
  for (const ExchangePtr& answer : waiting) EXPECT_EQ(answer->status(), 200);
}

TEST_F(YamlListsTest, OneWhoseClientHasLeftIsReadNoFurther) {
  const std::string json = Numbers(4 * kMebibyte);
  const auto answer = Text(json);
  EXPECT_EQ(pulls_, 1);
  answer->Leave();
  executor_->RunUntilIdle();
  EXPECT_EQ(pulls_, 1);
  EXPECT_TRUE(source_gone_);
  EXPECT_FALSE(answer->answered());
  EXPECT_EQ(answer.use_count(), 1) << "the exchange is left to the server";
  EXPECT_EQ(metrics_.slow_answers_waiting.Value(), 0);
}

TEST_F(YamlListsTest, WhatAStoppedExecutorDropsIsLetGoOf) {
  const std::string json = Numbers(kLong);
  const auto answer = Text(json);
  const auto other = Spaces(kLong);
  executor_.reset();
  EXPECT_TRUE(source_gone_);
  EXPECT_FALSE(answer->answered());
  EXPECT_EQ(answer.use_count(), 1) << "the exchange is left to the server";
  EXPECT_EQ(other.use_count(), 1);
  EXPECT_EQ(metrics_.slow_answers_waiting.Value(), 0);
  EXPECT_EQ(metrics_.inflight_reads.Value(), 0);
}

}  // namespace
}  // namespace tidemark::http
