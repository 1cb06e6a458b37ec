#include "cache/interest.h"

#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

using Kind = Interest::Kind;

ObjectSchema Schema(absl::string_view plural) {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.group.empty() && resource.plural == plural) return ObjectSchema(resource);
  }
  return ObjectSchema(config::Resource{});
}

Requirement Label(std::string key, std::vector<std::string> values, Requirement::Op op = Requirement::Op::kIn) {
  return {.key = std::move(key), .op = op, .values = std::move(values)};
}
Requirement Field(std::string path, std::string value, Requirement::Op op = Requirement::Op::kIn) {
  return {.source = Requirement::Source::kField, .key = std::move(path), .op = op, .values = {std::move(value)}};
}

TEST(InterestTest, TheNarrowestIsChosen) {
  struct Row {
    const char* name;
    const char* resource;
    Scope scope;
    std::vector<Requirement> requirements;
    Kind kind;
    const char* text;
    const char* pair;
  };
  const Row rows[] = {
      {"everything", "pods", {}, {}, Kind::kAll, "", ""},
      {"one namespace", "pods", {"default", ""}, {}, Kind::kNamespace, "default", ""},
      {"one object", "pods", {"default", "a"}, {}, Kind::kName, "default/a", ""},
      {"one object by field", "pods", {"default", ""}, {Field("metadata.name", "a")}, Kind::kName, "default/a", ""},
      {"both by field",
       "pods",
       {},
       {Field("metadata.name", "a"), Field("metadata.namespace", "default")},
       Kind::kName,
       "default/a",
       ""},
      {"a name in all namespaces", "pods", {}, {Field("metadata.name", "a")}, Kind::kAll, "", ""},
      {"a name that is excluded",
       "pods",
       {"default", ""},
       {Field("metadata.name", "a", Requirement::Op::kNotIn)},
       Kind::kNamespace,
       "default",
       ""},
      {"cluster-scoped object", "nodes", {"", "n1"}, {}, Kind::kName, "n1", ""},
      {"one node's pods", "pods", {}, {Field("spec.nodeName", "n1")}, Kind::kPair, "/n1", "spec.nodeName"},
      {"unscheduled pods", "pods", {}, {Field("spec.nodeName", "")}, Kind::kPair, "/", "spec.nodeName"},
      {"label", "pods", {}, {Label("app", {"web"})}, Kind::kPair, "/web", "app"},
      {"label in a namespace", "pods", {"default", ""}, {Label("app", {"web"})}, Kind::kPair, "default/web", "app"},
      {"field before label",
       "pods",
       {},
       {Label("app", {"web"}), Field("spec.nodeName", "n1")},
       Kind::kPair,
       "/n1",
       "spec.nodeName"},
      {"several values", "pods", {}, {Label("app", {"api", "web"})}, Kind::kAll, "", ""},
      {"negation", "pods", {}, {Label("app", {"web"}, Requirement::Op::kNotIn)}, Kind::kAll, "", ""},
      {"exists", "pods", {}, {Label("app", {}, Requirement::Op::kExists)}, Kind::kAll, "", ""},
      {"object beats pair", "pods", {"default", "a"}, {Label("app", {"web"})}, Kind::kName, "default/a", ""},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.name);
    const Interest interest = ChooseInterest(row.scope, {row.requirements}, Schema(row.resource));
    EXPECT_EQ(interest.kind, row.kind);
    EXPECT_EQ(interest.text, row.text);
    EXPECT_EQ(interest.pair.key, row.pair);
  }
}

TEST(InterestTest, PairValuesOfBothObjects) {
  const ObjectSchema schema = Schema("pods");
  const WatchedKeys keys = {{Requirement::Source::kLabel, "app"}, {Requirement::Source::kField, "spec.nodeName"}};
  Selectable before{.labels = {{"app", "web"}}, .fields = std::vector<absl::string_view>(schema.fields().size())};
  Selectable after = before;
  after.labels.clear();
  after.fields[static_cast<size_t>(schema.FindField("spec.nodeName"))] = "n1";
  const std::vector<PairValues> both = PairValuesOf(keys, schema, &before, &after);
  EXPECT_EQ(both[0].before, "web");
  EXPECT_EQ(both[0].after, std::nullopt);
  EXPECT_EQ(both[1].before, "") << "a field that is missing is empty";
  EXPECT_EQ(both[1].after, "n1");
  const std::vector<PairValues> same = PairValuesOf(keys, schema, &after, &after);
  EXPECT_EQ(same[1].before, std::nullopt) << "given once";
  EXPECT_EQ(same[1].after, "n1");
  EXPECT_EQ(PairValuesOf(keys, schema, &before, nullptr)[0].before, "web");
  EXPECT_TRUE(PairValuesOf({}, schema, &before, &after).empty());
}

}  // namespace
}  // namespace tidemark::cache
