#include "cache/object_reader.h"

#include <string>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "cache/test_sealed_value.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "proto/envelope.h"
#include "proto/json_to_protobuf.h"

namespace tidemark::cache {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

config::Resource TestResource(bool custom = false) {
  config::Resource resource;
  resource.custom = custom;
  resource.fields = {{"spec.nodeName", "spec.nodeName"},
                     {"spec.host", "spec.nodeName", false},
                     {"spec.hostNetwork", "spec.hostNetwork", true, "false"},
                     {"status.replicas", "status.replicas"},
                     {"status.podIPs", "", false},
                     {"source", "source.component", true, "", "reportingComponent"},
                     {"metadata.uid", "metadata.uid", false}};
  return resource;
}

class ObjectBuilderTest : public testing::Test {
 protected:
  ObjectRef Build(absl::string_view value) { return builder_.Build("default/a", value, Revision(123)); }
  std::string Field(absl::string_view path) const {
    return std::string(builder_.values().fields[static_cast<size_t>(schema_->FindField(path))]);
  }

  std::shared_ptr<const ObjectSchema> schema_ = std::make_shared<const ObjectSchema>(TestResource());
  ObjectBuilder builder_{schema_};
};

TEST_F(ObjectBuilderTest, SplicesTheRevisionWhereKubernetesWritesIt) {
  const ObjectRef object = Build(
      R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a","namespace":"default","uid":"u","labels":{"x":"y"}},"spec":{}})"
      "\n");
  ASSERT_FALSE(object->unreadable());
  EXPECT_EQ(object->key(), "default/a");
  EXPECT_EQ(object->namespace_name(), "default");
  EXPECT_EQ(object->name(), "a");
  EXPECT_EQ(object->mod_revision(), Revision(123));
  EXPECT_EQ(
      object->Item(),
      R"({"metadata":{"name":"a","namespace":"default","uid":"u","resourceVersion":"123","labels":{"x":"y"}},"spec":{}},)");
  EXPECT_EQ(object->ResourceVersion(), "123");
  EXPECT_EQ(object->ResourceVersion().data() - object->Item().data(),
            static_cast<ptrdiff_t>(object->Item().find("123")));
}

struct Row {
  const char* name;
  const char* value;
  const char* json;
};

class CanonicalFormTest : public testing::TestWithParam<Row> {};

TEST_P(CanonicalFormTest, IsReached) {
  ObjectBuilder builder(std::make_shared<const ObjectSchema>(TestResource()));
  const ObjectRef object = builder.Build("default/a", GetParam().value, Revision(7));
  ASSERT_FALSE(object->unreadable()) << object->reason();
  EXPECT_EQ(object->Json(), GetParam().json);
  EXPECT_EQ(object->ResourceVersion(), "7");
}

constexpr Row kForms[] = {
    {"NoKind", R"({"metadata":{"name":"a"}})", R"({"metadata":{"name":"a","resourceVersion":"7"}})"},
    {"VersionFirst", R"({"apiVersion":"v1","kind":"X","metadata":{"name":"a"}})",
     R"({"metadata":{"name":"a","resourceVersion":"7"}})"},
    {"KindLast", R"({"metadata":{"name":"a"},"spec":{"a":1},"kind":"X","apiVersion":"v1"})",
     R"({"metadata":{"name":"a","resourceVersion":"7"},"spec":{"a":1}})"},
    {"MetadataLast", R"({"kind":"X","apiVersion":"v1","spec":{"a":1},"metadata":{"name":"a"}})",
     R"({"metadata":{"name":"a","resourceVersion":"7"},"spec":{"a":1}})"},
    {"HasARevision", R"({"kind":"X","apiVersion":"v1","metadata":{"name":"a","resourceVersion":"99","generation":1}})",
     R"({"metadata":{"name":"a","resourceVersion":"7","generation":1}})"},
    {"RevisionAlone", R"({"metadata":{"resourceVersion":"99"},"x":[]})",
     R"({"metadata":{"resourceVersion":"7"},"x":[]})"},
    {"NoMetadata", R"({"kind":"X","spec":1})", R"({"metadata":{"resourceVersion":"7"},"spec":1})"},
    {"NullMetadata", R"({"metadata":null,"spec":1})", R"({"metadata":{"resourceVersion":"7"},"spec":1})"},
    {"EmptyObject", R"({})", R"({"metadata":{"resourceVersion":"7"}})"},
    {"EmptyMetadata", R"({"metadata":{}})", R"({"metadata":{"resourceVersion":"7"}})"},
    {"EmptyMetadataWithSpace", R"({"metadata":{ }})", R"({"metadata":{"resourceVersion":"7"}})"},
    {"NoIdentity", R"({"metadata":{"labels":{"a":"b"}}})",
     R"({"metadata":{"resourceVersion":"7","labels":{"a":"b"}}})"},
    {"IdentityBehindOthers", R"({"metadata":{"labels":{"a":"b"},"name":"a","generation":3}})",
     R"({"metadata":{"labels":{"a":"b"},"name":"a","resourceVersion":"7","generation":3}})"},
    {"Indented",
     "{\n  \"kind\": \"X\",\n  \"metadata\": {\n    \"labels\": {\"a\": \"b c\"},\n    \"name\": \"a\"\n  }\n}\n",
     R"({"metadata":{"name":"a","resourceVersion":"7","labels":{"a":"b c"}}})"},
    {"LineBreakInside", "{\"metadata\":{\"name\":\"a\"},\n\"spec\":{}}",
     R"({"metadata":{"name":"a","resourceVersion":"7"},"spec":{}})"},
    {"SpacesAround", "  {\"metadata\":{\"name\":\"a\" },\"spec\":{} } ",
     R"({"metadata":{"name":"a","resourceVersion":"7"},"spec":{}})"},
    {"DuplicateKeys", R"({"metadata":{"name":"b"},"spec":1,"spec":2,"metadata":{"name":"a","name":"c"}})",
     R"({"metadata":{"name":"c","resourceVersion":"7"},"spec":2})"},
    {"EscapedKeys", R"({"met\u0061data":{"n\u0061me":"a"},"kin\u0064":"X"})",
     R"({"metadata":{"n\u0061me":"a","resourceVersion":"7"}})"},
    {"EscapedKind", R"({"kind":"a\"b","apiVersion":"v1","metadata":{"name":"a"}})",
     R"({"metadata":{"name":"a","resourceVersion":"7"}})"},
    {"NamesThatAreNoText", R"({"metadata":{"name":{"x":[1,2]},"uid":5,"a":1}})",
     R"({"metadata":{"name":{"x":[1,2]},"uid":5,"resourceVersion":"7","a":1}})"},
    {"BigNumbers", R"({"metadata":{"name":"a"},"n":123456789012345678901234567890,"m":-0.5e+10})",
     R"({"metadata":{"name":"a","resourceVersion":"7"},"n":123456789012345678901234567890,"m":-0.5e+10})"},
    {"TextsThatLookLikeJson", R"({"metadata":{"name":"a"},"data":{"x":"\"}],{\\","metadata":{"name":"z"}}})",
     R"({"metadata":{"name":"a","resourceVersion":"7"},"data":{"x":"\"}],{\\","metadata":{"name":"z"}}})"},
};

INSTANTIATE_TEST_SUITE_P(All, CanonicalFormTest, testing::ValuesIn(kForms),
                         [](const auto& info) { return info.param.name; });

TEST(ObjectBuilderOfCustomResourceTest, SplicesInAlphabeticalOrder) {
  ObjectBuilder builder(std::make_shared<const ObjectSchema>(TestResource(/*custom=*/true)));
  const ObjectRef object = builder.Build(
      "a",
      R"({"apiVersion":"x/v1","kind":"X","metadata":{"generation":1,"labels":{"a":"b"},"name":"a","uid":"u"},"spec":{}})",
      Revision(5));
  EXPECT_EQ(object->Json(),
            R"({"metadata":{"generation":1,"labels":{"a":"b"},"name":"a","resourceVersion":"5","uid":"u"},"spec":{}})");
}

// A pod's metadata: name "a", resourceVersion "" as it is stored, a label; and its node.
constexpr absl::string_view kPodMessage(
    "\x0a\x0f\x0a\x01"
    "a\x32\x00\x5a\x08\x0a\x01x\x12\x03<y>"
    "\x12\x04\x52\x02n1",
    23);

config::Resource BuiltinResource(absl::string_view plural) {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.group.empty() && resource.plural == plural) return resource;
  }
  ADD_FAILURE() << "no " << plural;
  return {};
}

class ObjectBuilderOfProtobufTest : public ::testing::Test {
 protected:
  ObjectRef Build(absl::string_view message, absl::string_view api_version = "v1", absl::string_view kind = "Pod") {
    return builder_.Build("default/a", proto::WriteEnvelope({api_version, kind, message}), Revision(5));
  }

  const std::shared_ptr<const ObjectSchema> schema_ = std::make_shared<const ObjectSchema>(BuiltinResource("pods"));
  ObjectBuilder builder_{schema_};
};

TEST_F(ObjectBuilderOfProtobufTest, MessageIsKeptWithItsRevisionAndReadAsItsJson) {
  const ObjectRef pod = Build(kPodMessage);
  ASSERT_FALSE(pod->unreadable()) << pod->reason();
  ASSERT_TRUE(pod->is_protobuf());
  constexpr absl::string_view kMetadata(
      "\x0a\x01"
      "a\x32\x01"
      "5\x5a\x08\x0a\x01x\x12\x03<y>",
      16);
  EXPECT_EQ(pod->Message(), absl::StrCat("\x0a\x10", kMetadata, "\x12\x04\x52\x02n1"));
  EXPECT_EQ(pod->Item(), absl::StrCat("\x12\x18", pod->Message()));
  EXPECT_EQ(*builder_.values().FindLabel("x"), "<y>");
  EXPECT_EQ(builder_.values().fields[static_cast<size_t>(schema_->FindField("spec.nodeName"))], "n1");
  ObjectReader reader(schema_);
  EXPECT_EQ(reader.Read(*pod), builder_.values());
}

TEST_F(ObjectBuilderOfProtobufTest, MessageThatNoServerWroteBecomesItsJson) {
  const ObjectRef pod = Build(absl::StrCat("\x12\x04\x52\x02n1", kPodMessage.substr(0, 17)));
  ASSERT_FALSE(pod->unreadable()) << pod->reason();
  ASSERT_FALSE(pod->is_protobuf());
  EXPECT_EQ(pod->Json(), R"({"metadata":{"name":"a","resourceVersion":"5","labels":{"x":"\u003cy\u003e"}},)"
                         R"("spec":{"containers":null,"nodeName":"n1"},"status":{}})");
}

// Go takes bytes that are no UTF-8 for JSON, and nobody needs to read them unless a field's path leads through the JSON.
TEST_F(ObjectBuilderOfProtobufTest, JsonThatOnlyGoTakesIsKeptOrUnreadable) {
  const auto message_of = [](absl::string_view kind) {
    std::string message;
    const absl::Status made = proto::JsonToProtobuf().Append(
        *proto::FindKind("v1", kind),
        R"({"metadata":{"name":"a","managedFields":[{"fieldsV1":{"f:a":"xx"}}]},"status":{"phase":"Bound"}})",
        &message);
    EXPECT_TRUE(made.ok()) << made;
    return absl::StrReplaceAll(message, {{"xx", "\xff\xff"}});
  };
  const std::string message = message_of("Pod");
  EXPECT_FALSE(Build(message)->unreadable());
  // Reading may change a volume, and does not change this one.
  ObjectBuilder of_volumes(std::make_shared<const ObjectSchema>(BuiltinResource("persistentvolumes")));
  const std::string volume = proto::WriteEnvelope({"v1", "PersistentVolume", message_of("PersistentVolume")});
  EXPECT_TRUE(of_volumes.Build("a", volume, Revision(5))->is_protobuf());
  config::Resource pods = BuiltinResource("pods");
  pods.fields = {{"spec.containers", "spec.containers"}};  // no text
  ObjectBuilder through_json(std::make_shared<const ObjectSchema>(pods));
  const std::string value = proto::WriteEnvelope({"v1", "Pod", message});
  EXPECT_THAT(std::string(through_json.Build("default/a", value, Revision(5))->reason()), testing::HasSubstr("UTF-8"));
}

TEST_F(ObjectBuilderOfProtobufTest, WhatIsNoPodSaysWhy) {
  EXPECT_EQ(Build(kPodMessage.substr(0, 5))->reason(), "protobuf: no message");
  EXPECT_EQ(Build("", "v2")->reason(),
            "it is stored as v2 Pod in protobuf, and read as v1 Pod, which kube-apiserver 1.36 cannot read either");
}

TEST(ObjectBuilderOfOtherKindsTest, OlderVersionsAndWhatReadingChanges) {
  int seen = 0;
  for (const config::Resource& resource : config::BuiltinResources()) {
    ObjectBuilder builder(std::make_shared<const ObjectSchema>(resource));
    if (resource.plural == "jobs") {
      ++seen;
      const ObjectRef job = builder.Build("n/a",
                                          R"({"kind":"Job","apiVersion":"batch/v1","metadata":{"name":"a"},)"
                                          R"("spec":{"template":{"metadata":{"labels":{"b":"c"}}}}})",
                                          Revision(5));
      ASSERT_FALSE(job->unreadable()) << job->reason();
      EXPECT_EQ(job->Json(), R"({"metadata":{"name":"a","resourceVersion":"5","labels":{"b":"c"}},)"
                             R"("spec":{"template":{"metadata":{"labels":{"b":"c"}}}}})");
      EXPECT_EQ(*builder.values().FindLabel("b"), "c");
    } else if (resource.plural == "persistentvolumeclaims") {
      ++seen;
      const ObjectRef claim = builder.Build(
          "n/a", proto::WriteEnvelope({.api_version = "v1", .kind = "PersistentVolumeClaim"}), Revision(5));
      ASSERT_FALSE(claim->unreadable()) << claim->reason();
      EXPECT_THAT(std::string(claim->Json()), testing::HasSubstr(R"("status":{"phase":"Pending"})"));
    } else if (resource.plural == "horizontalpodautoscalers") {
      EXPECT_TRUE(
          builder
              .Build("n/a",
                     R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","metadata":{"name":"a"}})",
                     Revision(5))
              ->unreadable());
    } else if (resource.plural == "cronjobs") {
      ++seen;
      const proto::Envelope envelope = {.api_version = "batch/v1beta1", .kind = "CronJob"};
      const ObjectRef job = builder.Build("n/a", proto::WriteEnvelope(envelope), Revision(5));
      EXPECT_FALSE(job->unreadable()) << job->reason();
    }
  }
  EXPECT_EQ(seen, 3);
}

TEST_F(ObjectBuilderTest, AKindWithoutTablesIsNamed) {
  config::Resource resource;
  resource.group = "shop.example.com";
  resource.version = "v1";
  resource.kind = "Order";
  ObjectBuilder builder(std::make_shared<const ObjectSchema>(resource));
  const ObjectRef object =
      builder.Build("a", proto::WriteEnvelope({.api_version = "shop.example.com/v1", .kind = "Order"}), Revision(5));
  EXPECT_EQ(object->reason(), "it is stored as protobuf, and the fields of shop.example.com/v1 Order are not known");
}

TEST(EncryptedObjectTest, IsBuiltAsIfItWereNot) {
  config::Resource resource = TestResource();
  resource.version = "v1";
  resource.kind = "Pod";
  const config::EncryptionKey key = {"key1", "sixteen byte key"};
  const auto gcm = config::EncryptionMethod::kAesGcm;
  resource.encryption = std::make_shared<const config::EncryptionProviders>(
      config::EncryptionProviders{{gcm, {key}}, {config::EncryptionMethod::kIdentity}});
  ObjectBuilder builder(std::make_shared<const ObjectSchema>(resource, "/registry/pods/"));
  const std::string json = R"({"kind":"Pod","apiVersion":"v1","metadata":{"name":"a"},"spec":{"nodeName":"n"}})";
  const std::string protobuf = proto::WriteEnvelope({.api_version = "v1",
                                                     .kind = "Pod",
                                                     .object = std::string("\x0a\x03\x0a\x01"
                                                                           "a"
                                                                           "\x12\x03\x52\x01n")});
  for (const std::string& plain : {json, protobuf}) {
    const std::string expected(builder.Build("default/a", plain, Revision(7))->Item());
    const ObjectRef object =
        builder.Build("default/a", SealValue(gcm, key, "/registry/pods/default/a", plain), Revision(7));
    ASSERT_FALSE(object->unreadable()) << object->reason();
    EXPECT_EQ(object->Item(), expected);
    EXPECT_EQ(builder.values().fields[0], "n");
    // The value of another key in the store.
    const ObjectRef moved =
        builder.Build("default/b", SealValue(gcm, key, "/registry/pods/default/a", plain), Revision(7));
    ASSERT_TRUE(moved->unreadable());
    EXPECT_EQ(moved->key(), "default/b");
    EXPECT_THAT(std::string(moved->reason()), HasSubstr("(aesgcm, key \"key1\") and cannot be decrypted"));
  }
  EXPECT_EQ(builder.Build("default/c", SealValue(gcm, key, "/registry/pods/default/c", ""), Revision(7))->reason(),
            "its value is empty");
}

// A node as kube-apiserver 1.36.3 left it in etcd: its context is the key there, which begins otherwise than its resource.
TEST(EncryptedObjectTest, ANodeOfARealStore) {
  std::string value;
  ASSERT_TRUE(absl::Base64Unescape(
      "azhzOmVuYzphZXNnY206djE6dHdvOgqWN/qRGkfk7aZe9LQ/CGXK73L4tzf3eB5Phryj8PMJam6S2G3SNpZGT/x5f8+kPk8VBxPC"
      "LlIkcN2CQD9y96Z5FgNAZ5qYUSt819ruDYiBI4eAyQ/S1hFIPEP7c1GNTTLlH1f/DNIikLEETqXNQuHCl17PiLz3hBGe/JdxiSiI"
      "UToEj8DZuJwH0T2KHWi+1XPWUnamJv4TmBkWPuFzr61a6YfQ4tcw0iGgvXV+niTq5d2VyCVoXzN6IN6taH2MIIzIeE1gf7I2iGOE",
      &value));
  config::Resource nodes;
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.plural == "nodes" && resource.group.empty()) nodes = resource;
  }
  nodes.encryption = std::make_shared<const config::EncryptionProviders>(
      config::EncryptionProviders{{config::EncryptionMethod::kAesGcm, {{"two", "thirty-two bytes make one AES ke"}}}});
  ObjectBuilder builder(std::make_shared<const ObjectSchema>(nodes, "/registry/minions/"));
  const ObjectRef node = builder.Build("n1", value, Revision(7));
  ASSERT_FALSE(node->unreadable()) << node->reason();
  ASSERT_TRUE(node->is_protobuf());
  EXPECT_THAT(std::string(node->Message()), testing::HasSubstr("\x0a\x02n1"));
  ObjectBuilder elsewhere(std::make_shared<const ObjectSchema>(nodes, "/registry/nodes/"));
  EXPECT_TRUE(elsewhere.Build("n1", value, Revision(7))->unreadable());
}

TEST_F(ObjectBuilderTest, AValueThatCannotBeReadSaysWhy) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "empty"},
      {std::string("k8s\0\n\x0f", 6), "protobuf: no envelope"},
      {proto::WriteEnvelope({.api_version = "v1", .kind = "Secret"}), "stored as v1 Secret in protobuf, and read as"},
      {"k8s:enc:aescbc:v1:key1:\x01\x02", "encrypted at rest (aescbc), and no --encryption-provider-config"},
      {"this is no object", "not valid JSON"},
      {"[]", "not valid JSON"},
      {"\"text\"", "not valid JSON"},
      {"{", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"}} x", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"}}{}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"},\"x\":tru}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"},\"x\":[1,]}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"},\"x\":[}]}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"},\"x\":01}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"},\"x\":\"\\q\"}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"},\"x\":\"\xff\"}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"},\"x\":\"a\nb\"}", "not valid JSON"},
      {"{\"metadata\":{\"name\":\"a\"},x:1}", "not valid JSON"},
      {"{\"metadata\":\"text\"}", "metadata is not an object"},
      {absl::StrCat("{\"x\":", std::string(2000, '['), std::string(2000, ']'), "}"), "not valid JSON"},
  };
  for (const auto& [value, reason] : rows) {
    const ObjectRef object = Build(value);
    ASSERT_TRUE(object->unreadable()) << value;
    EXPECT_THAT(std::string(object->reason()), HasSubstr(reason)) << value;
    EXPECT_EQ(object->key(), "default/a");
    EXPECT_EQ(object->mod_revision(), Revision(123));
  }
}

TEST_F(ObjectBuilderTest, ReadsLabelsAndFields) {
  ASSERT_FALSE(
      Build(R"({"metadata":{"name":"a","uid":"u-1","labels":{"b":"2","a\u0041":"\u00e9\"","c":null,"d":5,"b":"3"}},)"
            R"("spec":{"nodeName":"n1","hostNetwork":true,"more":{"nodeName":"no"}},"status":{"replicas":7}})")
          ->unreadable());
  EXPECT_THAT(builder_.values().labels, ElementsAre(Pair("aA", "\xc3\xa9\""), Pair("b", "3"), Pair("c", "")));
  EXPECT_EQ(Field("spec.nodeName"), "n1");
  EXPECT_EQ(Field("spec.hostNetwork"), "true");
  EXPECT_EQ(Field("status.replicas"), "7");
  EXPECT_EQ(Field("metadata.uid"), "u-1");
  EXPECT_EQ(Field("source.component"), "");
  ASSERT_NE(builder_.values().FindLabel("c"), nullptr);
  EXPECT_EQ(builder_.values().FindLabel("d"), nullptr);
}

TEST_F(ObjectBuilderTest, MissingNullAndOddFieldsAreEmptyOrTheirDefault) {
  Build(
      R"({"metadata":{},"spec":{"nodeName":null,"hostNetwork":null},"status":{"replicas":[1]},"reportingComponent":"k"})");
  EXPECT_EQ(Field("spec.nodeName"), "");
  EXPECT_EQ(Field("spec.hostNetwork"), "false");
  EXPECT_EQ(Field("status.replicas"), "");
  EXPECT_EQ(Field("source.component"), "k");
  Build(R"({"metadata":{},"spec":5,"source":{"component":"s"},"reportingComponent":"k"})");
  EXPECT_EQ(Field("spec.nodeName"), "");
  EXPECT_EQ(Field("source.component"), "s");
}

TEST_F(ObjectBuilderTest, AReaderSeesWhatTheBuilderSaw) {
  ObjectReader reader(schema_);
  for (const size_t size : {10u, 3000u, 100000u, 2000000u, 50u}) {
    const ObjectRef object =
        Build(absl::StrCat(R"({"metadata":{"name":"a","labels":{"x":"y"}},"spec":{"nodeName":"n","pad":")",
                           std::string(size, 'p'), R"("}})"));
    ASSERT_FALSE(object->unreadable());
    EXPECT_EQ(reader.Read(*object), builder_.values());
    EXPECT_EQ(Field("spec.nodeName"), "n");
  }
}

TEST(ObjectTest, KeysWithoutAndWithManySlashes) {
  EXPECT_EQ(MakeUnreadableObject("flat", Revision(1), "r")->namespace_name(), "");
  EXPECT_EQ(MakeUnreadableObject("flat", Revision(1), "r")->name(), "flat");
  EXPECT_EQ(MakeUnreadableObject("deep/er/still", Revision(1), "r")->namespace_name(), "deep");
  EXPECT_EQ(MakeUnreadableObject("deep/er/still", Revision(1), "r")->name(), "er/still");
  EXPECT_TRUE(MakeUnreadableObject("", Revision(1), "")->unreadable());
}

}  // namespace
}  // namespace tidemark::cache
