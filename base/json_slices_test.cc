#include "base/json_slices.h"

#include <string>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tidemark {
namespace {

std::string Listed(absl::string_view object) {
  std::string out;
  for (const JsonField& field : JsonFields(object)) absl::StrAppend(&out, field.name, "=", field.value, ";");
  return out;
}

std::string ListedElements(absl::string_view array) {
  std::string out;
  for (const absl::string_view element : JsonElements(array)) absl::StrAppend(&out, element, ";");
  return out;
}

TEST(JsonSlicesTest, FieldsOfAnObject) {
  EXPECT_EQ(Listed(R"({"a":1,"b":{"c":[1,2],"d":"}"},"e":"x\",\"y","f":[]})"),
            R"(a=1;b={"c":[1,2],"d":"}"};e="x\",\"y";f=[];)");
  EXPECT_EQ(Listed("{}"), "");
  EXPECT_EQ(Listed(" { \"a\" : 1 ,\n\"b\": [ 1, 2 ] } "), "a=1;b=[ 1, 2 ];");
  EXPECT_EQ(Listed(R"({"a\"b":null})"), R"(a\"b=null;)");
}

TEST(JsonSlicesTest, ElementsOfAnArray) {
  EXPECT_EQ(ListedElements(R"([1,"a,]",{"b":[2]},[3,4]])"), R"(1;"a,]";{"b":[2]};[3,4];)");
  EXPECT_EQ(ListedElements("[]"), "");
  EXPECT_EQ(ListedElements("[ ]"), "");
  EXPECT_EQ(ListedElements(" [ 1 , 2 ]"), "1;2;");
}

TEST(JsonSlicesTest, WhatIsSomethingElseIsEmpty) {
  for (const absl::string_view text : {"", "null", "7", "\"a\"", "[1]"}) EXPECT_EQ(Listed(text), "") << text;
  for (const absl::string_view text : {"", "null", "7", "\"a\"", "{\"a\":1}"})
    EXPECT_EQ(ListedElements(text), "") << text;
}

TEST(JsonSlicesTest, FindGoesDown) {
  constexpr absl::string_view kObject = R"({"a":{"b":{"c":3}},"d":[1],"e":1,"e":2})";
  EXPECT_EQ(FindJson(kObject, "a.b.c"), "3");
  EXPECT_EQ(FindJson(kObject, "a.b"), R"({"c":3})");
  EXPECT_EQ(FindJson(kObject, "e"), "2");
  EXPECT_EQ(FindJson(kObject, ""), kObject);
  for (const absl::string_view path : {"x", "a.x", "a.x.c", "d.b", "e.b", "a.b.c.d"}) {
    EXPECT_EQ(FindJson(kObject, path), "") << path;
  }
}

TEST(JsonSlicesTest, NothingOutsideOfBrokenText) {
  constexpr absl::string_view kText = R"({"a":{"b":"c\"d"},"e":[1,{"f":"\\"}],"g":null})";
  for (size_t length = 0; length <= kText.size(); ++length) {
    const std::string cut(kText.substr(0, length));  // a buffer of its own: a checker sees what is read behind it
    for (const JsonField& field : JsonFields(cut)) {
      EXPECT_GE(field.value.data(), cut.data());
      EXPECT_LE(field.value.data() + field.value.size(), cut.data() + cut.size());
    }
    FindJson(cut, "a.b");
    JsonElements(FindJson(cut, "e"));
  }
  EXPECT_EQ(Listed("{\"a\":\"b\\"), "a=\"b\\;");
}

}  // namespace
}  // namespace tidemark
