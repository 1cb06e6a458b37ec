#include "cmd/definition_follower.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "base/log.h"
#include "base/status.h"
#include "crd/test_definitions.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cmd {
namespace {

constexpr char kDefinitionKeys[] = "/registry/apiextensions.k8s.io/customresourcedefinitions/";
constexpr char kWidgetsName[] = "widgets.shop.example.com";
constexpr char kRegionsName[] = "regions.shop.example.com";
// As kube-apiserver stores it: v1beta1, where versions may share what they have.
constexpr absl::string_view kStoredRegions =
    R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1beta1",)"
    R"("metadata":{"name":"regions.shop.example.com","uid":"u-regions"},)"
    R"("spec":{"group":"shop.example.com","version":"v1",)"
    R"("names":{"plural":"regions","singular":"region","kind":"Region","listKind":"RegionList"},"scope":"Cluster",)"
    R"("additionalPrinterColumns":[{"name":"Code","type":"string","JSONPath":".spec.code"}],)"
    R"("versions":[{"name":"v1","served":true,"storage":true}],"conversion":{"strategy":"None"},)"
    R"("preserveUnknownFields":false},"status":{"conditions":[{"type":"Established","status":"True"}],)"
    R"("acceptedNames":{"plural":"regions","singular":"region","kind":"Region","listKind":"RegionList"}}})";

std::string NumberedName(int number) { return absl::StrCat("w", number, ".shop.example.com"); }
std::string NumberedWidgets(int number) {
  return absl::StrReplaceAll(crd::kWidgets, {{"widgets", absl::StrCat("w", number)}});
}

class DefinitionFollowerTest : public testing::Test {
 protected:
  ~DefinitionFollowerTest() override {
    if (follower_ != nullptr) follower_->Stop();
  }

  void Start(const std::string& selection = "*", LogLevel log_level = LogLevel::kError) {
    SetLogLevel(log_level);
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
                                    .publish = [this](std::vector<http::ServedRow> rows) { Take(std::move(rows)); },
                                    .parse =
                                        [this](absl::string_view value) {
                                          ++parsed_;
                                          return crd::ParseDefinition(value);
                                        }});
    cache_->Start();
    follower_->Start();
    executor_.RunFor(absl::Seconds(1));
  }
  void Take(std::vector<http::ServedRow> rows) {
    ++publishings_;
    for (const http::ServedRow& row : rows) unready_served_ += row->mirror->ready() ? 0 : 1;
    for (const http::ServedRow& row : rows_) gone_too_soon_ += row->mirror->ready() ? 0 : 1;
    rows_ = std::move(rows);
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
  int publishings_ = 0;
  int parsed_ = 0;
  int unready_served_ = 0;  // rows published before their mirror was ready
  int gone_too_soon_ = 0;   // rows whose mirror was removed while they were served
};

TEST_F(DefinitionFollowerTest, ReadyWithoutDefinitions) {
  Start();
  EXPECT_TRUE(follower_->ready());
  EXPECT_EQ(Served(), "");
}

TEST_F(DefinitionFollowerTest, ReadyWhenWhatWasThereIsLoaded) {
  client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName), std::string(crd::kWidgets));
  client_.Put(absl::StrCat(kDefinitionKeys, kRegionsName), std::string(kStoredRegions));
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
  executor_.RunFor(absl::Seconds(10));
  EXPECT_FALSE(first->ready());
}

TEST_F(DefinitionFollowerTest, StoredV1beta1IsServed) {
  Start();
  Define(kRegionsName, kStoredRegions);
  ASSERT_EQ(Served(), "regions/v1");
  ASSERT_EQ(rows_[0]->resource->object_columns->columns().size(), 2u);
  EXPECT_EQ(rows_[0]->resource->object_columns->columns()[1].name, "Code");
}

TEST_F(DefinitionFollowerTest, ThereAndBackDoesNotServeAMirrorThatIsNotReady) {
  Start();
  const std::string other = absl::StrReplaceAll(crd::kWidgets, {{"\"wdg\"", "\"wx\""}});
  // The way there and back falls between any two steps of the first mirror's list.
  for (int steps = 0; steps < 40; ++steps) {
    client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName), crd::kWidgets);
    for (int step = 0; step < steps; ++step) executor_.RunOne();
    client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName), other);
    client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName), crd::kWidgets);
    executor_.RunFor(absl::Seconds(1));
    EXPECT_EQ(Served(), "widgets/v1 widgets/v1beta1") << steps;
    EXPECT_EQ(unready_served_, 0) << steps;
    client_.Delete(absl::StrCat(kDefinitionKeys, kWidgetsName));
    executor_.RunFor(absl::Seconds(10));
  }
}

TEST_F(DefinitionFollowerTest, ManyThatGoOrChangeTogetherAreOneCatalogue) {
  constexpr int kMany = 50;
  for (int i = 0; i < kMany; ++i) client_.Put(absl::StrCat(kDefinitionKeys, NumberedName(i)), NumberedWidgets(i));
  Start();
  ASSERT_EQ(rows_.size(), 2u * kMany);
  client_.set_event_batch_revisions(kMany);

  publishings_ = 0;
  for (int i = 0; i < kMany; ++i) {
    client_.Put(absl::StrCat(kDefinitionKeys, NumberedName(i)),
                absl::StrReplaceAll(NumberedWidgets(i), {{"\"wdg\"", "\"wx\""}}));
  }
  executor_.RunFor(absl::Seconds(1));
  EXPECT_EQ(rows_[0]->resource->short_names, (std::vector<std::string>{"wd", "wx"}));
  EXPECT_EQ(publishings_, 1);

  publishings_ = 0;
  const std::shared_ptr<cache::Mirror> first = rows_[0]->mirror;
  // Their mirrors are at that revision already when it is seen: nothing keeps them from ending.
  std::vector<storeclient::MemoryStore::Write> writes;
  for (int i = 0; i < kMany; ++i) {
    writes.push_back({absl::StrCat(kDefinitionKeys, NumberedName(i)), std::nullopt});
    writes.push_back({absl::StrCat("/registry/shop.example.com/w", i, "/shop/a"), "{}"});
  }
  client_.Txn(writes);
  executor_.RunFor(absl::Seconds(2));
  EXPECT_EQ(Served(), "");
  EXPECT_EQ(publishings_, 1);
  EXPECT_FALSE(first->ready());
  EXPECT_EQ(unready_served_, 0);
  EXPECT_EQ(gone_too_soon_, 0);
}

TEST_F(DefinitionFollowerTest, WhatIsReadyIsServedWhileOthersLoad) {
  constexpr int kStepsEnoughForOne = 50;
  for (int i = 0; i < 2 * kStepsEnoughForOne; ++i) {
    client_.Put(absl::StrCat("/registry/shop.example.com/w2/shop/", i), R"({"kind":"Widget"})");
  }
  Start();
  publishings_ = 0;
  client_.set_page_keys(1);
  client_.set_event_batch_revisions(2);
  client_.Put(absl::StrCat(kDefinitionKeys, NumberedName(1)), NumberedWidgets(1));
  client_.Put(absl::StrCat(kDefinitionKeys, NumberedName(2)), NumberedWidgets(2));
  for (int step = 0; step < kStepsEnoughForOne; ++step) executor_.RunOne();
  client_.HoldLists();
  executor_.RunUntilIdle();
  executor_.RunFor(kPublishGap - absl::Milliseconds(1));
  EXPECT_EQ(publishings_, 0) << Served();
  executor_.RunFor(absl::Milliseconds(1));
  EXPECT_EQ(publishings_, 1);
  EXPECT_EQ(Served(), "w1/v1 w1/v1beta1");
  client_.ReleaseLists();
  executor_.RunUntilIdle();
  EXPECT_EQ(publishings_, 2) << "nothing loads any more: at once";
  EXPECT_EQ(rows_.size(), 4u);
  executor_.RunFor(10 * kPublishGap);
  EXPECT_EQ(publishings_, 2);
}

TEST_F(DefinitionFollowerTest, OnlyWhatIsSelected) {
  Start("regions.shop.example.com");
  Define(kWidgetsName, crd::kWidgets);
  Define(kRegionsName, kStoredRegions);
  EXPECT_EQ(Served(), "regions/v1");
}

TEST_F(DefinitionFollowerTest, ADefinitionUnderAnotherNameIsNone) {
  Start();
  Define("foo", absl::StrReplaceAll(crd::kWidgets, {{R"("name":"widgets.shop.example.com")", R"("name":"foo")"}}));
  EXPECT_EQ(Served(), "");
  Define(kWidgetsName, crd::kWidgets);
  EXPECT_EQ(Served(), "widgets/v1 widgets/v1beta1");
}

TEST_F(DefinitionFollowerTest, WhatCannotBeReadChangesNothing) {
  Start();
  Define(kRegionsName, kStoredRegions);
  Define(kRegionsName, R"({"metadata":{"name":"regions.shop.example.com"}})");
  EXPECT_EQ(Served(), "regions/v1");
}

TEST_F(DefinitionFollowerTest, OneThatIsNoJsonDoesNotKeepTheOthersBack) {
  client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName), "{");
  client_.Put(absl::StrCat(kDefinitionKeys, kRegionsName), kStoredRegions);
  Start();
  EXPECT_TRUE(follower_->ready());
  EXPECT_EQ(Served(), "regions/v1");
  Define(kWidgetsName, crd::kWidgets);
  EXPECT_EQ(Served(), "regions/v1 widgets/v1 widgets/v1beta1");
  const std::shared_ptr<cache::Mirror> mirror = rows_[1]->mirror;
  Define(kWidgetsName, "{");
  Define(kRegionsName, "k8s:enc:aescbc:v1:key1:something");
  EXPECT_EQ(Served(), "regions/v1 widgets/v1 widgets/v1beta1");
  // And as before once it can be read again.
  Define(kWidgetsName, crd::kWidgets);
  EXPECT_EQ(rows_[1]->mirror, mirror);
  Define(kWidgetsName, "{");
  client_.Delete(absl::StrCat(kDefinitionKeys, kWidgetsName));
  executor_.RunFor(absl::Seconds(1));
  EXPECT_EQ(Served(), "regions/v1");
}

TEST_F(DefinitionFollowerTest, WhatCannotBeReadIsLoggedOnceForEachRevision) {
  const auto times = [](absl::string_view log) {
    return std::vector<absl::string_view>(absl::StrSplit(log, "definition of custom resources cannot be read")).size() -
           1;
  };
  client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName), "{");
  Start();
  SetLogLevel(LogLevel::kWarning);
  testing::internal::CaptureStderr();
  Define(kWidgetsName, "[");
  EXPECT_EQ(times(testing::internal::GetCapturedStderr()), 1u);
  // Listed anew.
  const int64_t lists = client_.counts().lists;
  testing::internal::CaptureStderr();
  client_.CutOff();
  client_.Put("/registry/other", "x");
  ASSERT_TRUE(client_.Compact(client_.Put("/registry/other", "x")).ok());
  client_.Reconnect();
  executor_.RunFor(absl::Seconds(30));
  EXPECT_EQ(times(testing::internal::GetCapturedStderr()), 0u);
  EXPECT_GT(client_.counts().lists, lists);
  testing::internal::CaptureStderr();
  Define(kWidgetsName, R"({"metadata":{"name":"widgets.shop.example.com"}})");
  EXPECT_EQ(times(testing::internal::GetCapturedStderr()), 1u);
}

TEST_F(DefinitionFollowerTest, ARelistReadsOnlyWhatHasChanged) {
  client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName), std::string(crd::kWidgets));
  client_.Put(absl::StrCat(kDefinitionKeys, NumberedName(1)), NumberedWidgets(1));
  Start();
  EXPECT_EQ(parsed_, 2);
  Define(kRegionsName, kStoredRegions);
  EXPECT_EQ(parsed_, 3);
  const std::shared_ptr<cache::Mirror> widgets = rows_.back()->mirror;
  client_.CutOff();
  client_.Delete(absl::StrCat(kDefinitionKeys, kRegionsName));
  client_.Put(absl::StrCat(kDefinitionKeys, NumberedName(1)),
              absl::StrReplaceAll(NumberedWidgets(1), {{"\"wdg\"", "\"wx\""}}));
  ASSERT_TRUE(client_.Compact(client_.Put("/registry/other", "x")).ok());
  client_.Reconnect();
  executor_.RunFor(absl::Seconds(30));
  EXPECT_EQ(parsed_, 4);
  EXPECT_EQ(Served(), "w1/v1 w1/v1beta1 widgets/v1 widgets/v1beta1");
  EXPECT_EQ(rows_[0]->resource->short_names, (std::vector<std::string>{"wd", "wx"}));
  EXPECT_EQ(rows_.back()->mirror, widgets);
  // One that comes again is new.
  Define(kRegionsName, kStoredRegions);
  EXPECT_EQ(parsed_, 5);
  EXPECT_EQ(rows_.size(), 5u);
}

TEST_F(DefinitionFollowerTest, AfterARestoreTheSameRevisionIsReadAgain) {
  Start();
  const Revision before = client_.revision();
  const Revision first = Define(kWidgetsName, crd::kWidgets);
  client_.Rewind(before);
  EXPECT_EQ(client_.Put(absl::StrCat(kDefinitionKeys, kWidgetsName),
                        absl::StrReplaceAll(crd::kWidgets, {{"\"wdg\"", "\"wx\""}})),
            first);
  executor_.RunFor(absl::Seconds(30));
  ASSERT_EQ(Served(), "widgets/v1 widgets/v1beta1");
  EXPECT_EQ(rows_[0]->resource->short_names, (std::vector<std::string>{"wd", "wx"}));
}

TEST_F(DefinitionFollowerTest, WhyItCannotFollowIsLoggedOnce) {
  client_.HoldLists();
  testing::internal::CaptureStderr();
  Start("*", LogLevel::kInfo);
  executor_.RunFor(absl::Seconds(1));
  const std::string log = testing::internal::GetCapturedStderr();
  EXPECT_EQ(std::vector<absl::string_view>(absl::StrSplit(log, "cannot be followed yet")).size(), 2u) << log;
  client_.ReleaseLists();
  executor_.RunFor(absl::Seconds(1));
  EXPECT_TRUE(follower_->ready());
}

TEST_F(DefinitionFollowerTest, DefinitionsThatGoWhileNobodyLooksAreSeen) {
  Start();
  Define(kWidgetsName, crd::kWidgets);
  Define(kRegionsName, kStoredRegions);
  client_.CutOff();
  client_.Delete(absl::StrCat(kDefinitionKeys, kWidgetsName));
  ASSERT_TRUE(client_.Compact(client_.Put("/registry/other", "x")).ok());
  client_.Reconnect();
  executor_.RunFor(absl::Seconds(30));
  EXPECT_EQ(Served(), "regions/v1");
}

}  // namespace
}  // namespace tidemark::cmd
