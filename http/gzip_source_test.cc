#include "http/gzip_source.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "http/fake_exchange.h"
#include "http/gunzip.h"

namespace tidemark::http {
namespace {

using State = net::BodySource::State;

// Gives `text` in pieces of `step` bytes, then says `last`.
class TextSource : public net::BodySource {
 public:
  TextSource(std::string text, size_t step, State last = State::kEnd)
      : text_(std::move(text)), step_(step), last_(last) {}

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override {
    ++pulls;
    const absl::string_view slice = absl::string_view(text_).substr(at_, std::min(step_, max_bytes));
    slices->push_back(slice);
    at_ += slice.size();
    largest_pull = std::max(largest_pull, max_bytes);
    return at_ < text_.size() ? State::kMore : last_;
  }
  void Drain() override { drained = true; }

  int pulls = 0;
  size_t largest_pull = 0;
  bool drained = false;

 private:
  const std::string text_;
  const size_t step_;
  const State last_;
  size_t at_ = 0;
};

net::Request Accepting(const std::string& encoding) {
  return FakeExchange("/x", {{"accept-encoding", encoding}}).request();
}

std::string Text(size_t bytes) {
  std::string text;
  for (int i = 0; text.size() < bytes; ++i) absl::StrAppend(&text, "{\"name\":\"o", i, "\"},");
  text.resize(bytes);
  return text;
}

struct Pulled {
  std::string bytes;
  State state = State::kMore;
};

Pulled PullAll(net::BodySource* source, size_t max_bytes = 10000) {
  Pulled pulled;
  while (pulled.state == State::kMore) {
    std::vector<absl::string_view> slices;
    pulled.state = source->Pull(max_bytes, &slices);
    const size_t before = pulled.bytes.size();
    for (const absl::string_view slice : slices) absl::StrAppend(&pulled.bytes, slice);
    EXPECT_TRUE(pulled.state != State::kMore || pulled.bytes.size() > before) << "kMore without a byte";
  }
  return pulled;
}

TEST(GzipSourceTest, AnElementIsGzipAndNothingElse) {
  for (const std::string yes : {"gzip", "deflate, gzip", " gzip ,br", "gzip, deflate, br"})
    EXPECT_TRUE(AcceptsGzip(Accepting(yes))) << yes;
  for (const std::string no : {"", "*", "identity", "gzip;q=0.5", "gzip;q=0", "deflate, gzip;q=1", "GZIP", "x-gzip"}) {
    EXPECT_FALSE(AcceptsGzip(Accepting(no))) << no;
  }
}

TEST(GzipSourceTest, WhatIsLargerThanTheLimitIsCompressed) {
  for (const bool known : {true, false}) {
    for (const size_t bytes : {size_t{0}, kGzipBytesMin, kGzipBytesMin + 1, 3 * kGzipBytesMin}) {
      const std::string text = Text(bytes);
      SizedBody body{.source = std::make_unique<TextSource>(text, 7000)};
      if (known) body.length = bytes;
      body = CompressIfLarge(Accepting("gzip"), std::move(body));
      EXPECT_EQ(body.gzip, bytes > kGzipBytesMin) << bytes;
      EXPECT_EQ(body.length.has_value(), !body.gzip) << bytes;
      EXPECT_EQ(body.length.value_or(bytes), bytes);
      const Pulled pulled = PullAll(body.source.get());
      EXPECT_EQ(pulled.state, State::kEnd);
      EXPECT_EQ(body.gzip ? Gunzip(pulled.bytes) : pulled.bytes, text) << bytes;
      EXPECT_LE(pulled.bytes.size(), body.gzip ? bytes / 3 : bytes);
    }
  }
}

TEST(GzipSourceTest, NothingIsPulledAheadForAClientThatDoesNotTakeIt) {
  auto source = std::make_unique<TextSource>(Text(2 * kGzipBytesMin), 7000);
  TextSource* const seen = source.get();
  const SizedBody body = CompressIfLarge(Accepting("identity"), {.source = std::move(source)});
  EXPECT_FALSE(body.gzip);
  EXPECT_EQ(seen->pulls, 0);
}

TEST(GzipSourceTest, AbortPassesThrough) {
  for (const size_t bytes : {size_t{100}, 2 * kGzipBytesMin}) {
    const SizedBody body =
        CompressIfLarge(Accepting("gzip"), {.source = std::make_unique<TextSource>(Text(bytes), 5000, State::kAbort)});
    EXPECT_EQ(body.gzip, bytes > kGzipBytesMin);
    EXPECT_FALSE(body.length.has_value());
    EXPECT_EQ(PullAll(body.source.get()).state, State::kAbort);
  }
}

TEST(GzipSourceTest, WhatShrinksToNothingGoesOutAllTheSame) {
  const std::string blanks(size_t{20} << 20, ' ');
  auto source = std::make_unique<TextSource>(blanks, size_t{64} << 10);
  TextSource* const seen = source.get();
  GzipSource gzip(std::move(source));
  std::vector<absl::string_view> slices;
  EXPECT_EQ(gzip.Pull(size_t{1} << 30, &slices), State::kMore);
  const int pulls = seen->pulls;
  EXPECT_LE(pulls, 20);
  EXPECT_LE(seen->largest_pull, kGzipInputBytesMax);
  std::string bytes;
  for (const absl::string_view slice : slices) absl::StrAppend(&bytes, slice);
  EXPECT_EQ(Gunzip(bytes + PullAll(&gzip).bytes), blanks);
}

TEST(GzipSourceTest, DrainReachesTheSource) {
  auto source = std::make_unique<TextSource>(Text(2 * kGzipBytesMin), 7000);
  TextSource* const seen = source.get();
  const SizedBody body = CompressIfLarge(Accepting("gzip"), {.source = std::move(source)});
  body.source->Drain();
  EXPECT_TRUE(seen->drained);
}

TEST(GzipSourceTest, WholeBodies) {
  std::string large = Text(kGzipBytesMin + 1);
  const std::string text = large;
  EXPECT_FALSE(CompressIfLarge(Accepting("identity"), &large));
  EXPECT_EQ(large, text);
  EXPECT_TRUE(CompressIfLarge(Accepting("gzip"), &large));
  EXPECT_EQ(Gunzip(large), text);
  std::string small = Text(kGzipBytesMin);
  EXPECT_FALSE(CompressIfLarge(Accepting("gzip"), &small));
  EXPECT_EQ(small.size(), kGzipBytesMin);
}

}  // namespace
}  // namespace tidemark::http
