#include "http/indent.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "http/begun_source.h"

namespace tidemark::http {
namespace {

constexpr size_t kNoLimit = std::numeric_limits<size_t>::max();

constexpr absl::string_view kCompact = R"({"a":{},"b":[],"c":[1,{"d":"x,{}[]:\"\\"}],"e":"\\","f":null})";
constexpr absl::string_view kIndented = R"({
  "a": {},
  "b": [],
  "c": [
    1,
    {
      "d": "x,{}[]:\"\\"
    }
  ],
  "e": "\\",
  "f": null
})";

TEST(IndentTest, TwoBlanksALevelEmptyOnesStayOnTheirLine) { EXPECT_EQ(Indented(kCompact), kIndented); }

TEST(IndentTest, WhatIsIndentedAlreadyComesOutTheSame) { EXPECT_EQ(Indented(kIndented), kIndented); }

TEST(IndentTest, PiecesMayBeCutAnywhere) {
  for (size_t cut = 0; cut <= kCompact.size(); ++cut) {
    Indenter indenter;
    std::string out;
    EXPECT_EQ(indenter.Append(kCompact.substr(0, cut), kNoLimit, &out), cut);
    indenter.Append(kCompact.substr(cut), kNoLimit, &out);
    EXPECT_EQ(out, kIndented) << cut;
  }
}

// Gives a few bytes at each Pull.
class SlowSource : public net::BodySource {
 public:
  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    slices->push_back(kCompact.substr(at_, 3));
    at_ += 3;
    return at_ < kCompact.size() ? State::kMore : State::kEnd;
  }

 private:
  size_t at_ = 0;
};

// All that a source gives; `longest`: of its slices.
std::string PullEach(net::BodySource* source, size_t max_bytes, size_t* longest) {
  std::string out;
  net::BodySource::State state = net::BodySource::State::kMore;
  while (state == net::BodySource::State::kMore) {
    std::vector<absl::string_view> slices;
    state = source->Pull(max_bytes, &slices);
    for (const absl::string_view slice : slices) {
      out.append(slice.data(), slice.size());
      *longest = std::max(*longest, slice.size());
    }
  }
  EXPECT_EQ(state, net::BodySource::State::kEnd);
  return out;
}

TEST(IndentTest, SourceIsIndentedPieceByPiece) {
  size_t longest = 0;
  IndentedSource source(std::make_unique<SlowSource>());
  EXPECT_EQ(PullEach(&source, 1000, &longest), kIndented);
  IndentedSource slow(std::make_unique<SlowSource>());
  EXPECT_EQ(PullEach(&slow, 1, &longest), kIndented);
}

TEST(IndentTest, WhatGrowsAHundredfoldTakesNoMoreMemory) {
  constexpr size_t kDepth = 200, kZeros = 10'000, kPiece = 4096;
  std::string json(kDepth, '[');
  for (size_t i = 0; i < kZeros; ++i) json += "0,";
  json += "0" + std::string(kDepth, ']');
  size_t longest = 0;
  IndentedSource source(std::make_unique<BegunSource>(json));
  EXPECT_EQ(PullEach(&source, kPiece, &longest), Indented(json));
  EXPECT_LE(longest, kPiece + 2 * kDepth + 2);
}

}  // namespace
}  // namespace tidemark::http
