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

TEST(SelectResourcesTest, CustomResourcesAreNamedWithTheirGroup) {
  EXPECT_EQ(Select("nodes,widgets.shop.example.org"), "nodes");
  EXPECT_EQ(Select("widgets.shop.example.org"), "");
  EXPECT_EQ(Select("ponds.example.com"), "there is no resource \"ponds.example.com\"");
  std::vector<Resource> table = kTable;
  table.back().custom = true;  // from a file: definitions may add to its group
  EXPECT_TRUE(SelectResources({"nodes", "ponds.example.com"}, table).ok());
  EXPECT_EQ(Select("widgets.shop"), "there is no resource \"widgets.shop\"");
}

TEST(ResourceSelectionTest, TakesWhatIsNotInTheTable) {
  const auto takes = [](const std::string& items) {
    const ResourceSelection selection(absl::StrSplit(items, ',', absl::SkipEmpty()));
    return std::string(selection.Takes("widgets", "widgets.shop.example.com") ? "taken" : "left") +
           (selection.TakesCustom() ? ", custom" : "");
  };
  EXPECT_EQ(takes("*"), "taken, custom");
  EXPECT_EQ(takes("-secrets"), "taken, custom");
  EXPECT_EQ(takes("pods"), "left");
  EXPECT_EQ(takes("pods,widgets.shop.example.com"), "taken, custom");
  EXPECT_EQ(takes("pods,others.shop.example.com"), "left, custom");
  EXPECT_EQ(takes("*,-widgets.shop.example.com"), "left, custom");
  EXPECT_EQ(takes("pods,-widgets.shop.example.com"), "left");
  EXPECT_EQ(takes(""), "left");
}

}  // namespace
}  // namespace tidemark::config
