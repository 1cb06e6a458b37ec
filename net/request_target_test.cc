#include "net/request_target.h"

#include <string>

#include "absl/strings/str_join.h"
#include "gtest/gtest.h"

namespace tidemark::net {
namespace {

TEST(RequestTargetTest, SplitsEveryForm) {
  struct Row {
    const char* target;
    const char* path;
    const char* query;  // name=value, joined by '|'
  };
  const Row kRows[] = {
      {"/", "/", ""},
      {"/api/v1/pods", "/api/v1/pods", ""},
      {"/a%2Fb%20", "/a%2Fb%20", ""},
      {"/p?", "/p", ""},
      {"/p?a=1&a=2&b", "/p", "a=1|a=2|b="},
      {"/p?labelSelector=tier+in+%28a%2Cb%29%21", "/p", "labelSelector=tier in (a,b)!"},
      {"/p?a=b=c&=d&&", "/p", "a=b=c|=d"},
      {"/p?a=%4&b=%zz&c=%&d=1", "/p", "d=1"},
      {"/p?a%3D=%26", "/p", "a==&"},
      {"/p?a=1;b=2&c=3", "/p", "c=3"},
      {"/p?a=%00%ff", "/p", nullptr},
      {"http://host/p?a=1", "/p", "a=1"},
      {"HTTPS://host:1", "/", ""},
      {"http://host?a=1", "/", "a=1"},
      {"*", "*", ""},
  };
  for (const Row& row : kRows) {
    SCOPED_TRACE(row.target);
    Request request;
    SplitTarget(row.target, &request);
    EXPECT_EQ(request.path, row.path);
    const std::string query = absl::StrJoin(request.query, "|", absl::PairFormatter("="));
    EXPECT_EQ(query, row.query == nullptr ? std::string("a=\0\xff", 4) : row.query);
  }
}

TEST(RequestTargetTest, TheTargetIsThatOfTheOriginForm) {
  Request request;
  SplitTarget("http://host?a=1", &request);
  EXPECT_EQ(request.target, "/?a=1");
  SplitTarget("/p?a=%20", &request);
  EXPECT_EQ(request.target, "/p?a=%20");
}

TEST(RequestTargetTest, DecodesPercentWithAndWithoutPlus) {
  std::string text;
  EXPECT_TRUE(DecodePercent("a+b%2b%2B", PercentForm::kQuery, &text));
  EXPECT_EQ(text, "a b++");
  EXPECT_TRUE(DecodePercent("a+b%2Fc", PercentForm::kPath, &text));
  EXPECT_EQ(text, "a+b/c");
  EXPECT_FALSE(DecodePercent("%2", PercentForm::kPath, &text));
  EXPECT_FALSE(DecodePercent("%", PercentForm::kPath, &text));
  EXPECT_FALSE(DecodePercent("%g0", PercentForm::kPath, &text));
}

}  // namespace
}  // namespace tidemark::net
