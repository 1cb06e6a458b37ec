#include "http/table_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "base/human_duration.h"

namespace tidemark::http {
namespace {

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
    EXPECT_EQ(read(std::string(R"({"t":)") + none + "}"), kGoZeroTime) << none;
  }
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
