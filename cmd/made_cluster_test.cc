#include "cmd/made_cluster.h"

#include <map>
#include <set>

#include "absl/strings/str_split.h"
#include "cmd/manifest.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::cmd {
namespace {

using testing::HasSubstr;

MadeClusterOptions Options() {
  return {.etcd_prefix = "/registry", .pods = 3000, .nodes = 30, .size_bytes = 1500, .seed = 7};
}

TEST(MadeClusterTest, CountsByKind) {
  const MadeCluster cluster(Options());
  std::map<std::string, int> counts;
  std::set<std::string> keys;
  for (int64_t i = 0; i < cluster.size(); ++i) {
    const StoredObject object = cluster.Object(i);
    EXPECT_TRUE(keys.insert(object.key).second) << object.key;
    const std::vector<std::string> parts = absl::StrSplit(object.key, '/');
    ++counts[parts[2]];
  }
  EXPECT_EQ(counts["pods"], 3000);
  EXPECT_EQ(counts["minions"], 30);
  EXPECT_EQ(counts["namespaces"], 30);
}

TEST(MadeClusterTest, TheSameSeedMakesTheSameBytes) {
  const MadeCluster a(Options()), b(Options());
  MadeClusterOptions other = Options();
  other.seed = 8;
  const MadeCluster c(other);
  int differ = 0;
  for (int64_t i = 0; i < a.size(); i += 97) {
    EXPECT_EQ(a.Object(i).value, b.Object(i).value);
    if (a.Object(i).value != c.Object(i).value) ++differ;
  }
  EXPECT_GT(differ, 0);
}

TEST(MadeClusterTest, EveryObjectIsOneThatAManifestCouldBe) {
  const MadeCluster cluster(Options());
  const ManifestContext context{
      .etcd_prefix = "/registry", .resources = config::BuiltinResources(), .now = absl::UnixEpoch(), .make_uid = [] {
        return "none";
      }};
  for (int64_t i = 0; i < cluster.size(); i += 13) {
    const StoredObject object = cluster.Object(i);
    const auto read = ReadManifests(object.value, context);
    ASSERT_TRUE(read.ok()) << read.status() << object.value;
    ASSERT_EQ(read->size(), 1U);
    EXPECT_EQ((*read)[0].key, object.key);
    EXPECT_EQ((*read)[0].value.size(), object.value.size());  // nothing had to be filled in
  }
}

TEST(MadeClusterTest, PodsReachTheSizeAndTheirNodes) {
  const MadeCluster cluster(Options());
  std::map<std::string, int> per_node;
  std::set<std::string> namespaces;
  for (int64_t i = 60; i < cluster.size(); ++i) {
    const StoredObject pod = cluster.Object(i);
    EXPECT_EQ(pod.value.size(), 1500U);
    const size_t at = pod.value.find("\"nodeName\":\"") + 12;
    ++per_node[pod.value.substr(at, pod.value.find('"', at) - at)];
    namespaces.insert(std::vector<std::string>(absl::StrSplit(pod.key, '/'))[3]);
  }
  EXPECT_EQ(per_node.size(), 30U);
  for (const auto& [node, count] : per_node) EXPECT_EQ(count, 100) << node;
  EXPECT_EQ(namespaces.size(), 30U);
}

TEST(MadeClusterTest, WithoutNodesPodsWait) {
  const MadeCluster cluster({.etcd_prefix = "/p", .pods = 1});
  const StoredObject pod = cluster.Object(cluster.size() - 1);
  EXPECT_THAT(pod.key, HasSubstr("/p/pods/"));
  EXPECT_THAT(pod.value, HasSubstr(R"("status":{"phase":"Pending"}})"));
  EXPECT_THAT(pod.value, testing::Not(HasSubstr("nodeName")));
}

}  // namespace
}  // namespace tidemark::cmd
