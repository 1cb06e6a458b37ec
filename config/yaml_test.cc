#include "config/yaml.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

using testing::HasSubstr;

// The JSON of the single document, or the error's text.
std::string One(const std::string& yaml) {
  const auto documents = YamlToJson(yaml);
  if (!documents.ok()) return std::string(documents.status().message());
  return documents->size() == 1 ? (*documents)[0] : std::to_string(documents->size()) + " documents";
}

TEST(YamlToJsonTest, ScalarsAsKubectlReadsThem) {
  struct Row {
    const char* yaml;
    const char* json;
  };
  const Row rows[] = {
      {"a: 1", R"({"a":1})"},
      {"a: -1.5e3", R"({"a":-1.5e3})"},
      {"a: '1'", R"({"a":"1"})"},
      {"a: \"yes\"", R"({"a":"yes"})"},
      {"a: yes", R"({"a":true})"},
      {"a: Off", R"({"a":false})"},
      {"a: ~", R"({"a":null})"},
      {"a:", R"({"a":null})"},
      {"a: ''", R"({"a":""})"},
      {"a: 0644", R"({"a":420})"},
      {"a: 0x1f", R"({"a":31})"},
      {"a: 0o17", R"({"a":15})"},
      {"a: n", R"({"a":"n"})"},
      {"a: 089", R"({"a":"089"})"},
      {"a: 100m", R"({"a":"100m"})"},
      {"a: 1.2.3", R"({"a":"1.2.3"})"},
      {"a: +5", R"({"a":5})"},
      {"a: !!str 5", R"({"a":"5"})"},
      {"a: 2026-01-01T00:00:00Z", R"({"a":"2026-01-01T00:00:00Z"})"},
      {"a: .5", R"({"a":".5"})"},
      {"a: 1.", R"({"a":"1."})"},
      {"a: |\n  x\n  y\n", R"({"a":"x\u000ay\u000a"})"},
  };
  for (const Row& row : rows) EXPECT_EQ(One(row.yaml), row.json) << row.yaml;
}

TEST(YamlToJsonTest, KeepsOrderAndNesting) {
  EXPECT_EQ(One("z: [1, {b: x}]\na:\n  c: \"q\\\"\"\n"), R"({"z":[1,{"b":"x"}],"a":{"c":"q\""}})");
}

TEST(YamlToJsonTest, JsonIsYaml) {
  EXPECT_EQ(One(R"({"a": [true, null, "\u00e9"]})"), "{\"a\":[true,null,\"\xc3\xa9\"]}");
}

TEST(YamlToJsonTest, MergesGiveWhatAMapHasNot) {
  struct Row {
    const char* yaml;
    const char* json;
  };
  const Row rows[] = {
      {"[&x {a: 1, b: 2}, {<<: *x}]", R"([{"a":1,"b":2},{"a":1,"b":2}])"},
      {"[&x {a: 1, b: 2}, {<<: *x, b: 3}]", R"([{"a":1,"b":2},{"b":3,"a":1}])"},
      {"[&x {a: 1}, &y {a: 2, b: 2}, {<<: [*x, *y]}]", R"([{"a":1},{"a":2,"b":2},{"a":1,"b":2}])"},
      {"[&x {a: 1, b: 1}, &y {<<: *x, b: 2}, {<<: *y, c: 3}]", R"([{"a":1,"b":1},{"b":2,"a":1},{"c":3,"b":2,"a":1}])"},
      {"{'<<': 1, a: 2}", R"({"<<":1,"a":2})"},
      {"{<<: 1}", "\"<<\" wants a map, or a list of maps"},
      {"{<<: [1]}", "\"<<\" wants a map, or a list of maps"},
      {"&x {<<: *x}", "more than 100 levels"},
  };
  for (const Row& row : rows) EXPECT_EQ(One(row.yaml), row.json) << row.yaml;
}

TEST(YamlToJsonTest, AliasesOfAliasesHaveALimit) {
  std::string values = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  std::string merges = "a0: &a0 {x: 1}\n";
  for (int i = 1; i <= 12; ++i) {
    const std::string before = "*a" + std::to_string(i - 1), name = "a" + std::to_string(i);
    std::string ten = before;
    for (int j = 1; j < 10; ++j) ten += ", " + before;
    values += name + ": &" + name + " [" + ten + "]\n";
    merges += name + ": &" + name + " {<<: [" + ten + "]}\n";
  }
  EXPECT_THAT(One(values), HasSubstr("aliases make more than 1048576 bytes"));
  EXPECT_THAT(One(merges), HasSubstr("aliases make more than 1048576 bytes"));
}

TEST(YamlToJsonTest, DocumentsWithoutContentAreLeftOut) {
  const auto documents = YamlToJson("---\na: 1\n---\n---\n# nothing\n---\nb: 2\n");
  ASSERT_TRUE(documents.ok());
  EXPECT_EQ(*documents, (std::vector<std::string>{R"({"a":1})", R"({"b":2})"}));
}

TEST(YamlToJsonTest, MistakesNameTheLine) {
  EXPECT_THAT(One("a: 1\nb: [\n"), HasSubstr("line "));
  EXPECT_THAT(One("? [a]\n: 1\n"), HasSubstr("a key is not text"));
  EXPECT_THAT(One("a: " + std::string(101, '[') + std::string(101, ']')), HasSubstr("more than 100 levels"));
}

TEST(ParseSettingsTest, ValuesStayAsWritten) {
  const auto settings = ParseSettings("a: 007\nb: [x, 1]\nc:\n");
  ASSERT_TRUE(settings.ok());
  EXPECT_EQ(settings->at("a"), std::vector<std::string>{"007"});
  EXPECT_EQ(settings->at("b"), (std::vector<std::string>{"x", "1"}));
  EXPECT_TRUE(settings->at("c").empty());
}

}  // namespace
}  // namespace tidemark::config
