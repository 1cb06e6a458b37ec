#include "http/go_json.h"

#include <gtest/gtest.h>

#include <string>

namespace tidemark::http {
namespace {

TEST(GoJsonTest, ReadsMembersInOrder) {
  const auto object =
      ReadGoJsonObject(R"( {"a":"x\u0000\n\ud83d\ude00","n":-1.5e+3,"o":{"deep":[1,{}]},"t":true,"z":null,"a":"y"} )");
  ASSERT_TRUE(object.ok()) << object.status();
  ASSERT_EQ(object->members.size(), 6u);
  EXPECT_EQ(object->members[0].value.text, std::string("x\0\n\xF0\x9F\x98\x80", 7));
  EXPECT_EQ(object->members[1].value.text, "-1.5e+3");
  EXPECT_EQ(object->members[2].value.TypeName(), "object");
  EXPECT_EQ(object->members[3].value.TypeName(), "bool");
  EXPECT_EQ(object->members[5].value.text, "y");
}

TEST(GoJsonTest, RefusesInGosWords) {
  struct Row {
    std::string text;
    std::string message;
  };
  const Row rows[] = {
      {"", "unexpected end of JSON input"},
      {"{", "unexpected end of JSON input"},
      {"\"ab", "unexpected end of JSON input"},
      {"i", "invalid character 'i' looking for beginning of value"},
      {"\xAE", "invalid character '\xC2\xAE' looking for beginning of value"},
      {"{}x", "invalid character 'x' after top-level value"},
      {"01", "invalid character '1' after top-level value"},
      {"{a", "invalid character 'a' looking for beginning of object key string"},
      {"{\"a\" 1}", "invalid character '1' after object key"},
      {"{\"a\":1 \"b\"}", "invalid character '\"' after object key:value pair"},
      {"{\"a\":1,}", "invalid character '}' looking for beginning of object key string"},
      {"[1 2]", "invalid character '2' after array element"},
      {"[1,]", "invalid character ']' looking for beginning of value"},
      {"-x", "invalid character 'x' in numeric literal"},
      {"1.x", "invalid character 'x' after decimal point in numeric literal"},
      {"1ex", "invalid character 'x' in exponent of numeric literal"},
      {"trux", "invalid character 'x' in literal true (expecting 'e')"},
      {"\"\n\"", "invalid character '\\n' in string literal"},
      {"\"\\x\"", "invalid character 'x' in string escape code"},
      {"\"\\u12g\"", "invalid character 'g' in \\u hexadecimal character escape"},
  };
  for (const Row& row : rows) EXPECT_EQ(ReadGoJsonObject(row.text).status().message(), row.message) << row.text;
}

TEST(GoJsonTest, DeepNestingIsAnErrorAndNoOverflow) {
  EXPECT_EQ(ReadGoJsonObject(std::string(100000, '[')).status().message(), "exceeded max depth");
}

}  // namespace
}  // namespace tidemark::http
