#include "crd/json_path.h"

#include <gtest/gtest.h>

namespace tidemark::crd {
namespace {

constexpr char kObject[] = R"({"spec":{"a":1,"b.c":2,"list":[10,20,30],"none":null,"t":"x","f":2.5},
    "status":{"conditions":[{"type":"Synced","status":"False"},{"type":"Ready","status":"True","n":3}]},
    "lists":[{"of":[]},{"of":[1]}]})";

std::string FirstOf(const char* text) {
  const Json object = *ParseJson(kObject);
  const absl::StatusOr<JsonPath> path = JsonPath::Parse(text);
  if (!path.ok()) return "bad path";
  const Json* const found = path->First(object);
  return found == nullptr ? "nothing" : GoJson(*found);
}

TEST(JsonPathTest, FindsTheFirst) {
  const struct {
    const char* path;
    const char* found;
  } rows[] = {
      {".spec.a", "1"},
      {"$.spec.a", "1"},
      {".spec.b\\.c", "2"},
      {".spec['a']", "1"},
      {".spec.missing", "nothing"},
      {".spec.a.b", "nothing"},
      {".spec.none", "null"},
      {".spec.none.x", "nothing"},
      {".spec.list[0]", "10"},
      {".spec.list[-1]", "30"},
      {".spec.list[1:]", "20"},
      {".spec.list[-2:]", "20"},
      {".spec.list[*]", "10"},
      {".spec.list[3]", "nothing"},
      {".spec.list[1:2:2147483647]", "20"},
      {".spec.list[1:2:2147483647].x", "nothing"},
      {".spec.list[2147483647]", "nothing"},
      {".spec.list[-2147483648:2147483647:-2147483648]", "nothing"},
      {".spec.list[2,0]", "30"},
      {".spec.a[0]", "nothing"},
      {".status.conditions[?(@.type==\"Ready\")].status", "\"True\""},
      {".status.conditions[?(@.type=='Ready')].status", "\"True\""},
      {".status.conditions[?(@.type!=\"Synced\")].status", "\"True\""},
      {".status.conditions[?(@.n)].type", "\"Ready\""},
      {".status.conditions[?(@.n>2)].type", "\"Ready\""},
      {".status.conditions[?(@.n>3)].type", "nothing"},
      {".status.conditions[?(@.type>3)].type", "nothing"},
      {".status.conditions[?(@.type==\"Gone\")].status", "nothing"},
      {".spec[?(@.a)]", "nothing"},
      {"..type", "\"Synced\""},
      {".spec.*", "1"},
      {".spec.list[x]", "bad path"},
      {".spec.list[0", "bad path"},
      {".spec[?(@.a", "bad path"},
      {".spec....a", "bad path"},
      {"?", "bad path"},
      {"range", "nothing"},
      {".spec[?(@.a==x)]", "nothing"},
      {".status.conditions[?(@.type==Ready)].status", "nothing"},
      {".status.conditions[?(@.type==\"\\x52eady\")].status", "\"True\""},
      {".status.conditions[?(@.type==\"\\Ready\")].status", "bad path"},
      // A filter that only asks counts what a step that cannot be applied leaves.
      {".spec.list[?(@[0])]", "10"},
      {".status.conditions[?(@.type[0])].type", "\"Synced\""},
      {".status.conditions[?(@.missing[0])].type", "nothing"},
      // The first empty list ends the search.
      {".lists[*].of[*]", "nothing"},
      {".lists[1:].of[*]", "1"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(FirstOf(row.path), row.found) << row.path;
  }
}

TEST(JsonPathTest, WhatOneStepFindsHasALimit) {
  const Json object = *ParseJson(R"({"a":[[[[[["x"]]]]]]})");
  std::string all;
  for (int i = 0; i < 10; ++i) all += i == 0 ? "[0" : ",0";
  all += "]";
  const auto found = [&](int unions) {
    std::string path = ".a";
    for (int i = 0; i < unions; ++i) path += all;
    return JsonPath::Parse(path)->First(object);
  };
  static_assert(kFoundMax == 10'000);
  EXPECT_NE(found(4), nullptr);
  EXPECT_EQ(found(5), nullptr);

  Json list = Json::array();
  for (size_t i = 0; i < kFoundMax; ++i) list.push_back(i);
  const JsonPath every = *JsonPath::Parse("[*]");
  EXPECT_NE(every.First(list), nullptr);
  list.push_back(0);
  EXPECT_EQ(every.First(list), nullptr);
}

TEST(JsonPathTest, ASearchLooksAtNoMoreThanItsLimit) {
  // Every step finds few, and walks the same long array once for each time that it was named.
  constexpr size_t kElements = 4000;
  static_assert(100 * 4 * kElements < kLooksMax && 1000 * kElements > kLooksMax && 2 * 1000 <= kFoundMax);
  Json list = Json::array();
  for (size_t i = 1; i < kElements; ++i) list.push_back(i);
  list.push_back({{"x", 1}});
  for (const char* tail : {"[?(@.x)]", "[?(@..x)]", "..x"}) {
    const auto found = [&](int unions) {
      Json object = list;
      std::string path;
      for (int i = 0; i < unions; ++i) {
        object = Json::array({object});
        path += "[0,0,0,0,0,0,0,0,0,0]";
      }
      return JsonPath::Parse(path + tail)->First(object) != nullptr;
    };
    EXPECT_TRUE(found(2)) << tail;
    EXPECT_FALSE(found(3)) << tail;
  }
}

TEST(JsonPathTest, ANumberBeyondADoubleIsNoPath) {
  const std::string digits(308, '9');
  EXPECT_TRUE(JsonPath::Parse(digits).ok());
  EXPECT_FALSE(JsonPath::Parse(digits + "9").ok());
  EXPECT_FALSE(JsonPath::Parse("[?(@.a==-" + digits + "9)]").ok());
}

TEST(JsonPathTest, NestingHasALimit) {
  std::string path = ".a";
  for (int i = 0; i < 100; ++i) path = "[?(@" + path + ")]";
  EXPECT_FALSE(JsonPath::Parse(path).ok());
}

}  // namespace
}  // namespace tidemark::crd
