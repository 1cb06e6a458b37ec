#include "crd/object_meta.h"

#include <gtest/gtest.h>

namespace tidemark::crd {
namespace {

TEST(ObjectMetaTest, OnlyReadableFieldsStay) {
  const struct {
    const char* name;
    const char* metadata;
    const char* expected;
  } rows[] = {
      {"null", "null", "{}"},
      {"unknown fields", R"({"name":"a","color":"red","Name":"b"})", R"({"name":"a"})"},
      {"empty fields", R"({"name":"","labels":{},"finalizers":[],"generation":0})", "{}"},
      {"wrong types", R"({"name":1,"uid":"u","labels":{"a":1},"generation":"x"})", R"({"uid":"u"})"},
      {"null labels are empty", R"({"labels":{"a":null,"b":"c"}})", R"({"labels":{"a":"","b":"c"}})"},
      {"whole doubles are integers", R"({"generation":2.0,"deletionGracePeriodSeconds":0})",
       R"({"deletionGracePeriodSeconds":0,"generation":2})"},
      {"fractions are not", R"({"generation":2.5})", "{}"},
      {"times in UTC and whole seconds", R"({"creationTimestamp":"2024-01-01T01:30:00.9+01:30"})",
       R"({"creationTimestamp":"2024-01-01T00:00:00Z"})"},
      {"no time", R"({"creationTimestamp":null,"deletionTimestamp":"yesterday"})", "{}"},
      {"owners have their names", R"({"ownerReferences":[{"kind":"A","x":1,"controller":true}]})",
       R"({"ownerReferences":[{"apiVersion":"","controller":true,"kind":"A","name":"","uid":""}]})"},
      {"one bad owner spoils the list", R"({"name":"a","ownerReferences":[{"kind":1}]})", R"({"name":"a"})"},
      {"managed fields keep what they hold",
       R"({"managedFields":[{"fieldsV1":{"f:b":{},"f:a":{}},"manager":"m","time":"2024-01-01T00:00:00Z","x":1}]})",
       R"({"managedFields":[{"fieldsV1":{"f:a":{},"f:b":{}},"manager":"m","time":"2024-01-01T00:00:00Z"}]})"},
  };
  for (const auto& row : rows) {
    Json metadata = *ParseJson(row.metadata);
    ASSERT_TRUE(CoerceObjectMeta(&metadata).ok()) << row.name;
    EXPECT_EQ(GoJson(metadata), row.expected) << row.name;
  }
}

TEST(ObjectMetaTest, TextIsNoMetadata) {
  Json metadata = "x";
  EXPECT_FALSE(CoerceObjectMeta(&metadata).ok());
  EXPECT_EQ(metadata, "x");
}

TEST(ObjectMetaTest, TimesAsGoReadsThem) {
  for (const char* wrong : {"", "2024-01-01", "2024-02-30T00:00:00Z", "2024-01-01T24:00:00Z", "2024-01-01T00:00:00",
                            "2024-01-01t00:00:00Z", "2024-01-01T00:00:00.Z", "2024-01-01T00:00:00+0100"}) {
    EXPECT_FALSE(ParseGoTime(wrong).has_value()) << wrong;
  }
  EXPECT_EQ(GoTimeText(*ParseGoTime("2023-12-31T23:59:59.999-00:30")), "2024-01-01T00:29:59Z");
}

}  // namespace
}  // namespace tidemark::crd
