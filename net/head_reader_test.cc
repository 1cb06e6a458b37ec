#include "net/head_reader.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::net {
namespace {

using ::testing::ElementsAre;
using ::testing::Pair;

using namespace std::string_literals;

HeadLimits SmallLimits() { return {.request_line_bytes_max = 64, .head_bytes_max = 256, .header_count_max = 4}; }

// The status of the refusal, 0 for an accepted head, -1 for one that is not complete.
int Verdict(HeadReader* reader, HeadReader::State state) {
  if (state == HeadReader::State::kNeedMore) return -1;
  return state == HeadReader::State::kDone ? 0 : reader->refusal().status;
}

int VerdictAtOnce(const std::string& bytes, const HeadLimits& limits) {
  HeadReader reader(limits);
  return Verdict(&reader, reader.Scan(bytes));
}

int VerdictByteByByte(const std::string& bytes, const HeadLimits& limits) {
  HeadReader reader(limits);
  for (size_t size = 0; size <= bytes.size(); ++size) {
    const HeadReader::State state = reader.Scan(absl::string_view(bytes).substr(0, size));
    if (state != HeadReader::State::kNeedMore) return Verdict(&reader, state);
  }
  return -1;
}

struct Row {
  const char* name;
  std::string bytes;
  int status;
};

// The rest of a head behind its request line, with Host.
std::string With(absl::string_view fields) { return absl::StrCat("POST / HTTP/1.1\r\nHost: x\r\n", fields, "\r\n"); }

const Row kRows[] = {
    {"Plain", "GET / HTTP/1.1\r\nHost: x\r\n\r\n", 0},
    {"OldVersionNeedsNoHost", "GET / HTTP/1.0\r\n\r\n", 0},
    {"OneBlankLineBefore", "\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", 0},
    {"TwoBlankLinesBefore", "\r\n\r\nGET / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"Incomplete", "GET / HTTP/1.1\r\nHost: x\r\n", -1},
    {"IncompleteInTheLastCrLf", "GET / HTTP/1.1\r\nHost: x\r\n\r", -1},
    {"AbsoluteForm", "GET HTTP://x/a?b HTTP/1.1\r\nHost: x\r\n\r\n", 0},
    {"AsteriskForOptions", "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n", 0},

    // The request line.
    {"BareLfAfterRequestLine", "GET / HTTP/1.1\nHost: x\r\n\r\n", 400},
    {"OnlyLf", "\n", 400},
    {"NoVersion", "GET /\r\n\r\n", 400},
    {"TwoBlanks", "GET  / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"BlankInTarget", "GET /a b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"TabAsBlank", "GET\t/ HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"BlankBehindVersion", "GET / HTTP/1.1 \r\nHost: x\r\n\r\n", 400},
    {"NulInTarget", "GET /a\0b HTTP/1.1\r\nHost: x\r\n\r\n"s, 400},
    {"CrInTarget", "GET /a\rb HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"HighByteInTarget", "GET /\xff HTTP/1.1\r\nHost: x\r\n\r\n", 0},
    {"Utf8InTarget", "GET /\xc3\xa4?a=\xe2\x82\xac HTTP/1.1\r\nHost: x\r\n\r\n", 0},
    {"DeleteInTarget", "GET /\x7f HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"Fragment", "GET /a#b HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"RelativeTarget", "GET a HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"AsteriskForGet", "GET * HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"LowerCaseMethod", "get / HTTP/1.1\r\nHost: x\r\n\r\n", 0},
    {"UnknownMethod", "BREW / HTTP/1.1\r\nHost: x\r\n\r\n", 0},
    {"Connect", "CONNECT x:1 HTTP/1.1\r\nHost: x\r\n\r\n", 501},
    {"MethodNoToken", "GE(T / HTTP/1.1\r\nHost: x\r\n\r\n", 400},
    {"Http2Preface", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", 505},
    {"Http12", "GET / HTTP/1.2\r\nHost: x\r\n\r\n", 505},
    {"VersionInLowerCase", "GET / http/1.1\r\nHost: x\r\n\r\n", 400},
    {"VersionWithZero", "GET / HTTP/1.01\r\nHost: x\r\n\r\n", 400},
    {"TlsHello", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\n"s, 400},

    // Lines and names.
    {"BareLfAfterField", "GET / HTTP/1.1\r\nHost: x\nA: b\r\n\r\n", 400},
    {"BareLfAtTheEnd", "GET / HTTP/1.1\r\nHost: x\r\n\n", 400},
    {"BareCrInValue", With("A: b\rContent-Length: 5\r\n"), 400},
    {"CrCrLf", With("A: b\r\r\n"), 400},
    {"NulInValue", With("A: b\0c\r\n"s), 400},
    {"ControlInValue", With("A: b\x01\r\n"), 400},
    {"DeleteInValue", With("A: b\x7f\r\n"), 400},
    {"HighByteInValue", With("A: \xc3\xa4\r\n"), 0},
    {"TabInValue", With("A: b\tc\r\n"), 0},
    {"EmptyValue", With("A:\r\n"), 0},
    {"FoldedByBlank", With("A: b\r\n c\r\n"), 400},
    {"FoldedByTab", With("A: b\r\n\tc\r\n"), 400},
    {"FirstFieldFolded", "GET / HTTP/1.1\r\n Host: x\r\n\r\n", 400},
    {"BlankBeforeColon", With("Content-Length : 5\r\n"), 400},
    {"TabBeforeColon", With("Content-Length\t: 5\r\n"), 400},
    {"EmptyName", With(": 5\r\n"), 400},
    {"NoColon", With("Content-Length\r\n"), 400},
    {"NulInName", With("A\0: 5\r\n"s), 400},
    {"HighByteInName", With("\xc3\xa4: 5\r\n"), 400},
    {"NameInBrackets", With("[A]: 5\r\n"), 400},

    // Host.
    {"NoHost", "GET / HTTP/1.1\r\n\r\n", 400},
    {"TwoHosts", "GET / HTTP/1.1\r\nHost: x\r\nhost: x\r\n\r\n", 400},
    {"HostWithPath", "GET / HTTP/1.1\r\nHost: x/y\r\n\r\n", 400},
    {"HostWithUser", "GET / HTTP/1.1\r\nHost: u@x\r\n\r\n", 400},
    {"HostWithBlank", "GET / HTTP/1.1\r\nHost: x y\r\n\r\n", 400},
    {"HostIpv6", "GET / HTTP/1.1\r\nHost: [::1]:8080\r\n\r\n", 0},

    // Where the body ends.
    {"Length", With("Content-Length: 5\r\n"), 0},
    {"LengthTwice", With("Content-Length: 5\r\nContent-Length: 6\r\n"), 400},
    {"LengthTwiceTheSame", With("Content-Length: 5\r\nContent-Length: 5\r\n"), 400},
    {"LengthList", With("Content-Length: 5, 5\r\n"), 400},
    {"LengthEmpty", With("Content-Length:\r\n"), 400},
    {"LengthPlus", With("Content-Length: +5\r\n"), 400},
    {"LengthMinus", With("Content-Length: -5\r\n"), 400},
    {"LengthHex", With("Content-Length: 0x5\r\n"), 400},
    {"LengthLetters", With("Content-Length: 5x\r\n"), 400},
    {"LengthWithBlank", With("Content-Length: 1 5\r\n"), 400},
    {"LengthOverflows", With("Content-Length: 18446744073709551616\r\n"), 400},
    {"Chunked", With("Transfer-Encoding: chunked\r\n"), 0},
    {"ChunkedInAnyCase", With("transfer-encoding: Chunked\r\n"), 0},
    {"ChunkedAndLength", With("Transfer-Encoding: chunked\r\nContent-Length: 5\r\n"), 400},
    {"LengthAndChunked", With("Content-Length: 5\r\nTransfer-Encoding: chunked\r\n"), 400},
    {"LengthZeroAndChunked", With("Content-Length: 0\r\nTransfer-Encoding: chunked\r\n"), 400},
    {"ChunkedTwice", With("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n"), 400},
    {"IdentityThenChunked", With("Transfer-Encoding: identity, chunked\r\n"), 501},
    {"ChunkedThenIdentity", With("Transfer-Encoding: chunked, identity\r\n"), 501},
    {"Gzip", With("Transfer-Encoding: gzip\r\n"), 501},
    {"CodingEmpty", With("Transfer-Encoding:\r\n"), 501},
    {"CodingQuoted", With("Transfer-Encoding: \"chunked\"\r\n"), 501},
    {"CodingWithVerticalTab",
     With("Transfer-Encoding: \x0b"
          "chunked\r\n"),
     400},
    {"ChunkedInOldVersion", "POST / HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"LengthOnGet", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", 400},
    {"LengthZeroOnGet", "GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\n\r\n", 0},
    {"ChunkedOnGet", "GET / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n", 400},
    {"LengthOnHead", "HEAD / HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\n", 400},
    {"OtherExpectation", With("Expect: a-miracle\r\n"), 417},

    // Limits: 64 bytes for the line, 256 for the head, 4 headers.
    {"LineJustFits", absl::StrCat("GET /", std::string(48, 'a'), " HTTP/1.1\r\nHost: x\r\n\r\n"), 0},
    {"LineTooLong", absl::StrCat("GET /", std::string(49, 'a'), " HTTP/1.1\r\nHost: x\r\n\r\n"), 414},
    {"LineWithoutEnd", std::string(65, 'a'), 414},
    {"LineTooLongAndBroken", "\0"s + std::string(64, 'a') + "\n", 414},
    {"FourHeaders", With("A: 1\r\nB: 2\r\nC: 3\r\n"), 0},
    {"FiveHeaders", With("A: 1\r\nB: 2\r\nC: 3\r\nD: 4\r\n"), 431},
    {"HeadTooBig", With(absl::StrCat("A: ", std::string(256, 'a'), "\r\n")), 431},
    {"FieldWithoutEnd", absl::StrCat("GET / HTTP/1.1\r\nA: ", std::string(256, 'a')), 431},
    {"HeadTooBigAndBroken", With(absl::StrCat("A\0: "s, std::string(256, 'a'), "\r\n")), 431},
};

TEST(HeadReaderTest, EveryFormHasItsVerdictHoweverItIsSplit) {
  const HeadLimits limits = SmallLimits();
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.name);
    EXPECT_EQ(VerdictAtOnce(row.bytes, limits), row.status);
    EXPECT_EQ(VerdictByteByByte(row.bytes, limits), row.status);
    if (row.status == -1) continue;
    EXPECT_EQ(VerdictAtOnce(row.bytes + "GET /next HTTP/1.1\r\n", limits), row.status);
  }
}

TEST(HeadReaderTest, TakesApartWhatItAccepts) {
  const HeadLimits limits;
  HeadReader reader(limits);
  const std::string bytes =
      "PATCH /a%2F?b HTTP/1.1\r\nHOST: x:80\r\nContent-Length:  12 \r\nX-Two:\t a b \t\r\nx-two: c\r\nExpect: "
      "100-Continue\r\n\r\nbody";
  ASSERT_EQ(reader.Scan(bytes), HeadReader::State::kDone);
  EXPECT_EQ(bytes.substr(reader.head_bytes()), "body");
  const Head head = reader.TakeHead();
  EXPECT_EQ(head.method, "PATCH");
  EXPECT_EQ(head.target, "/a%2F?b");
  EXPECT_EQ(head.content_length, 12u);
  EXPECT_TRUE(head.has_body());
  EXPECT_TRUE(head.expects_continue);
  EXPECT_THAT(head.headers, ElementsAre(Pair("host", "x:80"), Pair("content-length", "12"), Pair("x-two", "a b"),
                                        Pair("x-two", "c"), Pair("expect", "100-Continue")));
}

TEST(HeadReaderTest, ASkippedBlankLineCanBeTakenAtOnce) {
  // As long as a head may be; the blank line is no part of it.
  const std::string head = absl::StrCat("GET / HTTP/1.1\r\nHost: x\r\nA: ", std::string(224, 'a'), "\r\n\r\n");
  ASSERT_EQ(head.size(), SmallLimits().head_bytes_max);
  const HeadLimits limits = SmallLimits();
  EXPECT_EQ(VerdictAtOnce("\r\n" + head, limits), 0);
  EXPECT_EQ(VerdictByteByByte("\r\n" + head, limits), 0);
  HeadReader reader(limits);
  ASSERT_EQ(reader.Scan("\r\n"), HeadReader::State::kNeedMore);
  EXPECT_EQ(reader.TakeSkipped(), 2u);
  EXPECT_EQ(reader.TakeSkipped(), 0u);
  ASSERT_EQ(reader.Scan(head), HeadReader::State::kDone);
  EXPECT_EQ(reader.head_bytes(), head.size());
  // A second one is no better for having come later.
  HeadReader again(limits);
  ASSERT_EQ(again.Scan("\r\nGET"), HeadReader::State::kNeedMore);
  EXPECT_EQ(again.TakeSkipped(), 2u);
  ASSERT_EQ(again.Scan("GET / HTTP/1.1\r\n"), HeadReader::State::kNeedMore);
  EXPECT_EQ(again.TakeSkipped(), 0u);
  HeadReader twice(limits);
  ASSERT_EQ(twice.Scan("\r\n"), HeadReader::State::kNeedMore);
  EXPECT_EQ(twice.TakeSkipped(), 2u);
  EXPECT_EQ(twice.Scan("\r\n"), HeadReader::State::kRefused);
}

TEST(HeadReaderTest, ReadsOneHeadAfterTheOther) {
  const HeadLimits limits;
  HeadReader reader(limits);
  ASSERT_EQ(reader.Scan("POST /1 HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\nConnection: close\r\n\r\n"),
            HeadReader::State::kDone);
  EXPECT_FALSE(reader.TakeHead().keep_alive);
  ASSERT_EQ(reader.Scan("GET /2 HTTP/1.1\r\nHost: x\r\n\r\n"), HeadReader::State::kDone);
  const Head second = reader.TakeHead();
  EXPECT_TRUE(second.keep_alive);
  EXPECT_FALSE(second.has_body());
  EXPECT_EQ(second.headers.size(), 1u);
}

TEST(HeadReaderTest, ConnectionOptionsDecideWhatBecomesOfTheConnection) {
  struct Row {
    const char* request;
    bool keep_alive;
  };
  const Row kRows[] = {
      {"GET / HTTP/1.1\r\nHost: x\r\n\r\n", true},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: CLOSE\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: te ,  close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: keep-alive\r\nConnection: close\r\n\r\n", false},
      {"GET / HTTP/1.1\r\nHost: x\r\nConnection: closed\r\n\r\n", true},
      {"GET / HTTP/1.0\r\n\r\n", false},
      {"GET / HTTP/1.0\r\nConnection: Keep-Alive\r\n\r\n", true},
  };
  const HeadLimits limits;
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.request);
    HeadReader reader(limits);
    ASSERT_EQ(reader.Scan(row.request), HeadReader::State::kDone);
    EXPECT_EQ(reader.TakeHead().keep_alive, row.keep_alive);
  }
}

}  // namespace
}  // namespace tidemark::net
