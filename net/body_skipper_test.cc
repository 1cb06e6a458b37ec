#include "net/body_skipper.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tidemark::net {
namespace {

constexpr uint64_t kBytesMax = 20;

// The status of the refusal, 0 for a whole body, -1 for one that is not complete. *rest: what is not of the body.
int Verdict(const Head& head, const std::string& bytes, size_t step, std::string* rest) {
  BodySkipper skipper(head, kBytesMax);
  absl::string_view left = bytes;
  while (skipper.state() == BodySkipper::State::kNeedMore && !left.empty()) {
    size_t taken = 0;
    skipper.Skip(left.substr(0, step), &taken);
    left.remove_prefix(taken);
  }
  *rest = std::string(left);
  if (skipper.state() == BodySkipper::State::kNeedMore) return -1;
  return skipper.state() == BodySkipper::State::kDone ? 0 : skipper.refusal().status;
}

struct Row {
  const char* name;
  std::string bytes;
  int status;
};

const Row kChunkedRows[] = {
    {"Empty", "0\r\n\r\n", 0},
    {"OneChunk", "5\r\nhello\r\n0\r\n\r\n", 0},
    {"HexInAnyCase", "a\r\n0123456789\r\nA\r\n0123456789\r\n0\r\n\r\n", 0},
    {"LeadingZeros", "0005\r\nhello\r\n000\r\n\r\n", 0},
    {"Extension", "5;a=b\r\nhello\r\n0;c\r\n\r\n", 0},
    {"Trailers", "0\r\nA: b\r\nC: d\r\n\r\n", 0},
    {"Incomplete", "5\r\nhel", -1},
    {"IncompleteTrailer", "0\r\nA: b\r\n", -1},
    {"NoSize", "\r\nhello\r\n", 400},
    {"ExtensionWithoutSize", ";a\r\n", 400},
    {"NotHex", "5g\r\n", 400},
    {"Negative", "-5\r\nhello\r\n", 400},
    {"Prefix", "0x5\r\nhello\r\n", 400},
    {"BlankBehindSize", "5 \r\nhello\r\n", 400},
    {"BareLfBehindSize", "5\nhello\r\n", 400},
    {"BareLfInExtension", "5;a\nhello\r\n", 400},
    {"CrWithoutLf", "5\rhello\r\n", 400},
    {"DataTooLong", "5\r\nhello!\r\n", 400},
    {"BareLfBehindData", "5\r\nhello\n0\r\n\r\n", 400},
    {"BareLfAtTheEnd", "0\r\n\n", 400},
    {"BareLfInTrailer", "0\r\nA: b\n\r\n", 400},
    {"NulInTrailer", std::string("0\r\nA\0: b\r\n\r\n", 12), 400},
    {"NulBeginsTrailer", std::string("0\r\n\0A: b\r\n\r\n", 12), 400},
    {"TooBig", "15\r\n", 413},
    {"TooBigInAll", "a\r\n0123456789\r\nb\r\n", 413},
    {"HugeSize", "ffffffffff\r\n", 413},
    {"SizeOverflows", "10000000000000005\r\n", 400},
    {"FramingWithoutEnd", absl::StrCat("1;", std::string(40, 'x')), 413},
};

TEST(BodySkipperTest, EveryChunkedFormHasItsVerdictHoweverItIsSplit) {
  Head head;
  head.chunked = true;
  for (const Row& row : kChunkedRows) {
    SCOPED_TRACE(row.name);
    std::string rest;
    EXPECT_EQ(Verdict(head, row.bytes, 1000, &rest), row.status);
    EXPECT_EQ(Verdict(head, row.bytes, 1, &rest), row.status);
    if (row.status != 0) continue;
    EXPECT_EQ(Verdict(head, row.bytes + "GET", 1000, &rest), 0);
    EXPECT_EQ(rest, "GET");
  }
}

TEST(BodySkipperTest, ALengthIsTakenExactly) {
  Head head;
  head.content_length = 5;
  std::string rest;
  EXPECT_EQ(Verdict(head, "hello", 1, &rest), 0);
  EXPECT_EQ(Verdict(head, "helloGET", 1000, &rest), 0);
  EXPECT_EQ(rest, "GET");
  EXPECT_EQ(Verdict(head, "hell", 1000, &rest), -1);
  head.content_length = 0;
  EXPECT_EQ(Verdict(head, "GET", 1000, &rest), 0);
  EXPECT_EQ(rest, "GET");
  head.content_length = kBytesMax + 1;
  EXPECT_EQ(Verdict(head, "", 1000, &rest), 413);
}

}  // namespace
}  // namespace tidemark::net
