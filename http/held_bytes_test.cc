// What a source says that it holds, form by form: the server's limit on answers that nobody reads is as good as this.
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "gtest/gtest.h"
#include "http/api_fixture.h"
#include "http/begun_source.h"
#include "http/gzip_source.h"
#include "http/pieces.h"
#include "net/limits.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kAsTable = "application/json;as=Table;v=v1;g=meta.k8s.io";
constexpr size_t kSlack = size_t{64} << 10;

class HeldBytesTest : public ApiFixture {
 protected:
  HeldBytesTest() {
    // More than a list that is written at once, and little that a compressor could leave out.
    std::mt19937 random(1);
    for (int i = 0; i < 300; ++i) {
      std::string noise;
      while (noise.size() < 8500) absl::StrAppend(&noise, absl::Hex(random()));
      config_maps_->Put(90 + i, absl::StrFormat("many/x-%04d", i), {{"noise", noise}});
    }
  }

  // After one Pull of so many bytes.
  static size_t HeldAfter(const std::shared_ptr<FakeExchange>& exchange, size_t bytes) {
    std::vector<absl::string_view> slices;
    EXPECT_EQ(exchange->source()->Pull(bytes, &slices), net::BodySource::State::kMore);
    return exchange->source()->held_bytes();
  }
  std::shared_ptr<FakeExchange> AskFor(absl::string_view query, FakeExchange::Headers headers = {}) {
    return Send(absl::StrCat("/api/v1/namespaces/many/configmaps?", query), std::move(headers));
  }
};

TEST_F(HeldBytesTest, SlicesOfTheMirrorAreNoneOfIt) {
  const auto list = AskFor("");
  EXPECT_EQ(list->source()->held_bytes(), 0u);
  EXPECT_LE(HeldAfter(list, net::kPullBytes), Pieces::kBlockBytesMin) << "its head";
  EXPECT_EQ(HeldAfter(list, net::kPullBytes), 0u);
}

TEST_F(HeldBytesTest, WhatIsMadeForOnePullIsHeldUntilTheNext) {
  const auto watch = [](absl::string_view from) { return absl::StrCat("watch=true&resourceVersion=", from); };
  const struct {
    std::string query;
    FakeExchange::Headers headers;
  } kRows[] = {{"", {{"accept", std::string(kAsTable)}}},
               {watch("84"), {{"accept", std::string(kAsTable)}}},
               {watch("0"), {{"accept", std::string(kAsTable)}}},
               {"pretty=true", {}}};
  for (const auto& row : kRows) {
    const auto exchange = AskFor(row.query, row.headers);
    EXPECT_LE(exchange->source()->held_bytes(), sizeof(std::string)) << row.query;
    const size_t large = HeldAfter(exchange, net::kPullBytes);
    EXPECT_GE(large, net::kPullBytes - kSlack) << row.query;
    EXPECT_LE(large, 2 * net::kPullBytes + kSlack) << row.query;
    // The first ones may still indent what was pulled for the large one.
    size_t small = large;
    for (int i = 0; i < 100 && small > 3 * net::kScarcePullBytes; ++i)
      small = HeldAfter(exchange, net::kScarcePullBytes);
    EXPECT_GT(small, 0u) << row.query;
    EXPECT_LE(small, 3 * net::kScarcePullBytes) << row.query;
  }
}

TEST_F(HeldBytesTest, ASmallListIsHeldAsAWhole) {
  const std::shared_ptr<FakeExchange> list = AskFor("limit=100", {{"accept", std::string(kAsTable)}});
  const size_t length = static_cast<size_t>(list->length().value());
  EXPECT_GE(list->source()->held_bytes(), length);
  EXPECT_GE(HeldAfter(list, 1000), length);
}

TEST_F(HeldBytesTest, ACompressorHoldsItsStateFromTheStart) {
  const auto list = AskFor("", {{"accept-encoding", "gzip"}});
  ASSERT_EQ(list->Header("Content-Encoding"), "gzip");
  const size_t begun = list->source()->held_bytes();
  EXPECT_GE(begun, (size_t{256} << 10) + kGzipBytesMin) << "its window, and what was read to see that it is worth it";
  for (int i = 0; i < 12; ++i) HeldAfter(list, net::kScarcePullBytes);
  EXPECT_GE(list->source()->held_bytes(), size_t{256} << 10);
  EXPECT_LT(list->source()->held_bytes(), size_t{400} << 10);
}

TEST(BegunSourceTest, BytesThatAreThereAreHeldUntilTheyAreTaken) {
  BegunSource source(std::string(100'000, 'x'));
  EXPECT_GE(source.held_bytes(), 100'000u);
  std::vector<absl::string_view> slices;
  EXPECT_EQ(source.Pull(60'000, &slices), net::BodySource::State::kMore);
  EXPECT_GE(source.held_bytes(), 100'000u);
  EXPECT_EQ(source.Pull(60'000, &slices), net::BodySource::State::kEnd);
}

}  // namespace
}  // namespace tidemark::http
