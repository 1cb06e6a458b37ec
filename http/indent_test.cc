#include "http/indent.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>

namespace tidemark::http {
namespace {

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
    indenter.Append(kCompact.substr(0, cut), &out);
    indenter.Append(kCompact.substr(cut), &out);
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

TEST(IndentTest, SourceIsIndentedPieceByPiece) {
  IndentedSource source(std::make_unique<SlowSource>());
  std::string out;
  net::BodySource::State state = net::BodySource::State::kMore;
  while (state == net::BodySource::State::kMore) {
    std::vector<absl::string_view> slices;
    state = source.Pull(1000, &slices);
    for (const absl::string_view slice : slices) out.append(slice.data(), slice.size());
  }
  EXPECT_EQ(state, net::BodySource::State::kEnd);
  EXPECT_EQ(out, kIndented);
}

}  // namespace
}  // namespace tidemark::http
