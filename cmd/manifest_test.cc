#include "cmd/manifest.h"

#include <set>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::cmd {
namespace {

using testing::HasSubstr;
using testing::MatchesRegex;

ManifestContext Context() {
  return {.etcd_prefix = "/registry",
          .resources = config::BuiltinResources(),
          .now = absl::FromUnixSeconds(1767225600),
          .make_uid = [] { return "u-1"; }};
}

// "KEY VALUE" of every object, a line each; or the error's text.
std::string Read(const std::string& text) {
  const auto objects = ReadManifests(text, Context());
  if (!objects.ok()) return std::string(objects.status().message());
  std::string lines;
  for (const StoredObject& object : *objects) lines += object.key + " " + object.value;
  return lines;
}

TEST(ReadManifestsTest, AYamlObjectGetsItsKeyAndMetadata) {
  EXPECT_EQ(Read("apiVersion: v1\nmetadata:\n  labels: {a: b}\n  name: c\nkind: ConfigMap\ndata: {k: '1'}\n"),
            "/registry/configmaps/default/c "
            R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"default","uid":"u-1",)"
            R"("creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":"b"}},"data":{"k":"1"}})"
            "\n");
}

TEST(ReadManifestsTest, WhatIsThereStays) {
  EXPECT_EQ(
      Read(R"({"kind": "Node", "apiVersion": "v1", "metadata": {"name": "n", "namespace": "x", "uid": "mine",
                     "resourceVersion": "5", "creationTimestamp": "2020-01-01T00:00:00Z"},
                     "spec": {"x": 1.50, "y": 9007199254740993}})"),
      "/registry/minions/n "
      R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n","uid":"mine","creationTimestamp":"2020-01-01T00:00:00Z"},)"
      R"("spec":{"x":1.5,"y":9007199254740993}})"
      "\n");
}

TEST(ReadManifestsTest, DocumentsAndListsAreTakenApart) {
  const auto objects = ReadManifests(
      "kind: List\napiVersion: v1\nitems:\n"
      "- {kind: Service, apiVersion: v1, metadata: {name: s, namespace: n}}\n"
      "- {kind: ConfigMapList, apiVersion: v1, items: [{kind: ConfigMap, apiVersion: v1, metadata: {name: c}}]}\n"
      "---\n{kind: Ingress, apiVersion: networking.k8s.io/v1, metadata: {name: i, namespace: n}}\n",
      Context());
  ASSERT_TRUE(objects.ok()) << objects.status();
  ASSERT_EQ(objects->size(), 3U);
  EXPECT_EQ((*objects)[0].key, "/registry/services/specs/n/s");
  EXPECT_EQ((*objects)[1].key, "/registry/configmaps/default/c");
  EXPECT_EQ((*objects)[2].key, "/registry/ingress/n/i");
}

TEST(ReadManifestsTest, ASecretsPlainTextBecomesData) {
  EXPECT_THAT(Read("{kind: Secret, apiVersion: v1, metadata: {name: s}, data: {a: eA==}, stringData: {b: hello}}"),
              HasSubstr(R"("data":{"a":"eA==","b":"aGVsbG8="}})"));
  EXPECT_THAT(Read("{kind: Secret, apiVersion: v1, metadata: {name: s}, stringData: {b: hello}, type: Opaque}"),
              HasSubstr(R"("type":"Opaque","data":{"b":"aGVsbG8="}})"));
}

TEST(ReadManifestsTest, NullIsNothing) {
  EXPECT_EQ(
      Read("{kind: Secret, apiVersion: v1, metadata: {name: s, namespace: null, uid: null, creationTimestamp: null, "
           "annotations: null, labels: {a: null}}, data: null, stringData: {b: null}}"),
      "/registry/secrets/default/s "
      R"({"kind":"Secret","apiVersion":"v1","metadata":{"name":"s","namespace":"default","uid":"u-1",)"
      R"("creationTimestamp":"2026-01-01T00:00:00Z","labels":{"a":""}},"data":{"b":""}})"
      "\n");
}

TEST(ReadManifestsTest, JsonIsReadAsJson) {
  const std::string head = R"({"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "c"}, "data": {"k": )";
  EXPECT_THAT(Read(head + R"("\ud83d\ude00 \u00e9"}})"), HasSubstr("\"data\":{\"k\":\"\xf0\x9f\x98\x80 \xc3\xa9\"}"));
  EXPECT_THAT(Read(head + std::string(200, '[') + std::string(200, ']') + "}}"), HasSubstr("more than 100 levels"));
}

TEST(ReadManifestsTest, MistakesNameTheDocument) {
  struct Row {
    const char* text;
    const char* error;
  };
  const Row rows[] = {
      {"a: 1\n---\nb: [", "line "},
      {"- a", "document 1: an object is wanted"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a}}\n---\na: 1", "document 2: kind and apiVersion are wanted"},
      {"{kind: Ponds, apiVersion: v1}", "no resource is known for v1 Ponds"},
      {"{kind: HorizontalPodAutoscaler, apiVersion: autoscaling/v1}",
       "is stored as autoscaling/v2, not as autoscaling/v1"},
      {"{kind: Pod, apiVersion: v1}", "metadata is wanted"},
      {"{kind: Pod, apiVersion: v1, metadata: {generateName: a-}}", "metadata.name is wanted"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a/b}}", "metadata.name \"a/b\" cannot be part of a key"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a, namespace: ../x}}", "metadata.namespace \"../x\" cannot"},
      {"{kind: Secret, apiVersion: v1, metadata: {name: s}, data: x, stringData: {a: b}}",
       "data must be a map of texts"},
      {"{kind: Secret, apiVersion: v1, metadata: {name: s}, stringData: [a]}", "stringData must be a map of texts"},
      {"{kind: Secret, apiVersion: v1, metadata: {name: s}, stringData: {port: 8080, ok: x}}",
       "stringData.port must be text, not number"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a, namespace: 123}}", "metadata.namespace must be text"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: 1}}", "metadata.name must be text, not number"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a, uid: {}}}", "metadata.uid must be text, not object"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a, creationTimestamp: 1}}", "metadata.creationTimestamp must be"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a, labels: {v: 1.10}}}", "metadata.labels.v must be text"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a, annotations: {v: yes}}}",
       "metadata.annotations.v must be text"},
      {"{kind: Pod, apiVersion: v1, metadata: {name: a, labels: [v]}}", "metadata.labels must be a map of texts"},
      {"{kind: List, items: [{kind: List, items: [{kind: List, items: [{kind: List, items: [{kind: List, items: "
       "[]}]}]}]}]}",
       "lists inside lists"},
  };
  for (const Row& row : rows) EXPECT_THAT(Read(row.text), HasSubstr(row.error)) << row.text;
}

TEST(RandomUidTest, LooksLikeAVersion4UuidAndDiffers) {
  std::set<std::string> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::string uid = RandomUid();
    ASSERT_THAT(uid, MatchesRegex("[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"));
    ASSERT_TRUE(seen.insert(uid).second);
  }
}

}  // namespace
}  // namespace tidemark::cmd
