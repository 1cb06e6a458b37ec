#include "proto/raw_json.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark::proto {
namespace {

TEST(RawJsonTest, IsCompactedAndEscapedAsGoDoes) {
  struct Row {
    const char* text;
    const char* json;
  };
  const Row rows[] = {{"{}", "{}"},
                      {" { \"a\" : [ 1 , 2 ] } ", R"({"a":[1,2]})"},
                      {R"("a <b> & c")", R"("a \u003cb\u003e \u0026 c")"},
                      {"\"\xE2\x80\xA8\xE2\x80\xA9\xE2\x82\xAC\"", "\"\\u2028\\u2029\xE2\x82\xAC\""},
                      {"7", "7"},
                      {"null", "null"},
                      {R"({"f:a b":{".":{}}})", R"({"f:a b":{".":{}}})"},
                      {" [ ] ", "[]"},
                      {R"( { "a" : { } , "b" : [ { } , -1.5e+3 , true ] } )", R"({"a":{},"b":[{},-1.5e+3,true]})"},
                      {R"("\u00e4\"\\\/\b\f\n\r\t")", R"("\u00e4\"\\\/\b\f\n\r\t")"},
                      // Go takes these, and so kube-apiserver stores them.
                      {R"("\ud800")", R"("\ud800")"},
                      {"\"\xff\x7f\"", "\"\xff\x7f\""}};
  RawJson raw;
  for (const Row& row : rows) {
    std::string json = "x";
    EXPECT_TRUE(raw.Append(row.text, &json).ok()) << row.text;
    EXPECT_EQ(json, std::string("x") + row.json);
  }
}

TEST(RawJsonTest, WhatIsNoJsonIsAnError) {
  RawJson raw;
  for (const char* const text :
       {"",    " ",    "{",       "1,2",         "1],[2",       "{\"a\":}",      "nul",       "{}{}",
        "[1}", "\"a",  "01",      "k8s",         "{\"a\":1 2}", "{\"a\":tr ue}", "- 1",       "]",
        "}",   "[}",   "{]",      "[1,]",        "{\"a\":1,}",  "{1:2}",         "{\"a\" 1}", ",",
        ":",   "[,1]", R"("\x")", R"("\u12g4")", R"("\u123)",   "\"a\nb\"",      "\"\\",      "1e",
        ".5",  "+1",   "nullx",   "\"a\"b"}) {
    std::string json;
    EXPECT_FALSE(raw.Append(text, &json).ok()) << text << " became " << json;
  }
}

TEST(RawJsonTest, DepthHasGosLimit) {
  RawJson raw;
  const auto nested = [](size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
  std::string json;
  EXPECT_TRUE(raw.Append(nested(kRawJsonDepthMax), &json).ok());
  EXPECT_EQ(json, nested(kRawJsonDepthMax));
  EXPECT_FALSE(raw.Append(nested(kRawJsonDepthMax + 1), &json).ok());
  EXPECT_EQ(json, nested(kRawJsonDepthMax));
}

TEST(RawJsonTest, AFieldThatIsMissingIsNull) {
  RawJson raw;
  std::string json;
  EXPECT_TRUE(raw.AppendField("", &json).ok());
  EXPECT_TRUE(raw.AppendField("\x0a\x03[1]", &json).ok());
  EXPECT_TRUE(raw.AppendField(std::string("\x0a\0", 2), &json).ok());
  EXPECT_EQ(json, "null[1]null");
  EXPECT_FALSE(raw.AppendField("\x08\x01", &json).ok());
  EXPECT_FALSE(raw.AppendField("\x0a\x04[1]", &json).ok());
}

}  // namespace
}  // namespace tidemark::proto
