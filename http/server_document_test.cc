#include "http/server_document.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "http/fake_exchange.h"

namespace tidemark::http {
namespace {

using Encoding = AnswerForm::Encoding;

StatusBody Encode(const ApiStatus& status, const std::string& accept) {
  return EncodeStatus(status, FakeExchange("/x", {{"accept", accept}}).request());
}

ApiStatus PodNotFound() {
  config::Resource pods;
  pods.plural = "pods";
  return ObjectNotFound(pods, "absent");
}

// As a real kube-apiserver answered.
TEST(ServerDocumentTest, StatusInProtobuf) {
  struct Row {
    ApiStatus status;
    std::string base64;
  };
  const Row rows[] = {
      {PodNotFound(),
       "azhzAAoMCgJ2MRIGU3RhdHVzEk0KBgoAEgAaABIHRmFpbHVyZRoXcG9kcyAiYWJzZW50IiBub3QgZm91bmQiCE5vdEZvdW5kKhQK"
       "BmFic2VudBIAGgRwb2RzKAAyADCUAxoAIgA="},
      {BadRequest(
           R"(invalid resource version: resourceVersion: Invalid value: "abc": strconv.ParseUint: parsing "abc": invalid syntax)"),
       "azhzAAoMCgJ2MRIGU3RhdHVzEpMBCgYKABIAGgASB0ZhaWx1cmUacWludmFsaWQgcmVzb3VyY2UgdmVyc2lvbjogcmVzb3VyY2VW"
       "ZXJzaW9uOiBJbnZhbGlkIHZhbHVlOiAiYWJjIjogc3RyY29udi5QYXJzZVVpbnQ6IHBhcnNpbmcgImFiYyI6IGludmFsaWQgc3lu"
       "dGF4IgpCYWRSZXF1ZXN0MJADGgAiAA=="},
      {ResourceNotFound(),
       "azhzAAoMCgJ2MRIGU3RhdHVzElwKBgoAEgAaABIHRmFpbHVyZRowdGhlIHNlcnZlciBjb3VsZCBub3QgZmluZCB0aGUgcmVxdWVz"
       "dGVkIHJlc291cmNlIghOb3RGb3VuZCoKCgASABoAKAAyADCUAxoAIgA="},
      {NotAcceptable("application/json, application/yaml, application/vnd.kubernetes.protobuf", true),
       "azhzAAoMCgJ2MRIGU3RhdHVzEpkBCgYKABIAGgASB0ZhaWx1cmUadG9ubHkgdGhlIGZvbGxvd2luZyBtZWRpYSB0eXBlcyBhcmUg"
       "YWNjZXB0ZWQ6IGFwcGxpY2F0aW9uL2pzb24sIGFwcGxpY2F0aW9uL3lhbWwsIGFwcGxpY2F0aW9uL3ZuZC5rdWJlcm5ldGVzLnBy"
       "b3RvYnVmIg1Ob3RBY2NlcHRhYmxlMJYDGgAiAA=="},
  };
  for (const Row& row : rows) {
    const StatusBody body = Encode(row.status, "application/vnd.kubernetes.protobuf");
    EXPECT_EQ(body.content_type, "application/vnd.kubernetes.protobuf");
    EXPECT_EQ(absl::Base64Escape(body.body), row.base64) << row.status.message;
  }
}

TEST(ServerDocumentTest, StatusInYaml) {
  const StatusBody body = Encode(PodNotFound(), "application/yaml");
  EXPECT_EQ(body.content_type, "application/yaml");
  EXPECT_EQ(body.body,
            "apiVersion: v1\ncode: 404\ndetails:\n  kind: pods\n  name: absent\nkind: Status\nmessage: pods \"absent\" "
            "not found\n"
            "metadata: {}\nreason: NotFound\nstatus: Failure\n");
}

TEST(ServerDocumentTest, StatusInJson) {
  const std::string json = PodNotFound().ToJson();
  EXPECT_EQ(Encode(PodNotFound(), "").body, json + "\n");
  const StatusBody body = Encode(PodNotFound(), "text/html");
  EXPECT_EQ(body.content_type, "application/json");
  EXPECT_EQ(body.body.substr(0, 22), "{\n  \"kind\": \"Status\",\n");
  EXPECT_EQ(body.body.back(), '}');
}

TEST(ServerDocumentTest, AMessageThatYamlRefusesIsReplaced) {
  const StatusBody body = Encode(BadRequest("a\x7f"), "application/yaml");
  EXPECT_EQ(body.body,
            "apiVersion: v1\ncode: 500\nkind: Status\nmessage: 'yaml: control characters are not allowed'\n"
            "metadata: {}\nstatus: Failure\n");
}

TEST(ServerDocumentTest, DiscoveryInProtobuf) {
  const absl::string_view json = R"({"kind":"APIVersions","versions":["v1"],"serverAddressByClientCIDRs":)"
                                 R"([{"clientCIDR":"0.0.0.0/0","serverAddress":"192.0.2.2:20142"}]})";
  const auto body = EncodeDocument({.kind = "APIVersions", .json = json}, Encoding::kProtobuf, false);
  ASSERT_TRUE(body.ok()) << body.status();
  EXPECT_EQ(absl::Base64Escape(*body),
            "azhzAAoPCgASC0FQSVZlcnNpb25zEiIKAnYxEhwKCTAuMC4wLjAvMBIPMTkyLjAuMi4yOjIwMTQyGgAiAA==");
}

TEST(ServerDocumentTest, EveryKindOfDiscoveryIsKnown) {
  for (const std::string kind : {"APIVersions", "APIGroupList", "APIGroup", "APIResourceList"}) {
    const std::string json = "{\"kind\":\"" + kind + "\"}";
    EXPECT_TRUE(EncodeDocument({.kind = kind, .json = json}, Encoding::kProtobuf, false).ok()) << kind;
  }
  const auto body =
      EncodeDocument({.api_version = "apidiscovery.k8s.io/v2", .kind = "APIGroupDiscoveryList", .json = "{}"},
                     Encoding::kProtobuf, false);
  ASSERT_TRUE(body.ok());
  const std::string metadata("\x12\x08\n\x06\n\0\x12\0\x1a\0\x1a\0\"\0", 14);
  EXPECT_EQ(*body, absl::StrCat(absl::string_view("k8s\0\n/\n\x16", 8), "apidiscovery.k8s.io/v2\x12\x15",
                                "APIGroupDiscoveryList", metadata));
}

}  // namespace
}  // namespace tidemark::http
