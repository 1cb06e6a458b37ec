#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/test_mirror_cache.h"

namespace tidemark::cache {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

constexpr char kWidgets[] = "/registry/shop.example.com/widgets/";

// Leaves a mark in what it decodes, and refuses what says "broken".
class MarkingForm : public config::ObjectForm {
 public:
  absl::StatusOr<std::string> Decode(absl::string_view value) const override {
    if (value == "broken") return absl::InvalidArgumentError("it says so");
    return R"({"apiVersion":"shop.example.com/v1","kind":"Widget","metadata":{"name":"w","labels":{"marked":"yes"}}})";
  }
  absl::Status Servable() const override { return absl::OkStatus(); }
  bool Converts() const override { return false; }
  absl::StatusOr<std::string> Serve(absl::string_view json) const override { return std::string(json); }
  absl::StatusOr<std::string> Scale(absl::string_view) const override { return absl::NotFoundError(""); }
};

// Counts what is followed.
class CountingClient : public storeclient::StoreClient {
 public:
  explicit CountingClient(storeclient::StoreClient* real) : real_(real) {}
  void ReadRevision(absl::Time deadline, RevisionCallback done) override {
    real_->ReadRevision(deadline, std::move(done));
  }
  void Range(const storeclient::RangeRequest& request, absl::Time deadline, RangeCallback done) override {
    real_->Range(request, deadline, std::move(done));
  }
  std::unique_ptr<storeclient::FollowHandle> Follow(storeclient::FollowOptions options,
                                                    storeclient::FollowObserver* observer) override {
    followed.push_back(options.name);
    if (on_follow) on_follow();
    return real_->Follow(std::move(options), observer);
  }
  bool ProgressTrusted() const override { return real_->ProgressTrusted(); }

  std::vector<std::string> followed;
  std::function<void()> on_follow;

 private:
  storeclient::StoreClient* const real_;
};

config::Resource Numbered(int number) {
  const std::string plural = absl::StrCat("w", number);
  return {.group = "shop.example.com",
          .version = "v1",
          .kind = "Widget",
          .plural = plural,
          .singular = plural,
          .prefix = absl::StrCat("shop.example.com/", plural),
          .custom = true};
}

class AddedMirrorTest : public testing::Test {
 protected:
  AddedMirrorTest() { f_.Start(); }

  static config::Resource Widgets() {
    return {.group = "shop.example.com",
            .version = "v1",
            .kind = "Widget",
            .plural = "widgets",
            .singular = "widget",
            .prefix = "shop.example.com/widgets",
            .custom = true};
  }
  std::shared_ptr<Mirror> Add(config::Resource resource = Widgets()) {
    return f_.cache->Add(std::move(resource), [this] { ++ready_; });
  }
  Revision Put(const std::string& key, const std::string& value = R"({"metadata":{"name":"w"}})") {
    return f_.client.Put(kWidgets + key, value);
  }
  absl::StatusOr<View> Read(Mirror* mirror, Freshness freshness = Freshness::kAny) {
    absl::StatusOr<View> answer = absl::UnknownError("not answered");
    f_.cache->Read(mirror, {.freshness = freshness}, [&](absl::StatusOr<View> view) { answer = std::move(view); });
    f_.executor.RunUntilIdle();
    return answer;
  }

  MirrorCacheFixture f_;
  int ready_ = 0;
};

TEST_F(AddedMirrorTest, IsFollowedFromThenOn) {
  Put("shop/a");
  const std::shared_ptr<Mirror> widgets = Add();
  EXPECT_FALSE(widgets->ready());
  EXPECT_EQ(ready_, 0);
  f_.executor.RunUntilIdle();
  EXPECT_EQ(ready_, 1);
  ASSERT_TRUE(widgets->ready());
  Put("shop/b");
  const absl::StatusOr<View> view = Read(widgets.get(), Freshness::kConsistent);
  ASSERT_TRUE(view.ok()) << view.status();
  EXPECT_NE(view->snapshot->Get("shop/a"), nullptr);
  EXPECT_NE(view->snapshot->Get("shop/b"), nullptr);
}

TEST_F(AddedMirrorTest, DoesNotCountForReadiness) {
  const std::shared_ptr<Mirror> widgets = Add();
  EXPECT_FALSE(widgets->ready());
  EXPECT_TRUE(f_.cache->ready());
  EXPECT_EQ(f_.cache->mirrors().size(), 2u);
}

TEST_F(AddedMirrorTest, WatchOfARemovedOneGetsWhatIsLeftAndEnds) {
  const std::shared_ptr<Mirror> widgets = Add();
  f_.executor.RunUntilIdle();
  int wakes = 0;
  auto cursor = widgets->Watch({.after = widgets->revision()}, [&] { ++wakes; });
  ASSERT_TRUE(cursor.ok());
  EXPECT_THAT(f_.Events(cursor->get()), IsEmpty());
  Put("shop/a");
  const Revision last = f_.client.Delete(std::string(kWidgets) + "shop/a");
  f_.cache->Remove(widgets, last);
  f_.executor.RunFor(kFarewellMax);
  EXPECT_GE(wakes, 1);
  EXPECT_THAT(f_.Events(cursor->get()),
              ElementsAre(testing::StartsWith("ADDED shop/a@"), testing::StartsWith("DELETED shop/a@")));
  std::vector<WatchEvent> events;
  EXPECT_EQ(KindOf((*cursor)->Next(10, &events)), ErrorKind::kGone);
  EXPECT_EQ(KindOf(Read(widgets.get()).status()), ErrorKind::kGone);
  EXPECT_EQ(KindOf(widgets->Watch({}, [] {}).status()), ErrorKind::kGone);
}

TEST_F(AddedMirrorTest, FarewellHasALimit) {
  const std::shared_ptr<Mirror> widgets = Add();
  f_.executor.RunUntilIdle();
  f_.cache->Remove(widgets, Revision(1'000'000));
  f_.executor.RunFor(kFarewellMax / 2);
  EXPECT_TRUE(widgets->ready());
  f_.executor.RunFor(kFarewellMax);
  EXPECT_FALSE(widgets->ready());
}

TEST_F(AddedMirrorTest, RemovedBeforeItWasReadyIsNeverReady) {
  const std::shared_ptr<Mirror> widgets = Add();
  f_.cache->Remove(widgets, Revision());
  f_.executor.RunUntilIdle();
  EXPECT_EQ(KindOf(Read(widgets.get()).status()), ErrorKind::kGone) << "nobody is to be waited for";
  EXPECT_EQ(ready_, 0);
}

TEST_F(AddedMirrorTest, RemovedBeforeItsListIsDoneEndsAtOnce) {
  f_.client.HoldLists();
  const std::shared_ptr<Mirror> first = Add();
  const std::shared_ptr<Mirror> second = Add();
  f_.executor.RunUntilIdle();
  f_.cache->Remove(first, Revision());
  f_.cache->Remove(second, Revision(1'000'000));
  f_.executor.RunUntilIdle();
  EXPECT_EQ(KindOf(first->Watch({}, [] {}).status()), ErrorKind::kGone);
  EXPECT_EQ(KindOf(second->Watch({}, [] {}).status()), ErrorKind::kGone);
}

TEST_F(AddedMirrorTest, WaitsOnARemovedOneEndWithItsReason) {
  const std::shared_ptr<Mirror> widgets = Add();
  f_.executor.RunUntilIdle();
  f_.client.RefuseProgress(true);
  absl::Status waited;
  const ReadOptions never{.freshness = Freshness::kNotOlderThan, .revision = Revision(1'000'000)};
  f_.cache->Remove(widgets, Put("shop/a"));
  f_.cache->Read(widgets.get(), never, [&](absl::StatusOr<View> view) { waited = view.status(); });
  f_.executor.RunUntilIdle();
  EXPECT_EQ(KindOf(waited), ErrorKind::kGone) << waited;
}

TEST_F(AddedMirrorTest, OneNameTwiceAsLongAsTheSecondIsNotReady) {
  const std::shared_ptr<Mirror> before = Add();
  f_.executor.RunUntilIdle();
  const std::shared_ptr<Mirror> after = Add();
  f_.executor.RunUntilIdle();
  f_.cache->Remove(before, Revision());
  // What is under way on the one that was replaced comes to its end.
  f_.executor.RunFor(kReplacedMax / 2);
  EXPECT_TRUE(before->ready());
  f_.executor.RunFor(kReplacedMax);
  EXPECT_FALSE(before->ready());
  EXPECT_TRUE(after->ready());
}

TEST_F(AddedMirrorTest, ItsMetricsGoWithIt) {
  const std::string before = f_.Metrics();
  EXPECT_THAT(before, Not(HasSubstr("widgets")));
  std::shared_ptr<Mirror> widgets = Add();
  Put("shop/a");
  f_.executor.RunFor(kHousekeepingGap);
  EXPECT_THAT(f_.Metrics(), HasSubstr(R"(apiserver_resource_objects{group="shop.example.com",resource="widgets"} 1)"));
  auto cursor = widgets->Watch({.after = widgets->revision()}, [] {});
  ASSERT_TRUE(cursor.ok());
  f_.cache->Remove(widgets, widgets->revision());
  f_.executor.RunFor(kFarewellMax);
  widgets.reset();
  EXPECT_THAT(f_.Metrics(), HasSubstr("widgets")) << "the watch counts still";
  cursor->reset();
  EXPECT_THAT(f_.Metrics(), Not(HasSubstr("widgets")));
}

TEST_F(AddedMirrorTest, StopEndsThemToo) {
  const std::shared_ptr<Mirror> widgets = Add();
  const std::shared_ptr<Mirror> leaving = Add();
  f_.executor.RunUntilIdle();
  f_.cache->Remove(leaving, Revision(1'000'000));
  f_.cache->Stop();
  EXPECT_EQ(KindOf(Read(widgets.get()).status()), ErrorKind::kStopped);
  EXPECT_EQ(KindOf(Read(leaving.get()).status()), ErrorKind::kStopped);
}

// A cache of none but what is added.
class ManyAddedMirrorsTest : public testing::Test {
 protected:
  ManyAddedMirrorsTest() {
    cache_.Start();
    client_.followed.clear();  // what the cache follows for itself
  }

  void AddMany(int count) {
    for (int i = 0; i < count; ++i) added_.push_back(cache_.Add(Numbered(i), [this] { ++ready_; }));
    executor_.RunUntilIdle();
  }

  SimClock clock_;
  SimExecutor executor_{clock_};
  storeclient::MemoryStoreClient memory_{executor_};
  CountingClient client_{&memory_};
  MirrorCache cache_{{}, &client_, &executor_, nullptr};
  std::vector<std::shared_ptr<Mirror>> added_;
  int ready_ = 0;
};

TEST_F(ManyAddedMirrorsTest, SoManyFirstListsAtOnce) {
  constexpr int kMany = 1'000;
  size_t at_once = 0;
  client_.on_follow = [&] { at_once = std::max(at_once, client_.followed.size() - static_cast<size_t>(ready_)); };
  memory_.HoldLists();
  AddMany(kMany);
  EXPECT_EQ(client_.followed.size(), kFirstListsMax);
  EXPECT_EQ(ready_, 0);
  memory_.ReleaseLists();
  executor_.RunUntilIdle();
  EXPECT_EQ(ready_, kMany);
  EXPECT_EQ(at_once, kFirstListsMax);
  for (const auto& mirror : added_) ASSERT_TRUE(mirror->ready());
}

TEST_F(ManyAddedMirrorsTest, RemovedWhileItWaitsIsNeverListed) {
  memory_.HoldLists();
  AddMany(static_cast<int>(kFirstListsMax) + 2);
  // One that waits, and one that lists.
  cache_.Remove(added_[kFirstListsMax], Revision());
  cache_.Remove(added_[0], Revision());
  executor_.RunFor(kReplacedMax);
  EXPECT_EQ(client_.followed.size(), kFirstListsMax + 1);
  EXPECT_EQ(client_.followed.back(), absl::StrCat("w", kFirstListsMax + 1, ".shop.example.com"));
  memory_.ReleaseLists();
  executor_.RunUntilIdle();
  EXPECT_EQ(client_.followed.size(), kFirstListsMax + 1);
  EXPECT_EQ(ready_, static_cast<int>(kFirstListsMax));
  EXPECT_EQ(KindOf(added_[kFirstListsMax]->Watch({}, [] {}).status()), ErrorKind::kGone);
}

TEST_F(AddedMirrorTest, ValuesAreDecodedByTheForm) {
  config::Resource resource = Widgets();
  resource.form = std::make_shared<MarkingForm>();
  Put("shop/a", "anything");
  Put("shop/b", "broken");
  const std::shared_ptr<Mirror> widgets = Add(resource);
  f_.executor.RunUntilIdle();
  const absl::StatusOr<View> view = Read(widgets.get());
  ASSERT_TRUE(view.ok()) << view.status();
  const Object* const decoded = view->snapshot->Get("shop/a");
  ASSERT_NE(decoded, nullptr);
  EXPECT_THAT(std::string(decoded->Json()), testing::HasSubstr(R"("labels":{"marked":"yes"})"));
  EXPECT_EQ(view->snapshot->Get("shop/b")->reason(), "it says so");
}

}  // namespace
}  // namespace tidemark::cache
