#include "http/responder.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/fake_exchange.h"
#include "metrics/registry.h"

namespace tidemark::http {
namespace {

// An empty list among so many spaces that it has `bytes`, made of few: what is large here is what the responder keeps.
class SpacesSource : public net::BodySource {
 public:
  explicit SpacesSource(size_t bytes) : left_(bytes) {}

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    static const std::string* const kSpaces = new std::string(size_t{1} << 20, ' ');
    if (!begun_) slices->push_back("[");
    const size_t taken = std::min({left_ - 1, max_bytes, kSpaces->size()}) - (begun_ ? 0 : 1);
    slices->push_back(absl::string_view(*kSpaces).substr(0, taken));
    left_ -= taken + (begun_ ? 0 : 1);
    begun_ = true;
    if (left_ > 1) return State::kMore;
    slices->push_back("]");
    return State::kEnd;
  }
  void Drain() override {}

 private:
  size_t left_;
  bool begun_ = false;
};

class ResponderTest : public testing::Test {
 protected:
  std::shared_ptr<FakeExchange> Answer(AnswerForm::Encoding encoding, size_t bytes) {
    auto exchange = std::make_shared<FakeExchange>("/api/v1/pods");
    Responder(exchange, &metrics_, &series_, clock_)
        .Stream({.encoding = encoding}, std::make_unique<SpacesSource>(bytes), bytes, {});
    return exchange;
  }

  SimClock clock_;
  metrics::Registry registry_;
  metrics::HttpMetrics metrics_{&registry_};
  metrics::RequestSeries series_{&registry_, {.verb = "LIST"}};
};

TEST_F(ResponderTest, YamlIsMadeOfSixtyFourMebibytesAtMost) {
  using Encoding = AnswerForm::Encoding;
  constexpr size_t kBytesMax = size_t{64} << 20;
  const auto longest = Answer(Encoding::kYaml, kBytesMax);
  EXPECT_EQ(longest->status(), 200);
  EXPECT_EQ(longest->head().content_type, "application/yaml");
  EXPECT_EQ(longest->Drain(), "[]\n");

  const auto longer = Answer(Encoding::kYaml, kBytesMax + 1);
  EXPECT_EQ(longer->status(), 500);
  EXPECT_THAT(longer->Drain(),
              testing::HasSubstr("the list is longer than 64 MiB, which is the most that is written as YAML"));

  const auto json = Answer(Encoding::kJson, kBytesMax + 1);
  EXPECT_EQ(json->status(), 200);
  EXPECT_EQ(json->length(), kBytesMax + 1);
}

}  // namespace
}  // namespace tidemark::http
