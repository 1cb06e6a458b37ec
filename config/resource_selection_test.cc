#include "config/resource_selection.h"

#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

Resource Make(const std::string& group, const std::string& plural) {
  Resource resource;
  resource.group = group;
  resource.plural = plural;
  return resource;
}

const std::vector<Resource> kTable = {Make("", "nodes"), Make("", "pods"), Make("", "secrets"),
                                      Make("example.com", "pods")};

// The selection's names, or the error's text.
std::string Select(const std::string& items) {
  const auto selected = SelectResources(absl::StrSplit(items, ',', absl::SkipEmpty()), kTable);
  if (!selected.ok()) return std::string(selected.status().message());
  return absl::StrJoin(*selected, " ", [](std::string* out, const Resource& row) { out->append(row.GroupResource()); });
}

TEST(SelectResourcesTest, Grammar) {
  EXPECT_EQ(Select("*"), "nodes pods secrets pods.example.com");
  EXPECT_EQ(Select("secrets,nodes"), "nodes secrets");
  EXPECT_EQ(Select("pods"), "pods pods.example.com");
  EXPECT_EQ(Select("pods.example.com"), "pods.example.com");
  EXPECT_EQ(Select("*,-secrets"), "nodes pods pods.example.com");
  EXPECT_EQ(Select("-secrets"), "nodes pods pods.example.com");
  EXPECT_EQ(Select("*,-pods,pods.example.com"), "nodes secrets pods.example.com");
  EXPECT_EQ(Select("nodes,nodes"), "nodes");
}

TEST(SelectResourcesTest, Refusals) {
  EXPECT_EQ(Select("ponds"), "there is no resource \"ponds\"");
  EXPECT_EQ(Select("*,-ponds"), "there is no resource \"ponds\"");
  EXPECT_EQ(Select("nodes,-nodes"), "no resource is left");
  EXPECT_EQ(Select(""), "no resource is left");
  EXPECT_EQ(Select("-"), "there is no resource \"\"");
}

}  // namespace
}  // namespace tidemark::config
