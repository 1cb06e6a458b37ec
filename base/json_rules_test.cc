#include "base/json_rules.h"

#include "gtest/gtest.h"

namespace tidemark {
namespace {

constexpr JsonRule kInner[] = {{"X", "x", "0"}, {"Y", "y"}};
constexpr JsonRule kRules[] = {{"zero", "a", "null"},
                               {"pointer", "b"},
                               {"text", "c", kOmitEmpty},
                               {"below", "d.e", "{}"},
                               {"object", "f", kOmitAbsent, kInner},
                               {"list", "g", "null", kInner}};

std::string Made(absl::string_view source) {
  std::string json;
  AppendValueByRules(kRules, source, &json);
  return json;
}

TEST(JsonRulesTest, FieldsInTheOrderOfTheRules) {
  EXPECT_EQ(Made(R"({"g":[{"y":1,"x":2},{}],"f":{"x":3},"d":{"e":[4]},"c":"t","b":5,"a":"<"})"),
            R"({"zero":"<","pointer":5,"text":"t","below":[4],"object":{"X":3},"list":[{"X":2,"Y":1},{"X":0}]})");
}

TEST(JsonRulesTest, WhatIsNotThere) {
  EXPECT_EQ(Made("{}"), R"({"zero":null,"below":{},"list":null})");
  EXPECT_EQ(Made(R"({"a":null,"b":null,"c":null,"d":null,"f":null,"g":null})"),
            R"({"zero":null,"below":{},"list":null})");
  EXPECT_EQ(Made(R"({"b":0,"c":0,"f":{},"g":[]})"),
            R"({"zero":null,"pointer":0,"below":{},"object":{"X":0},"list":[]})");
  EXPECT_EQ(Made(R"({"b":"","c":""})"), R"({"zero":null,"pointer":"","below":{},"list":null})");
  EXPECT_EQ(Made("null"), "null");
}

TEST(JsonRulesTest, CommasGoOnWhereAnObjectBegan) {
  std::string json = R"({"first":1)";
  AppendByRules(kInner, R"({"y":2})", &json);
  EXPECT_EQ(json, R"({"first":1,"X":0,"Y":2)");
}

}  // namespace
}  // namespace tidemark
