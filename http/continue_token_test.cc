#include "http/continue_token.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"

namespace tidemark::http {
namespace {

std::string Base64(absl::string_view json) {
  std::string out;
  absl::WebSafeBase64Escape(json, &out);
  return out;
}

std::string Refusal(absl::string_view token) { return std::string(DecodeContinueToken(token).status().message()); }

// What kube-apiserver 1.36.3 cut for page one of two.
TEST(ContinueTokenTest, EncodesAsKubeApiserver) {
  EXPECT_EQ(EncodeContinueToken({.revision = 84, .start_key = std::string("cm-1\0", 5)}, true),
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6ODQsInN0YXJ0IjoiL2NtLTFcdTAwMDAifQ");
  EXPECT_EQ(EncodeContinueToken({.revision = 90, .start_key = std::string("blue/cm-3\0", 10)}, true),
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6OTAsInN0YXJ0IjoiL2JsdWUvY20tM1x1MDAwMCJ9");
  // That of an expired one has no slash.
  EXPECT_EQ(EncodeContinueToken({.revision = -1, .start_key = std::string("m-003\0", 6)}, false),
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoibS0wMDNcdTAwMDAifQ");
}

TEST(ContinueTokenTest, DecodesBothSlashForms) {
  for (const absl::string_view start : {"/one/m-019\\u0000", "one/m-019\\u0000"}) {
    const auto token =
        DecodeContinueToken(Base64(absl::StrCat(R"({"v":"meta.k8s.io/v1","rv":99,"start":")", start, "\"}")));
    ASSERT_TRUE(token.ok()) << token.status();
    EXPECT_EQ(token->revision, 99);
    EXPECT_EQ(token->start_key, std::string("one/m-019\0", 10));
  }
}

TEST(ContinueTokenTest, NegativeRevisionIsTheLatestState) {
  const auto token = DecodeContinueToken("eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTcsInN0YXJ0IjoibS0wMDFcdTAwMDAifQ");
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->revision, -7);
}

TEST(ContinueTokenTest, RefusesInKubeApiserversWords) {
  struct Row {
    std::string token;
    std::string cause;
  };
  const Row rows[] = {
      {"abc", "invalid character 'i' looking for beginning of value"},
      {"rubbish", "invalid character '\xC2\xAE' looking for beginning of value"},
      {"!!!!", "illegal base64 data at input byte 0"},
      {" ", "illegal base64 data at input byte 0"},
      {"A", "illegal base64 data at input byte 0"},
      {"AAAAA", "illegal base64 data at input byte 4"},
      {"eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6LTEsInN0YXJ0IjoibS0wMDFcdTAwMDAifQ==",
       "illegal base64 data at input byte 70"},
      {"e30", "server does not recognize this encoded version "},
      {Base64("null"), "server does not recognize this encoded version "},
      {Base64(R"({"v":"meta.k8s.io/v2","rv":5,"start":"m"})"),
       "server does not recognize this encoded version meta.k8s.io/v2"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":0,"start":"m"})"),
       "incorrect encoded start resourceVersion (version meta.k8s.io/v1)"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":5,"start":""})"), "encoded start key empty (version meta.k8s.io/v1)"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":5,"start":"../x"})"), "../x"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a//b"})"), "a//b"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":5,"start":"/a/./b"})"), "/a/./b"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":5,"start":"a/"})"), "a/"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":5,"start":"//a"})"), "//a"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":"-5","start":"a"})"),
       "json: cannot unmarshal string into Go struct field continueToken.rv of type int64"},
      {Base64(R"({"v":"meta.k8s.io/v1","rv":1.5,"start":"a"})"),
       "json: cannot unmarshal number 1.5 into Go struct field continueToken.rv of type int64"},
      {Base64(R"({"v":7,"rv":1,"start":"a"})"),
       "json: cannot unmarshal number into Go struct field continueToken.v of type string"},
      {Base64("[1]"), "json: cannot unmarshal array into Go value of type storage.continueToken"},
  };
  for (const Row& row : rows) EXPECT_EQ(Refusal(row.token), "continue key is not valid: " + row.cause) << row.token;
}

TEST(ContinueTokenTest, NamesInAnyCaseAndUnknownOnesAsGoReads) {
  const auto token = DecodeContinueToken(Base64(R"({"V":"meta.k8s.io/v1","RV":3,"Start":"a","x":[1]})"));
  ASSERT_TRUE(token.ok()) << token.status();
  EXPECT_EQ(token->start_key, "a");
}

}  // namespace
}  // namespace tidemark::http
