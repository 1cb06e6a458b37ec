#include "proto/protobuf_to_json.h"

#include <gtest/gtest.h>

#include <string>

#include "proto/field_writer.h"

namespace tidemark::proto {
namespace {

std::string BytesField(uint32_t number, absl::string_view bytes) {
  std::string field;
  AppendBytesField(number, bytes, &field);
  return field;
}

std::string NumberField(uint32_t number, uint64_t value) {
  std::string field;
  AppendNumberField(number, value, &field);
  return field;
}

std::string ToJson(absl::string_view api_version, absl::string_view kind, absl::string_view message) {
  ProtobufToJson writer;
  std::string json = "{";
  const absl::Status status = writer.AppendFields(*FindKind(api_version, kind), message, &json);
  return status.ok() ? json + "}" : std::string(status.message());
}

// Of ConfigMap, and of its metadata.
constexpr uint32_t kMetadata = 1, kData = 2, kBinaryData = 3, kImmutable = 4;
constexpr uint32_t kName = 1, kGeneration = 7, kLabels = 11, kFinalizers = 14;

std::string Entry(absl::string_view key, absl::string_view value) { return BytesField(1, key) + BytesField(2, value); }

TEST(ProtobufToJsonTest, ZeroValues) {
  EXPECT_EQ(ToJson("v1", "ConfigMap", ""), R"({"metadata":{}})");
  EXPECT_EQ(ToJson("v1", "ConfigMap", NumberField(kImmutable, 0)), R"({"metadata":{},"immutable":false})")
      << "a pointer";
  EXPECT_EQ(ToJson("v1", "Pod", ""), R"({"metadata":{},"spec":{"containers":null},"status":{}})");
  EXPECT_EQ(
      ToJson("v1", "Event", ""),
      R"({"metadata":{},"involvedObject":{},"source":{},"firstTimestamp":null,"lastTimestamp":null,"eventTime":null,)"
      R"("reportingComponent":"","reportingInstance":""})");
}

TEST(ProtobufToJsonTest, MapsStandInTheOrderOfTheirKeys) {
  const std::string message = BytesField(kData, Entry("b", "1")) + NumberField(kImmutable, 1) +
                              BytesField(kData, Entry("a", "2")) + BytesField(kData, Entry("b", "<3>")) +
                              BytesField(kData, "");
  EXPECT_EQ(ToJson("v1", "ConfigMap", message),
            R"({"metadata":{},"immutable":true,"data":{"":"","a":"2","b":"\u003c3\u003e"}})");
  EXPECT_EQ(ToJson("v1", "ConfigMap", BytesField(kBinaryData, Entry("k", std::string("\0\xff", 2)))),
            R"({"metadata":{},"binaryData":{"k":"AP8="}})");
}

TEST(ProtobufToJsonTest, TheLastOfAFieldCountsAndMessagesAreMerged) {
  const std::string metadata = BytesField(kName, "a") + BytesField(kName, "b");
  const std::string more = NumberField(kGeneration, 3) + BytesField(kLabels, Entry("x", "y"));
  EXPECT_EQ(ToJson("v1", "ConfigMap", BytesField(kMetadata, metadata) + BytesField(kMetadata, more)),
            R"({"metadata":{"name":"b","generation":3,"labels":{"x":"y"}}})");
}

TEST(ProtobufToJsonTest, ManyPiecesTakeNoMoreThanTheirBytes) {
  std::string message;
  for (int i = 0; i < 300000; ++i) message += BytesField(kMetadata, std::string("x\0", 2));  // field 15, unknown
  EXPECT_EQ(ToJson("v1", "ConfigMap", message), R"({"metadata":{}})");
}

TEST(ProtobufToJsonTest, ASchemaInPiecesIsMergedWhereverItStands) {
  constexpr uint32_t kSpec = 2, kVersions = 7, kVersionSchema = 4, kOpenApi = 1, kTitle = 7, kType = 5;
  constexpr uint32_t kItems = 24, kAdditional = 30;  // a schema or many: 1; whether any: 1, or a schema: 2
  const auto schema = [](uint32_t field, uint32_t of_either, const std::string& second) {
    const std::string either = BytesField(of_either, BytesField(kType, "a")) + BytesField(of_either, second);
    const std::string version = BytesField(kVersionSchema, BytesField(kOpenApi, BytesField(field, either)));
    const std::string json = ToJson("apiextensions.k8s.io/v1", "CustomResourceDefinition",
                                    BytesField(kSpec, BytesField(kVersions, version)));
    const size_t found = json.find("{\"type\"");
    return found == std::string::npos ? json : json.substr(found, json.find('}', found) + 1 - found);
  };
  const std::string title = BytesField(kTitle, "b");
  EXPECT_EQ(schema(kItems, 1, title), R"({"type":"a","title":"b"})");
  EXPECT_EQ(schema(kAdditional, 2, title), R"({"type":"a","title":"b"})");
  EXPECT_EQ(schema(kItems, 1, "\x0a\x05"), "protobuf: no message");
}

TEST(ProtobufToJsonTest, EachPieceIsAMessage) {
  const std::string torn = BytesField(kMetadata, "\x0a\x05") + BytesField(kMetadata, "abcde");
  EXPECT_EQ(ToJson("v1", "ConfigMap", torn), "protobuf: no message");
}

TEST(ProtobufToJsonTest, ATimeThatCameTwiceIsTheLastAndTheZeroTimeIsLeftOut) {
  constexpr uint32_t kCreated = 8;
  const auto created = [&](const std::string& a, const std::string& b) {
    return ToJson("v1", "ConfigMap", BytesField(kMetadata, BytesField(kCreated, a) + BytesField(kCreated, b)));
  };
  EXPECT_EQ(created(NumberField(1, 5), ""), R"({"metadata":{}})");
  EXPECT_EQ(created("", NumberField(1, 5)), R"({"metadata":{"creationTimestamp":"1970-01-01T00:00:05Z"}})");
  EXPECT_EQ(created("", NumberField(1, static_cast<uint64_t>(int64_t{-62135596800}))), R"({"metadata":{}})");
}

TEST(ProtobufToJsonTest, ElementsMayLieApart) {
  const std::string metadata =
      BytesField(kFinalizers, "a") + NumberField(kGeneration, 1) + BytesField(kFinalizers, "b") + BytesField(99, "new");
  EXPECT_EQ(ToJson("v1", "ConfigMap", BytesField(kMetadata, metadata)),
            R"({"metadata":{"generation":1,"finalizers":["a","b"]}})");
}

// Of ascending, descending and repeated numbers, few and many.
TEST(ProtobufToJsonTest, TheOrderOfTheMessageDoesNotMatter) {
  for (const int finalizers : {0, 1, 3, 100}) {
    std::string many, wanted;
    for (int i = 0; i < finalizers; ++i) {
      many += BytesField(kFinalizers, std::to_string(i));
      wanted += (i == 0 ? "\"" : ",\"") + std::to_string(i) + "\"";
    }
    const std::string generation = NumberField(kGeneration, 1), name = BytesField(kName, "a");
    const std::string json = ToJson("v1", "ConfigMap", BytesField(kMetadata, many + generation + name));
    EXPECT_EQ(json, ToJson("v1", "ConfigMap", BytesField(kMetadata, name + generation + many)));
    const std::string list = finalizers == 0 ? "" : ",\"finalizers\":[" + wanted + "]";
    EXPECT_EQ(json, "{\"metadata\":{\"name\":\"a\",\"generation\":1" + list + "}}");
  }
}

TEST(ProtobufToJsonTest, LongTextsAndKeysFindRoom) {
  ProtobufToJson writer;
  for (const size_t bytes : {size_t{10}, size_t{5000}, 2 * JsonBuffer::kKeptBytesMax, size_t{100}}) {
    std::string json = "{";
    const std::string data = BytesField(kData, Entry("k", std::string(bytes, '<')));
    ASSERT_TRUE(writer.AppendFields(*FindKind("v1", "ConfigMap"), data, &json).ok());
    constexpr absl::string_view kAround = R"({"metadata":{},"data":{"k":""}})";
    EXPECT_EQ(json.size(), 6 * bytes + kAround.size() - 1) << "the last } is to come";
  }
}

TEST(ProtobufToJsonTest, PackedNumbersAreReadToo) {
  // Pod.spec.securityContext.supplementalGroups: 2, 14, 4.
  const auto pod = [](const std::string& context) { return BytesField(2, BytesField(14, context)); };
  const std::string wanted =
      R"({"metadata":{},"spec":{"containers":null,"securityContext":{"supplementalGroups":[1,300,5]}},"status":{}})";
  EXPECT_EQ(ToJson("v1", "Pod", pod(NumberField(4, 1) + NumberField(4, 300) + NumberField(4, 5))), wanted);
  EXPECT_EQ(ToJson("v1", "Pod", pod(NumberField(4, 1) + BytesField(4, "\xac\x02\x05"))), wanted);
  EXPECT_EQ(ToJson("v1", "Pod", pod(BytesField(4, std::string(10, '\xff') + "\x01"))),
            "protobuf: packed supplementalGroups");
  EXPECT_EQ(ToJson("v1", "Pod", pod(BytesField(4, "\xac"))), "protobuf: packed supplementalGroups");
}

TEST(ProtobufToJsonTest, WhatIsNoMessageIsAnError) {
  EXPECT_EQ(ToJson("v1", "ConfigMap", "\x0a"), "protobuf: no message");
  EXPECT_EQ(ToJson("v1", "ConfigMap", NumberField(kMetadata, 1)), "protobuf: wrong wire type of metadata");
  EXPECT_EQ(ToJson("v1", "ConfigMap", NumberField(kData, 1)), "protobuf: wrong wire type of data");
  EXPECT_EQ(ToJson("v1", "ConfigMap", BytesField(kData, NumberField(2, 1))), "protobuf: wrong wire type in data");
  EXPECT_EQ(ToJson("v1", "ConfigMap", BytesField(kImmutable, "x")), "protobuf: wrong wire type of immutable");
}

// Go makes an empty list of the message, and null of none.
TEST(ProtobufToJsonTest, AListInAMapMayBeEmpty) {
  constexpr uint32_t kSpec = 2, kExtra = 6, kValue = 2;
  const auto request = [&](const std::string& entry) {
    const std::string json =
        ToJson("certificates.k8s.io/v1", "CertificateSigningRequest", BytesField(kSpec, BytesField(kExtra, entry)));
    const size_t at = json.find("\"extra\":");
    return at == std::string::npos ? json : json.substr(at, json.find('}', at) + 1 - at);
  };
  EXPECT_EQ(request(BytesField(1, "k") + BytesField(kValue, "")), R"("extra":{"k":[]})");
  EXPECT_EQ(request(BytesField(1, "k")), R"("extra":{"k":[]})");
  EXPECT_EQ(request(BytesField(1, "k") + BytesField(kValue, BytesField(1, "v"))), R"("extra":{"k":["v"]})");
}

// JSONSchemaProps holds itself.
TEST(ProtobufToJsonTest, DepthHasALimit) {
  constexpr uint32_t kSpec = 2, kVersions = 7, kSchema = 4, kOpenApi = 1, kNot = 28;
  const auto crd = [&](int depth) {
    std::string schema;
    for (int i = 0; i < depth; ++i) schema = BytesField(kNot, schema);
    return BytesField(kSpec, BytesField(kVersions, BytesField(kSchema, BytesField(kOpenApi, schema))));
  };
  constexpr absl::string_view kGroup = "apiextensions.k8s.io/v1", kKind = "CustomResourceDefinition";
  EXPECT_NE(ToJson(kGroup, kKind, crd(100)).find("\"not\":{\"not\":{"), std::string::npos);
  EXPECT_EQ(ToJson(kGroup, kKind, crd(5000)), "protobuf: too deep");
}

// Each is a block of its own, so that a sanitizer sees a read past its end.
TEST(ProtobufToJsonTest, EveryTruncationIsAnErrorOrAnObject) {
  const std::string metadata = BytesField(kName, "a") + NumberField(kGeneration, 300) +
                               BytesField(kLabels, Entry("x", "y")) + BytesField(8, NumberField(1, 1700000000)) +
                               BytesField(kFinalizers, "f");
  const std::string message = BytesField(kMetadata, metadata) + BytesField(kData, Entry("k", "v")) +
                              BytesField(kBinaryData, Entry("k", "v")) + NumberField(kImmutable, 1);
  int whole = 0;
  for (size_t length = 0; length <= message.size(); ++length) {
    const std::string json = ToJson("v1", "ConfigMap", std::string(message, 0, length));
    EXPECT_TRUE(json[0] == '{' || json.rfind("protobuf: ", 0) == 0) << json;
    whole += json[0] == '{';
  }
  EXPECT_EQ(whole, 5) << "between the four fields, and at both ends";
}

TEST(ProtobufToJsonTest, AnErrorLeavesNothingBehind) {
  ProtobufToJson writer;
  std::string json = "{";
  EXPECT_FALSE(writer.AppendFields(*FindKind("v1", "ConfigMap"), BytesField(kMetadata, "\x0a"), &json).ok());
  json = "{";
  EXPECT_TRUE(writer.AppendFields(*FindKind("v1", "ConfigMap"), "", &json).ok());
  EXPECT_EQ(json, R"({"metadata":{})");
}

TEST(ProtobufToJsonTest, CheckRefusesWhatCannotBeWritten) {
  const MessageType& pod = *FindKind("v1", "Pod");
  ProtobufToJson writer;
  const std::string good(
      "\x0a\x03\x0a\x01"
      "a\x12\x04\x52\x02n1",
      11);
  EXPECT_TRUE(writer.Check(pod, good).ok());
  for (const std::string& bad : {good.substr(0, 4), std::string("\x0a\x01\x0a"), std::string("\x08\x01")}) {
    std::string json = "{";
    EXPECT_FALSE(writer.Check(pod, bad).ok());
    EXPECT_FALSE(writer.AppendFields(pod, bad, &json).ok());
  }
  // What is not in order is checked as well as what is.
  const std::string late = NumberField(kGeneration, 1) + BytesField(kName, "a") + BytesField(kName, "b");
  EXPECT_TRUE(writer.Check(pod, BytesField(kMetadata, late)).ok());
  EXPECT_FALSE(writer.Check(pod, BytesField(kMetadata, late + "\x0a")).ok());
  // Checking leaves no trace.
  std::string json = "{";
  ASSERT_TRUE(writer.AppendFields(pod, good, &json).ok());
  EXPECT_EQ(json, R"({"metadata":{"name":"a"},"spec":{"containers":null,"nodeName":"n1"},"status":{})");
}

}  // namespace
}  // namespace tidemark::proto
