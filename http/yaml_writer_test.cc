#include "http/yaml_writer.h"

#include <gtest/gtest.h>

#include <iterator>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "http/yaml_key_order.h"
#include "http/yaml_text.h"

namespace tidemark::http {
namespace {

std::string Yaml(absl::string_view json) {
  std::string out;
  const absl::Status status = YamlWriter().Append(json, &out);
  return status.ok() ? out : absl::StrCat("!", status.message());
}

TEST(YamlWriterTest, BlocksAndSortedKeys) {
  EXPECT_EQ(Yaml(R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"p","labels":{}},"spec":{"containers":[]}})"),
            "apiVersion: v1\nkind: Pod\nmetadata:\n  labels: {}\n  name: p\nspec:\n  containers: []\n");
  EXPECT_EQ(Yaml(R"([[1,[2]],{"a":[{"b":[],"c":null}]}])"), "- - 1\n  - - 2\n- a:\n  - b: []\n    c: null\n");
  EXPECT_EQ(Yaml(" { \"b\" : 1 ,\n\t\"a\" : [ true , false ] } "), "a:\n- true\n- false\nb: 1\n");
  EXPECT_EQ(Yaml("{}"), "{}\n");
  EXPECT_EQ(Yaml("[]"), "[]\n");
  EXPECT_EQ(Yaml("\"\""), "\"\"\n");
}

TEST(YamlWriterTest, ManagedFieldsKeys) {
  EXPECT_EQ(Yaml(R"({"f:containers":{"k:{\"name\":\"c\"}":{".":{},"f:image":{}}},"v:\"x\"":{}})"),
            "f:containers:\n  k:{\"name\":\"c\"}:\n    .: {}\n    f:image: {}\nv:\"x\": {}\n");
}

TEST(YamlWriterTest, WhatItMayTakeHasLimits) {
  constexpr size_t kDepth = 400, kBytesMax = size_t{1} << 20;
  const auto deep = [](size_t zeros) {
    std::string json(kDepth, '[');
    for (size_t i = 0; i < zeros; ++i) json += "0,";
    return json + "0" + std::string(kDepth, ']');
  };
  std::string out;
  EXPECT_TRUE(YamlWriter(kBytesMax).Append(deep(1000), &out).ok());
  EXPECT_LT(out.size(), kBytesMax);
  out.clear();
  EXPECT_EQ(YamlWriter(kBytesMax).Append(deep(1'000'000), &out).message(),
            "as YAML this is longer than 1 MiB: ask for JSON");
  EXPECT_LT(out.size(), kBytesMax + 4 * kDepth);

  std::string many = "[0";
  for (size_t i = 0; i < YamlNodes::kValuesMax; ++i) many += ",0";
  EXPECT_EQ(YamlWriter().Append(many + "]", &out).message(), "too many values for YAML: ask for JSON");
}

TEST(YamlWriterTest, LongKeysStandAlone) {
  const std::string key(129, 'k');
  EXPECT_EQ(Yaml(absl::StrCat("{\"", key, "\":{\"a\":1},\"z\":{\"", key, "\":[1,2]}}")),
            absl::StrCat("? ", key, "\n: a: 1\nz:\n  ? ", key, "\n  : - 1\n    - 2\n"));
  const std::string longest(1021, 'k');
  EXPECT_EQ(Yaml(absl::StrCat("{\"", longest, "\":1}")), absl::StrCat("? ", longest, "\n: 1\n"));
  EXPECT_EQ(Yaml(absl::StrCat("{\"", longest, "kk\":1}")), "!yaml: did not find expected ',' or '}'");
}

TEST(YamlWriterTest, TextsOfSeveralLines) {
  EXPECT_EQ(Yaml(R"({"a":"x\ny\n","b":"x\ny","c":"x\n\n","d":"\n x","e":"x \ny","f":" x\ny"})"),
            "a: |\n  x\n  y\nb: |-\n  x\n  y\nc: |+\n  x\n\nd: |2-\n\n   x\ne: \"x \\ny\"\nf: |2-\n   x\n  y\n");
  EXPECT_EQ(Yaml(R"({"a":{"b":"x\n"},"c":["y\nz"]})"), "a:\n  b: |\n    x\nc:\n- |-\n  y\n  z\n");
}

TEST(YamlWriterTest, LinesAreFoldedBehindEightyColumns) {
  const std::string words = "only the following media types are accepted: application/json;stream=watch, application/x";
  EXPECT_EQ(
      Yaml(absl::StrCat("{\"message\":\"", words, "\"}")),
      "message: 'only the following media types are accepted: application/json;stream=watch,\n  application/x'\n");
  const std::string unbroken(200, 'x');
  EXPECT_EQ(Yaml(absl::StrCat("{\"a\":\"", unbroken, "\"}")), absl::StrCat("a: ", unbroken, "\n"));
}

TEST(YamlWriterTest, WhatIsQuoted) {
  EXPECT_EQ(
      Yaml(R"({"a":"yes","b":"1","c":"null","d":"a: b","e":"it's","f":"- x","g":"tab\t","h":"1:30","i":"2001-1-1"})"),
      "a: \"yes\"\nb: \"1\"\nc: \"null\"\nd: 'a: b'\ne: it's\nf: '- x'\ng: \"tab\\t\"\nh: \"1:30\"\ni: \"2001-1-1\"\n");
  EXPECT_EQ(Yaml("{\"a\":\"\xf0\x9f\x98\x80\",\"b\":\"\xc3\xa9\",\"c\":\"\xef\xbb\xbfx\"}"),
            "a: \"\\U0001F600\"\nb: \xc3\xa9\nc: \"\\uFEFF\\x78\"\n");
}

TEST(YamlWriterTest, WhatYamlRefuses) {
  EXPECT_EQ(Yaml("\"\x7f\""), "!yaml: control characters are not allowed");
  EXPECT_EQ(Yaml("\"\xef\xbf\xbe\""), "!yaml: control characters are not allowed");
  EXPECT_EQ(Yaml("\"\xff\""), "!yaml: invalid UTF-8");
  EXPECT_EQ(Yaml(R"("\ud83d\ude00")"), "!yaml: found invalid Unicode character escape code");
  EXPECT_EQ(Yaml(R"("\/")"), "!yaml: found unknown escape character");
  for (const absl::string_view broken :
       {"", "{", "[1", "{\"a\"", "{\"a\":", "{\"a\":1", "\"a", "tru", "{} x", "\"\\u12", "{1:2}"}) {
    EXPECT_EQ(Yaml(broken)[0], '!') << broken;
  }
  EXPECT_EQ(Yaml(std::string(YamlNodes::kDepthMax + 2, '[')), "!yaml: exceeded max depth");
}

TEST(YamlWriterTest, OfAKeyThatIsThereTwiceTheLastOneCounts) {
  EXPECT_EQ(Yaml(R"({"a":{"x":1},"b":2,"a":{"y":1}})"), "a:\n  \"y\": 1\nb: 2\n");
}

TEST(YamlKeyOrderTest, NumbersByValueLettersLast) {
  const std::string keys[] = {"", "-", ".", "9", "12", "a", "a-1", "a2", "a10", "a010", "aa", "b", "\xc3\xa9"};
  for (size_t i = 0; i < std::size(keys); ++i) {
    for (size_t j = 0; j < std::size(keys); ++j) {
      EXPECT_EQ(YamlKeyLess(keys[i], keys[j]), i < j) << keys[i] << " " << keys[j];
    }
  }
}

TEST(YamlTextTest, Numbers) {
  const std::pair<absl::string_view, absl::string_view> rows[] = {
      {"0", "0"},
      {"-0", "0"},
      {"-0.0", "-0"},
      {"1.50", "1.5"},
      {"1e3", "1000"},
      {"999999.0", "999999"},
      {"1000000.0", "1e+06"},
      {"0.0001", "0.0001"},
      {"0.00001", "1e-05"},
      {"18446744073709551615", "18446744073709551615"},
      {"18446744073709551616", "1.8446744073709552e+19"},
      {"-9223372036854775808", "-9223372036854775808"},
      {"-9223372036854775809", "-9.223372036854776e+18"},
      {"1e999", "1e999"},
      {"1e-999", "0"},
  };
  for (const auto& [json, yaml] : rows) EXPECT_EQ(YamlNumber(json), yaml) << json;
}

}  // namespace
}  // namespace tidemark::http
