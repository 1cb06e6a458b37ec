#include "cmd/definition_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "base/log.h"
#include "base/status.h"
#include "crd/test_definitions.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cmd {
namespace {

constexpr char kDefinitionKeys[] = "/registry/apiextensions.k8s.io/customresourcedefinitions/";
constexpr char kWidgetsName[] = "widgets.shop.example.com";
constexpr char kRegionsName[] = "regions.shop.example.com";

class DefinitionFollowerTest : public testing::Test {
 protected:
  ~DefinitionFollowerTest() override {
    if (follower_ != nullptr) follower_->Stop();
  }

  void Start(const std::string& selection = "*") {
    SetLogLevel(LogLevel::kError);
    cache::MirrorCache::Options options;
    for (const config::Resource& resource : config::BuiltinResources()) {
      const bool definitions = resource.plural == "customresourcedefinitions";
      if (definitions || (resource.plural == "pods" && resource.group.empty())) options.resources.push_back(resource);
    }
    cache_ = std::make_unique<cache::MirrorCache>(options, &client_, &executor_, nullptr);
    follower_ = std::make_unique<DefinitionFollower>(
        DefinitionFollower::Options{.cache = cache_.get(),
                                    .definitions = cache_->Find("apiextensions.k8s.io", "customresourcedefinitions"),
                                    .executor = &executor_,
                                    .selection = config::ResourceSelection({selection}),
                                    .fixed = options.resources,
                                    .publish = [this](std::vector<http::ServedRow> rows) { rows_ = std::move(rows); }});
    cache_->Start();
    follower_->Start();
    executor_.RunFor(absl::Seconds(1));
  }
  Revision Define(const char* name, absl::string_view value) {
    const Revision revision = client_.Put(absl::StrCat(kDefinitionKeys, name), std::string(value));
    executor_.RunFor(absl::Seconds(1));
    return revision;
  }
  std::string Served() const {
    return absl::StrJoin(rows_, " ", [](std::string* out, const http::ServedRow& row) {
      absl::StrAppend(out, row->resource->plural, "/", row->resource->version, row->mirror->ready() ? "" : "?");
    });
  }

  SimClock clock_;
  SimExecutor executor_{clock_};
  storeclient::MemoryStoreClient client_{executor_};
  std::unique_ptr<cache::MirrorCache> cache_;
  std::unique_ptr<DefinitionFollower> follower_;
  std::vector<http::ServedRow> rows_;
};

TEST_F(DefinitionFollowerTest, ReadyWithoutDefinitions) {
  Start();
  EXPECT_TRUE(follower_->ready());
  EXPECT_EQ(Served(), "");
}

TEST_F(DefinitionFollowerTest, ReadyWhenWhatWasThereIsLoaded) {
  client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName), std::string(crd::kWidgets));
  client_.Put(absl::StrCat(kDefinitionKeys, kRegionsName), std::string(crd::kRegions));
  Start();
  EXPECT_TRUE(follower_->ready());
  EXPECT_EQ(Served(), "regions/v1 widgets/v1 widgets/v1beta1");
}

TEST_F(DefinitionFollowerTest, ServedOnceEstablishedAndNoLongerWhenGone) {
  Start();
  Define(kWidgetsName,
         absl::StrReplaceAll(crd::kWidgets, {{R"(Accepted","status":"True")", R"(Accepted","status":"False")"}}));
  EXPECT_EQ(Served(), "");
  Define(kWidgetsName, crd::kWidgets);
  EXPECT_EQ(Served(), "widgets/v1 widgets/v1beta1");
  EXPECT_EQ(rows_[0]->mirror, rows_[1]->mirror);

  const std::shared_ptr<cache::Mirror> mirror = rows_[0]->mirror;
  auto cursor = mirror->Watch({.after = mirror->revision()}, [] {});
  ASSERT_TRUE(cursor.ok());
  client_.Put("/registry/shop.example.com/widgets/shop/w",
              R"({"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"shop"}})");
  client_.Delete(absl::StrCat(kDefinitionKeys, kWidgetsName));
  executor_.RunFor(absl::Seconds(2));
  EXPECT_EQ(Served(), "");
  std::vector<cache::WatchEvent> events;
  EXPECT_TRUE((*cursor)->Next(10, &events).ok());
  EXPECT_EQ(events.size(), 1u);
  EXPECT_EQ(KindOf((*cursor)->Next(10, &events)), ErrorKind::kGone);
}

TEST_F(DefinitionFollowerTest, AChangeMakesANewMirrorAndOtherWordsDoNot) {
  Start();
  Define(kWidgetsName, crd::kWidgets);
  const std::shared_ptr<cache::Mirror> first = rows_[0]->mirror;
  Define(kWidgetsName, absl::StrReplaceAll(crd::kWidgets, {{"no conflicts found", "none"}}));
  EXPECT_EQ(rows_[0]->mirror, first);
  Define(kWidgetsName, absl::StrReplaceAll(crd::kWidgets, {{"\"wdg\"", "\"wx\""}}));
  EXPECT_NE(rows_[0]->mirror, first);
  EXPECT_EQ(Served(), "widgets/v1 widgets/v1beta1");
  EXPECT_EQ(rows_[0]->resource->short_names, (std::vector<std::string>{"wd", "wx"}));
  EXPECT_FALSE(first->ready());
}

TEST_F(DefinitionFollowerTest, OnlyWhatIsSelected) {
  Start("regions.shop.example.com");
  Define(kWidgetsName, crd::kWidgets);
  Define(kRegionsName, crd::kRegions);
  EXPECT_EQ(Served(), "regions/v1");
}

TEST_F(DefinitionFollowerTest, WhatCannotBeReadChangesNothing) {
  Start();
  Define(kRegionsName, crd::kRegions);
  Define(kRegionsName, R"({"metadata":{"name":"regions.shop.example.com"}})");
  EXPECT_EQ(Served(), "regions/v1");
}

TEST_F(DefinitionFollowerTest, DefinitionsThatGoWhileNobodyLooksAreSeen) {
  Start();
  Define(kWidgetsName, crd::kWidgets);
  Define(kRegionsName, crd::kRegions);
  client_.CutOff();
  client_.Delete(absl::StrCat(kDefinitionKeys, kWidgetsName));
  ASSERT_TRUE(client_.Compact(client_.Put("/registry/other", "x")).ok());
  client_.Reconnect();
  executor_.RunFor(absl::Seconds(30));
  EXPECT_EQ(Served(), "regions/v1");
}

}  // namespace
}  // namespace tidemark::cmd
