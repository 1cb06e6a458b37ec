#include "cache/canonical_json.h"

#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

TEST(CanonicalJsonTest, OrdersMetadataAndDropsWhatIsNotSent) {
  EXPECT_EQ(*CanonicalJson(
                "{ \"spec\" : { \"a\" : [ 1 , \"x y\" ] } , \"kind\":\"K\", \"metadata\" : { \"z\" : 1, \"uid\":\"u\", "
                "\"resourceVersion\":\"9\", \"name\" : \"n\" } }",
                true),
            R"({"metadata":{"name":"n","uid":"u","z":1},"spec":{"a":[1,"x y"]}})");
}

TEST(CanonicalJsonTest, KeepsTheOrderOfCustomResources) {
  EXPECT_EQ(*CanonicalJson(R"({"metadata":{"z":1,"uid":"u","name":"n"},"apiVersion":"v1"})", false),
            R"({"metadata":{"z":1,"uid":"u","name":"n"}})");
}

TEST(CanonicalJsonTest, TextsKeepTheirSpaceAndEscapes) {
  EXPECT_EQ(*CanonicalJson("{\"a\":\" \\\" } ,\\\\\",\"b\":\"\\\\\"}", true),
            "{\"metadata\":{},\"a\":\" \\\" } ,\\\\\",\"b\":\"\\\\\"}");
}

TEST(CanonicalJsonTest, NamesAreEqualHoweverTheyAreEscaped) {
  EXPECT_EQ(*CanonicalJson(R"({"\u00e9\ud83d\ude00\n":1,"é😀\u000a":2})", true), R"({"metadata":{},"é😀\u000a":2})");
}

TEST(CanonicalJsonTest, MetadataMustBeAnObject) {
  EXPECT_FALSE(CanonicalJson(R"({"metadata":[]})", true).ok());
  EXPECT_FALSE(CanonicalJson(R"({"metadata":7})", true).ok());
  EXPECT_TRUE(CanonicalJson(R"({"metadata":null})", true).ok());
}

}  // namespace
}  // namespace tidemark::cache
