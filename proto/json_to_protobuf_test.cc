#include "proto/json_to_protobuf.h"

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "proto/protobuf_to_json.h"

namespace tidemark::proto {
namespace {

std::string ToProtobuf(absl::string_view api_version, absl::string_view kind, absl::string_view json) {
  JsonToProtobuf writer;
  std::string message;
  const absl::Status status = writer.Append(*FindKind(api_version, kind), json, &message);
  return status.ok() ? absl::BytesToHexString(message) : std::string(status.message());
}

std::string There(absl::string_view api_version, absl::string_view kind, absl::string_view json) {
  JsonToProtobuf to_protobuf;
  ProtobufToJson to_json;
  const MessageType& type = *FindKind(api_version, kind);
  std::string message;
  std::string out = "{";
  EXPECT_TRUE(to_protobuf.Append(type, json, &message).ok());
  EXPECT_TRUE(to_json.AppendFields(type, message, &out).ok());
  return out + "}";
}

// clang-format off
// Of an object's metadata: generateName, namespace, selfLink, uid, resourceVersion, generation, creationTimestamp, all zero.
constexpr char kRestOfMetadata[] = "1200" "1a00" "2200" "2a00" "3200" "3800" "4200";
// clang-format on

// As a kube-apiserver stores it: what is no pointer is written though it is zero.
TEST(JsonToProtobufTest, ZeroValues) {
  const std::string metadata = std::string(
                                   "0a10"
                                   "0a00") +
                               kRestOfMetadata;
  EXPECT_EQ(ToProtobuf("v1", "ConfigMap", "{}"), metadata);
  EXPECT_EQ(
      ToProtobuf("v1", "ConfigMap", R"({"kind":"ConfigMap","apiVersion":"v1","metadata":null,"data":{},"new":1})"),
      metadata);
  EXPECT_EQ(ToProtobuf("v1", "ConfigMap", R"({"immutable":false})"), metadata + "2000");
}

TEST(JsonToProtobufTest, FieldsStandInTheOrderOfTheirNumbersAndMapsInThatOfTheirKeys) {
  EXPECT_EQ(ToProtobuf("v1", "ConfigMap", R"({"immutable":true,"data":{"b":"2","a":"1"},"metadata":{"name":"n"}})"),
            std::string("0a11"
                        "0a016e") +
                kRestOfMetadata +
                "1206"
                "0a0161"
                "120131"
                "1206"
                "0a0162"
                "120132"
                "2001");
}

TEST(JsonToProtobufTest, ThereAndBack) {
  struct Row {
    const char* api_version;
    const char* kind;
    const char* json;
  };
  const Row rows[] = {
      {"v1", "Secret", R"({"metadata":{"name":"s"},"data":{"k":"AP8="},"type":"Opaque"})"},
      {"v1", "Event",
       R"({"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":"2023-11-14T22:13:20Z","lastTimestamp":null,)"
       R"("eventTime":"2023-11-14T22:13:20.123456Z","reportingComponent":"","reportingInstance":""})"},
      {"v1", "Service",
       R"({"metadata":{},"spec":{"ports":[{"port":80,"targetPort":"http"},{"port":81,"targetPort":8081}]},)"
       R"("status":{"loadBalancer":{}}})"},
      {"v1", "Pod",
       R"({"metadata":{},"spec":{"volumes":[{"name":"v","emptyDir":{"sizeLimit":"1Gi"}}],)"
       R"("containers":[{"name":"c","resources":{"limits":{"cpu":"100m"}}}]},"status":{}})"},
      {"apps/v1", "ControllerRevision", R"({"metadata":{},"data":{"a":[1,{"b":null}]},"revision":-5})"},
      {"apiextensions.k8s.io/v1", "CustomResourceDefinition",
       R"({"metadata":{},"spec":{"group":"g","names":{"plural":"","kind":""},"scope":"",)"
       R"("versions":[{"name":"v1","served":true,"storage":false,"schema":{"openAPIV3Schema":{)"
       R"("default":"x","maximum":1.5,"items":{"type":"string"},"additionalProperties":false}}}]},)"
       R"("status":{"conditions":null,"acceptedNames":{"plural":"","kind":""},"storedVersions":null}})"},
  };
  for (const Row& row : rows) EXPECT_EQ(There(row.api_version, row.kind, row.json), row.json);
}

TEST(JsonToProtobufTest, WhatAFieldCannotHoldIsAnErrorThatNamesIt) {
  const auto error = [](absl::string_view json) { return ToProtobuf("v1", "Pod", json); };
  EXPECT_EQ(error(R"({"metadata":{"name":7}})").substr(0, 5), "name:");
  EXPECT_EQ(error(R"({"metadata":{"generation":"7"}})").substr(0, 11), "generation:");
  EXPECT_EQ(error(R"({"metadata":[]})").substr(0, 7), "object:");
  EXPECT_EQ(error(R"({"spec":{"priority":4294967296}})"), "priority: out of range");
  EXPECT_EQ(error(R"({"metadata":{"creationTimestamp":"now"}})").substr(0, 8), "no time:");
  EXPECT_EQ(error(R"({"spec":{"containers":{}}})").substr(0, 11), "containers:");
  EXPECT_EQ(ToProtobuf("v1", "Secret", R"({"data":{"k":"%"}})"), "data: no base64");
  EXPECT_EQ(ToProtobuf("v1", "Secret", R"({"data":{"k":"YQ"}})"), "data: no base64");
  EXPECT_EQ(error("{} x"), "object: something stands behind it");
  EXPECT_EQ(error(R"({"metadata":{"creationTimestamp":"infinite-future"}})").substr(0, 8), "no time:");
  EXPECT_EQ(error(R"({"new":tru})").substr(0, 7), "object:") << "even where nobody looks";
  EXPECT_EQ(ToProtobuf("apps/v1", "ControllerRevision", R"({"data":{"a":01}})").substr(0, 7), "object:");
  for (const char* const text : {"{", "", "[]", "7"}) EXPECT_EQ(error(text).substr(0, 7), "object:") << text;
}

TEST(JsonToProtobufTest, WhatGoLeavesOutOfTheBytes) {
  const std::string metadata = ToProtobuf("v1", "Secret", "{}").substr(0, 36);
  EXPECT_EQ(ToProtobuf("v1", "Secret", R"({"data":{"a":null}})"), metadata +
                                                                      "12030a0161"
                                                                      "1a00");
  EXPECT_EQ(ToProtobuf("v1", "Secret", R"({"metadata":{"creationTimestamp":"0001-01-01T00:00:00Z"}})"),
            ToProtobuf("v1", "Secret", "{}"));
}

TEST(JsonToProtobufTest, DepthHasALimit) {
  std::string schema = "{}";
  for (int i = 0; i < 600; ++i) schema = absl::StrCat(R"({"not":)", schema, "}");
  const std::string json = absl::StrCat(R"({"spec":{"versions":[{"schema":{"openAPIV3Schema":)", schema, "}}]}}");
  EXPECT_NE(ToProtobuf("apiextensions.k8s.io/v1", "CustomResourceDefinition", json).find("too deep"),
            std::string::npos);
}

}  // namespace
}  // namespace tidemark::proto
