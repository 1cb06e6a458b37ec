#include "crd/json_path.h"

#include <gtest/gtest.h>

namespace tidemark::crd {
namespace {

constexpr char kObject[] = R"({"spec":{"a":1,"b.c":2,"list":[10,20,30],"none":null,"t":"x","f":2.5},
    "status":{"conditions":[{"type":"Synced","status":"False"},{"type":"Ready","status":"True","n":3}]}})";

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
      {"range", "bad path"},
  };
  for (const auto& row : rows) {
    EXPECT_EQ(FirstOf(row.path), row.found) << row.path;
  }
}

TEST(JsonPathTest, NestingHasALimit) {
  std::string path = ".a";
  for (int i = 0; i < 100; ++i) path = "[?(@" + path + ")]";
  EXPECT_FALSE(JsonPath::Parse(path).ok());
}

}  // namespace
}  // namespace tidemark::crd
