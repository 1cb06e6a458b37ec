#include "http/json_view.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace tidemark::http {
namespace {

TEST(JsonViewTest, ReadsWhatIsThere) {
  JsonDocument document;
  document.Parse(R"({"a":{"b":{"c":"t\u00e9xt"}},"n":-7,"yes":true,"list":[1,"x",null],"none":null,"":3})");
  const JsonView root = document.root();
  EXPECT_EQ(root.At("a", "b", "c").Text(), "t\xC3\xA9xt");
  EXPECT_EQ(root.Field("n").Number(), -7);
  EXPECT_EQ(root.Field("n").Scalar(), "-7");
  EXPECT_EQ(root.At("a", "b", "c").Scalar(), "t\xC3\xA9xt");
  EXPECT_TRUE(root.Field("yes").Bool());
  EXPECT_EQ(root.Field("").Number(), 3);
  ASSERT_EQ(root.Field("list").elements().size(), 3u);
  EXPECT_EQ(root.Field("list").elements()[1].Text(), "x");
  EXPECT_FALSE(root.Field("list").elements()[2].present());
  ASSERT_EQ(root.members().size(), 6u);
  EXPECT_EQ(root.members()[1].name, "n");
  EXPECT_EQ(root.members()[1].value.Number(), -7);
  EXPECT_EQ(root.size(), 6u);
}

TEST(JsonViewTest, WhatIsNotThereIsZero) {
  JsonDocument document;
  document.Parse(R"({"text":"x","number":1.5,"large":18446744073709551615,"none":null})");
  for (const absl::string_view name : {"absent", "none"}) {
    const JsonView view = document.root().Field(name);
    EXPECT_FALSE(view.present()) << name;
    EXPECT_FALSE(view.Field("a").present()) << name;
    EXPECT_FALSE(view.Bool()) << name;
    EXPECT_EQ(view.Number(), 0) << name;
    EXPECT_EQ(view.Text(), "") << name;
    EXPECT_NE(view.Text().data(), nullptr) << name;
    EXPECT_EQ(view.Scalar(), "") << name;
    EXPECT_EQ(view.size(), 0u) << name;
    EXPECT_TRUE(view.elements().empty()) << name;
    EXPECT_TRUE(view.members().empty()) << name;
  }
  const JsonView text = document.root().Field("text");
  EXPECT_TRUE(text.present());
  EXPECT_EQ(text.Number(), 0);
  EXPECT_FALSE(text.Bool());
  EXPECT_FALSE(text.Field("x").present());
  EXPECT_EQ(text.size(), 0u);
  EXPECT_TRUE(text.elements().empty());
  EXPECT_EQ(document.root().Field("number").Number(), 0);
  EXPECT_EQ(document.root().Field("number").Text(), "");
  EXPECT_EQ(document.root().Field("large").Number(), 0);
}

TEST(JsonViewTest, WhatIsNoJsonIsAbsent) {
  JsonDocument document;
  document.Parse(R"({"a":1})");
  EXPECT_TRUE(document.root().present());
  for (const absl::string_view broken : {"", " ", "{", R"({"a":1}})", "nothing"}) {
    document.Parse(broken);
    EXPECT_FALSE(document.root().present()) << broken;
  }
}

TEST(JsonViewTest, OfAnObjectWithNumbersThatDoNotFitThereIsItsMetadata) {
  const std::string digits(30, '9');
  const struct {
    const char* name;
    std::string json;
    std::string found;  // metadata.name
    bool spec;          // whether the rest is there
  } rows[] = {
      {"they fit", R"({"metadata":{"name":"n"},"spec":{"x":18446744073709551615}})", "n", true},
      {"too many digits", R"({"metadata":{"name":"n"},"spec":{"x":)" + digits + "}}", "n", false},
      {"negative", R"({"metadata":{"name":"n"},"spec":{"x":-9223372036854775809}})", "n", false},
      {"metadata behind it", R"({"spec":{"metadata":{"name":"other"},"x":)" + digits + R"(},"metadata":{"name":"n"}})",
       "n", false},
      {"spaces", R"({ "spec" : )" + digits + R"( , "metadata" : { "name" : "n" } })", "n", false},
      {"in metadata itself", R"({"metadata":{"name":"n","x":)" + digits + R"(},"spec":{}})", "", false},
      {"no metadata", R"({"spec":)" + digits + "}", "", false},
  };
  JsonDocument document;
  for (const auto& row : rows) {
    document.Parse(row.json);
    EXPECT_EQ(document.root().At("metadata", "name").Text(), row.found) << row.name;
    EXPECT_EQ(document.root().Field("spec").present(), row.spec) << row.name;
  }
  document.Parse(R"({"spec":{"x":1}})");
  EXPECT_EQ(document.root().At("spec", "x").Number(), 1) << "nothing is left of the one before";
}

TEST(JsonViewTest, ADocumentIsReadOneAfterAnother) {
  JsonDocument document;
  const std::string large = R"({"a":")" + std::string(1 << 20, 'x') + R"("})";
  for (int round = 0; round < 2; ++round) {
    document.Parse(large);
    EXPECT_EQ(document.root().Field("a").Text().size(), size_t{1} << 20);
    document.Parse(R"({"a":"small"})");
    EXPECT_EQ(document.root().Field("a").Text(), "small");
  }
  const JsonDocument moved = std::move(document);
  EXPECT_EQ(moved.root().Field("a").Text(), "small");
}

}  // namespace
}  // namespace tidemark::http
