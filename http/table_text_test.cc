#include "http/table_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tidemark::http {
namespace {

constexpr absl::Duration kDay = absl::Hours(24);
constexpr absl::Duration kYear = absl::Hours(24 * 365);

struct DurationRow {
  absl::Duration duration;
  std::string text;
};

const DurationRow kDurations[] = {
    {absl::Seconds(-2), "<invalid>"},
    {absl::Milliseconds(-1999), "0s"},
    {absl::ZeroDuration(), "0s"},
    {absl::Milliseconds(1999), "1s"},
    {absl::Seconds(119), "119s"},
    {absl::Minutes(2), "2m"},
    {absl::Seconds(125), "2m5s"},
    {absl::Seconds(599), "9m59s"},
    {absl::Seconds(659), "10m"},
    {absl::Minutes(179), "179m"},
    {absl::Hours(3), "3h"},
    {absl::Minutes(479), "7h59m"},
    {absl::Minutes(539), "8h"},
    {absl::Hours(47), "47h"},
    {2 * kDay, "2d"},
    {2 * kDay + absl::Hours(3), "2d3h"},
    {8 * kDay - absl::Hours(1), "7d23h"},
    {8 * kDay + absl::Hours(5), "8d"},
    {2 * kYear - absl::Seconds(1), "729d"},
    {2 * kYear, "2y"},
    {2 * kYear + 10 * kDay, "2y10d"},
    {8 * kYear - kDay, "7y364d"},
    {8 * kYear + 200 * kDay, "8y"},
    {1000 * kYear, "292y"},
    {absl::InfiniteDuration(), "292y"},
    {-absl::InfiniteDuration(), "<invalid>"},
};

TEST(TableTextTest, Durations) {
  for (const DurationRow& row : kDurations) EXPECT_EQ(HumanDuration(row.duration), row.text) << row.duration;
}

TEST(TableTextTest, Times) {
  const auto read = [](const std::string& json) {
    JsonDocument document;
    document.Parse(json);
    return ReadTime(document.root().Field("t"));
  };
  EXPECT_EQ(read(R"({"t":"1970-01-01T00:01:00Z"})"), absl::FromUnixSeconds(60));
  EXPECT_EQ(read(R"({"t":"2024-02-29T23:59:59Z"})"), absl::FromUnixSeconds(1709251199));
  EXPECT_EQ(read(R"({"t":"1970-01-01T00:01:00.250000Z"})"), absl::FromUnixMillis(60250));
  EXPECT_EQ(read(R"({"t":"1970-01-01T01:01:00+01:00"})"), absl::FromUnixSeconds(60));
  for (const char* none :
       {"null", "60", R"("")", R"("infinite-future")", R"("1970-01-01")", R"("0001-01-01T00:00:00Z")",
        R"("2026-02-30T00:00:00Z")", R"("2026-01-01T24:00:00Z")", R"("2026-01-0xT00:00:00Z")"}) {
    EXPECT_EQ(read(std::string(R"({"t":)") + none + "}"), kZeroTime) << none;
  }
  EXPECT_EQ(TimeSince(kZeroTime, absl::UnixEpoch()), "<unknown>");
  EXPECT_EQ(TimeSince(absl::UnixEpoch(), absl::FromUnixSeconds(7)), "7s");
}

struct SelectorRow {
  std::string selector;
  std::string text;
};

const SelectorRow kSelectors[] = {
    {"null", "<none>"},
    {"{}", "<none>"},
    {R"({"matchLabels":{"b":"2","a":""}})", "a=,b=2"},
    {R"({"matchLabels":{"m":"1"},"matchExpressions":[{"key":"z","operator":"Exists"},{"key":"a","operator":"DoesNotExist"}]})",
     "!a,m=1,z"},
    {R"({"matchExpressions":[{"key":"k","operator":"In","values":["b","a"]}]})", "k in (a,b)"},
    {R"({"matchExpressions":[{"key":"k","operator":"NotIn","values":["a"]}]})", "k notin (a)"},
    {R"({"matchLabels":{"k":"1"},"matchExpressions":[{"key":"k","operator":"Exists"}]})", "k=1,k"},
    {R"({"matchExpressions":[{"key":"k","operator":"In"}]})", "<error>"},
    {R"({"matchExpressions":[{"key":"k","operator":"Exists","values":["a"]}]})", "<error>"},
    {R"({"matchExpressions":[{"key":"k","operator":"Gt","values":["1"]}]})", "<error>"},
    {R"({"matchExpressions":[{"operator":"Exists"}]})", "<error>"},
    {R"({"matchLabels":{"not a key":"1"}})", "<error>"},
    {R"({"matchLabels":{"k":"not a value"}})", "<error>"},
};

TEST(TableTextTest, Selectors) {
  for (const SelectorRow& row : kSelectors) {
    JsonDocument document;
    document.Parse(row.selector);
    EXPECT_EQ(SelectorCell(document.root()), row.text) << row.selector;
  }
}

TEST(TableTextTest, ListsAreShortened) {
  EXPECT_EQ(ListWithMore({}), "");
  EXPECT_EQ(ListWithMore(std::vector<std::string>{"a", "b", "c"}), "a,b,c");
  EXPECT_EQ(ListWithMore(std::vector<std::string>{"a", "b", "c", "d", "e"}), "a,b,c + 2 more...");
}

TEST(TableTextTest, SpaceAsGoKnowsIt) {
  EXPECT_EQ(TrimGoSpace(""), "");
  EXPECT_EQ(TrimGoSpace(" \t\r\n\v\f"), "");
  EXPECT_EQ(TrimGoSpace("\xC2\xA0 a  b\xE3\x80\x80\xC2\x85"), "a  b");
  EXPECT_EQ(TrimGoSpace("\xE2\x80\x8B"
                        "a"),
            "\xE2\x80\x8B"
            "a");  // of no width, and no space
  EXPECT_EQ(TrimGoSpace("a\xFF "), "a\xFF");
}

}  // namespace
}  // namespace tidemark::http
