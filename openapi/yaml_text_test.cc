#include "openapi/yaml_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "config/yaml.h"

namespace tidemark::openapi {
namespace {

using crd::Json;
using ::testing::HasSubstr;

std::string YamlOf(const Json& value) {
  std::string yaml;
  const absl::Status status = AppendYaml(value, &yaml);
  EXPECT_TRUE(status.ok()) << status;
  return yaml;
}

TEST(YamlTextTest, BytesAreKubeApiservers) {
  const struct {
    const char* json;
    const char* yaml;
  } rows[] = {
      {R"("atomic")", "atomic\n"},
      {R"("merge,retainKeys")", "merge,retainKeys\n"},
      {R"("server auth")", "server auth\n"},
      {R"("SIGRTMIN+1")", "SIGRTMIN+1\n"},
      {R"("")", "\"\"\n"},
      {R"("1")", "\"1\"\n"},
      {R"("true")", "\"true\"\n"},
      {"true", "true\n"},
      {"null", "null\n"},
      {"-1.5", "-1.5\n"},
      {"[]", "[]\n"},
      {"{}", "{}\n"},
      {R"(["type"])", "- type\n"},
      {R"({"group":"","kind":"Pod","version":"v1"})", "group: \"\"\nkind: Pod\nversion: v1\n"},
      {R"([{"group":"","kind":"A"},{"group":"b"}])", "- group: \"\"\n  kind: A\n- group: b\n"},
      {R"([{"discriminator":"type","fields":{"a":"A","b":"B"}}])",
       "- discriminator: type\n  fields:\n    a: A\n    b: B\n"},
      {R"({"a":{"b":{"c":1}},"d":["e",["f","g"]]})", "a:\n    b:\n        c: 1\nd:\n    - e\n    - - f\n      - g\n"},
      {R"([[{"a":{"b":1},"c":[[]]}]])", "- - a:\n        b: 1\n    c:\n        - []\n"},
  };
  for (const auto& row : rows) EXPECT_EQ(YamlOf(*crd::ParseJson(row.json)), row.yaml) << row.json;
}

TEST(YamlTextTest, TextComesBackAsText) {
  const char* const texts[] = {
      "",       "~",        "null", "Null", "true",       "YES",    "no",         "On",     "off",      "y",
      "N",      "0x1f",     "1e3",  ".inf", ".nan",       "1_000",  "012",        "1:30",   "<<",       "=",
      "-",      "- a",      "?",    ":",    "a:",         "a: b",   "a #b",       "#",      "*",        "&a",
      "!t",     "|",        ">",    "%",    "@",          "`",      "{",          "[a]",    "a, b",     " a",
      "a ",     "a  b",     "'",    "\"",   "a'b",        "\\",     "---",        "...",    "a\nb",     "\n",
      "\t",     "\r",       "\x01", "\x7f", "\u0080",     "\u0085", "\u009f",     "\u00a0", "a\u0085b", "\u2028",
      "\uffff", "\ufffe x", "é",    "日本", "\U0001f600", "<&>",    "2024-01-01",
  };
  for (const char* text : texts) {
    for (const Json& value : {Json(text), Json{{text, text}}, Json::array({text, text})}) {
      const auto read = config::YamlToJson(YamlOf(value));
      ASSERT_TRUE(read.ok()) << YamlOf(value) << read.status();
      ASSERT_EQ(read->size(), 1u) << YamlOf(value);
      EXPECT_EQ(*crd::ParseJson((*read)[0]), value) << YamlOf(value);
    }
  }
}

TEST(YamlTextTest, WhatYamlMayNotHaveIsEscaped) {
  EXPECT_EQ(YamlOf(Json("a\x7f\u0080\u0085\u009f\u00a0\ufffd\ufffe\uffff")),
            "\"a\\u007f\\u0080\\u0085\\u009f\u00a0\ufffd\\ufffe\\uffff\"\n");
}

Json NestedList(int depth) {
  Json value = 1;
  for (int i = 0; i < depth; ++i) value = Json::array({std::move(value)});
  return value;
}

TEST(YamlTextTest, TooDeepIsRefused) {
  EXPECT_THAT(YamlOf(NestedList(kYamlDepthMax)), HasSubstr("- 1\n"));
  // Depth is that of a value, not of all before it.
  EXPECT_THAT(YamlOf(Json::array({NestedList(kYamlDepthMax - 1), NestedList(kYamlDepthMax - 1)})), HasSubstr("- 1\n"));
  std::string yaml;
  EXPECT_EQ(AppendYaml(NestedList(kYamlDepthMax + 1), &yaml).code(), absl::StatusCode::kInvalidArgument);
}

TEST(YamlTextTest, NameTooLongForReadersIsRefused) {
  const std::string longest(kYamlNameBytesMax, 'a');
  EXPECT_TRUE(config::YamlToJson(YamlOf(Json{{longest, 1}})).ok());
  std::string yaml;
  EXPECT_EQ(AppendYaml(Json{{longest + "a", 1}}, &yaml).code(), absl::StatusCode::kInvalidArgument);
  // Quotes and escapes count.
  EXPECT_EQ(AppendYaml(Json{{std::string(kYamlNameBytesMax / 2, '"'), 1}}, &yaml).code(),
            absl::StatusCode::kInvalidArgument);
}

}  // namespace
}  // namespace tidemark::openapi
