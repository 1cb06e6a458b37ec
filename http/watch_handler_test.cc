#include "http/watch_handler.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "base/status.h"
#include "http/api_fixture.h"

namespace tidemark::http {
namespace {

using cache::Freshness;
using testing::HasSubstr;

const std::string kBlue = "/api/v1/namespaces/blue/configmaps";
const std::string kWatchList = "watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan";

class WatchHandlerTest : public ApiFixture {
 protected:
  std::shared_ptr<FakeExchange> Watch(const std::string& query) { return Send(kBlue + "?" + query); }

  const std::string state_ = Frame("ADDED", cm0_) + Frame("ADDED", cm1_) + Frame("ADDED", cm3_) + Frame("ADDED", cm9_);
};

// kube-list-watch 1.8, row by row: how the state is read, and what comes before the first change.
struct WatchRow {
  std::string name;
  std::string query;
  std::optional<Freshness> freshness;  // of the read, if there is one
  int64_t revision;
  bool state;
  bool end_bookmark;
};

TEST_F(WatchHandlerTest, EveryRowOfTheWatchTable) {
  const std::string none = "watch=true&sendInitialEvents=false&resourceVersionMatch=NotOlderThan";
  const std::vector<WatchRow> rows = {
      {"W1", "watch=true", Freshness::kConsistent, 0, true, false},
      {"W1 bookmarks", "watch=true&allowWatchBookmarks=true", Freshness::kConsistent, 0, true, true},
      {"W1 bare", "watch=", Freshness::kConsistent, 0, true, false},
      {"W1 capital", "watch=True&resourceVersion=", Freshness::kConsistent, 0, true, false},
      {"W2", "watch=true&resourceVersion=0", Freshness::kAny, 0, true, false},
      {"W2 bookmarks", "watch=1&resourceVersion=0&allowWatchBookmarks=1", Freshness::kAny, 0, true, true},
      {"W3", kWatchList + "&allowWatchBookmarks=true", Freshness::kConsistent, 0, true, true},
      {"W3'", kWatchList, Freshness::kConsistent, 0, true, false},
      {"W4", kWatchList + "&allowWatchBookmarks=true&resourceVersion=0", Freshness::kAny, 0, true, true},
      {"W4'", kWatchList + "&resourceVersion=0", Freshness::kAny, 0, true, false},
      {"W5", kWatchList + "&allowWatchBookmarks=true&resourceVersion=80", Freshness::kNotOlderThan, 80, true, true},
      {"W5'", kWatchList + "&resourceVersion=80", Freshness::kNotOlderThan, 80, true, false},
      {"W6", none, Freshness::kConsistent, 0, false, false},
      {"W7", none + "&resourceVersion=0", Freshness::kAny, 0, false, false},
      {"W8 now", "watch=true&resourceVersion=84", std::nullopt, 0, false, false},
      {"W8 now, no state", none + "&resourceVersion=84&allowWatchBookmarks=true", std::nullopt, 0, false, false},
  };
  std::vector<std::shared_ptr<FakeExchange>> watches;
  for (const WatchRow& row : rows) {
    const size_t reads = cache_.reads().size();
    watches.push_back(Watch(row.query));
    FakeExchange& watch = *watches.back();
    ASSERT_EQ(watch.status(), 200) << row.name;
    EXPECT_EQ(watch.head().content_type, "application/json") << row.name;
    EXPECT_EQ(cache_.reads().size() - reads, row.freshness.has_value() ? 1u : 0u) << row.name;
    if (row.freshness.has_value()) {
      EXPECT_EQ(cache_.reads().back().freshness, *row.freshness) << row.name;
      EXPECT_EQ(cache_.reads().back().revision, Revision(row.revision)) << row.name;
    }
    EXPECT_EQ(watch.Drain(), (row.state ? state_ : "") + (row.end_bookmark ? Bookmark(84, true) : "")) << row.name;
    EXPECT_FALSE(watch.ended()) << row.name;
  }
  config_maps_->Put(85, "blue/new");
  for (size_t i = 0; i < rows.size(); ++i) {
    EXPECT_GE(watches[i]->wakes(), 1) << rows[i].name;
    EXPECT_EQ(watches[i]->Drain(), Frame("ADDED", Item("blue", "new", 85))) << rows[i].name;
  }
}

TEST_F(WatchHandlerTest, W8FromAnOldRevision) {
  const auto watch = Watch("watch=true&resourceVersion=80");
  // What is deleted is the last state, at the revision of its end.
  EXPECT_EQ(watch->Drain(),
            Frame("MODIFIED", cm1_) + Frame("DELETED", Item("blue", "cm-2", 82, "web")) + Frame("ADDED", cm9_));
}

TEST_F(WatchHandlerTest, W8FromTheFutureIsAcceptedAndSilent) {
  const auto watch = Watch("watch=true&resourceVersion=90&allowWatchBookmarks=true");
  EXPECT_EQ(watch->status(), 200);
  config_maps_->Put(90, "blue/silent");
  EXPECT_EQ(watch->Drain(), "");
  config_maps_->Put(91, "blue/heard");
  EXPECT_EQ(watch->Drain(), Frame("ADDED", Item("blue", "heard", 91)));
}

TEST_F(WatchHandlerTest, ABookmarkNeverSaysLessThanTheClientKnowsNorMoreThanThereIs) {
  const auto watch = Watch("watch=true&resourceVersion=90&allowWatchBookmarks=true");
  executor_.RunFor(absl::Minutes(2));
  EXPECT_EQ(watch->Drain(), "");
  config_maps_->Progress(89);
  executor_.RunFor(absl::Minutes(2));
  EXPECT_EQ(watch->Drain(), "");
  config_maps_->Progress(90);
  executor_.RunFor(absl::Minutes(2));
  EXPECT_EQ(watch->Drain(), Bookmark(90, false));
}

TEST_F(WatchHandlerTest, W8BelowTheHistoryIsExpiredInTheStream) {
  config_maps_->Compact(82);
  for (const std::string query :
       {"watch=true&resourceVersion=74", "watch=true&resourceVersion=74&labelSelector=none"}) {
    const auto watch = Watch(query);
    EXPECT_EQ(watch->status(), 200);
    EXPECT_EQ(watch->Drain(),
              R"x({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)x"
              R"x("message":"too old resource version: 74 (82)","reason":"Expired","code":410}})x"
              "\n");
    EXPECT_TRUE(watch->ended());
  }
}

TEST_F(WatchHandlerTest, FallingOutOfTheHistoryEndsTheWatch) {
  const auto watch = Watch("watch=true&resourceVersion=84");
  EXPECT_EQ(watch->Drain(), "");
  config_maps_->Put(85, "blue/missed");
  config_maps_->Compact(86);
  EXPECT_THAT(watch->Drain(), HasSubstr("too old resource version: 84 (86)"));
  EXPECT_TRUE(watch->ended());
}

TEST_F(WatchHandlerTest, TheStateOfAFutureRevisionEndsWithOneError) {
  for (const std::string bookmarks : {"", "&allowWatchBookmarks=true"}) {
    const auto watch = Watch(kWatchList + "&resourceVersion=9000000" + bookmarks);
    EXPECT_EQ(watch->status(), 200);
    EXPECT_EQ(
        watch->Drain(),
        R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
        R"("message":"Timeout: )"
        R"(Too large resource version: 9000000, current: 84","reason":"Timeout","details":{"causes":[{"reason":)"
        R"("ResourceVersionTooLarge","message":"Too large resource version"}],"retryAfterSeconds":1},"code":504}})"
        "\n");
    EXPECT_TRUE(watch->ended());
  }
}

TEST_F(WatchHandlerTest, WhatIsWrongBeforeTheWatchExistsIsAnHttpError) {
  for (const std::string& query : {std::string("watch=true&resourceVersion=abc"),
                                   std::string("watch=true&resourceVersion=-1"), kWatchList + "&resourceVersion=abc"}) {
    const auto watch = Watch(query);
    EXPECT_EQ(watch->status(), 500) << query;
    EXPECT_THAT(watch->Drain(), HasSubstr(R"("message":"resourceVersion: Invalid value: )")) << query;
  }
  EXPECT_EQ(Watch("watch=true&resourceVersionMatch=NotOlderThan")->status(), 422);
  EXPECT_EQ(Watch("watch=true&timeoutSeconds=abc")->status(), 400);
  config_maps_->set_ready(false);
  for (const std::string query : {"watch=true", "watch=true&resourceVersion=80"}) {
    const auto watch = Watch(query);
    EXPECT_EQ(watch->status(), 429) << query;
    EXPECT_EQ(watch->Header("Retry-After"), "1");
  }
}

TEST_F(WatchHandlerTest, SelectorTransitions) {
  const auto watch = Watch("watch=true&resourceVersion=74&labelSelector=app%3Dweb");
  EXPECT_EQ(watch->Drain(),
            Frame("ADDED", cm0_) + Frame("ADDED", cm1_old_) + Frame("ADDED", cm2_) + Frame("ADDED", cm3_) +
                // cm-1 left: the old object, at the revision of its leaving
                Frame("DELETED", Item("blue", "cm-1", 81, "web")) + Frame("DELETED", Item("blue", "cm-2", 82, "web")));
  config_maps_->Put(85, "blue/cm-1", {{"app", "web"}});
  EXPECT_EQ(watch->Drain(), Frame("ADDED", Item("blue", "cm-1", 85, "web")));
}

TEST_F(WatchHandlerTest, ManyWatchesShareOneFramePerEventAndType) {
  const auto a = Watch("watch=true&resourceVersion=84");
  const auto b = Watch("watch=true&resourceVersion=84&labelSelector=app");
  a->Drain();
  b->Drain();
  config_maps_->Put(85, "blue/x", {{"app", "web"}});
  std::vector<absl::string_view> of_a;
  std::vector<absl::string_view> of_b;
  a->source()->Pull(1000, &of_a);
  b->source()->Pull(1000, &of_b);
  ASSERT_EQ(of_a.size(), 1u);
  ASSERT_EQ(of_b.size(), 1u);
  EXPECT_EQ(of_a[0].data(), of_b[0].data());
}

TEST_F(WatchHandlerTest, BookmarksEachMinuteSayWhatWasSent) {
  const auto watch = Watch("watch=true&resourceVersion=84&allowWatchBookmarks=true");
  const auto plain = Watch("watch=true&resourceVersion=84");
  EXPECT_EQ(watch->Drain(), "");
  config_maps_->Put(85, "green/elsewhere");
  EXPECT_EQ(watch->Drain(), "");
  executor_.RunFor(absl::Minutes(1));
  config_maps_->Put(86, "blue/x");
  // The event that is there goes first; the bookmark follows it.
  EXPECT_EQ(watch->Drain(), Frame("ADDED", Item("blue", "x", 86)) + Bookmark(86, false));
  executor_.RunFor(absl::Minutes(1));
  EXPECT_EQ(watch->Drain(), Bookmark(86, false));
  EXPECT_EQ(watch->Drain(), "");
  EXPECT_EQ(plain->Drain(), Frame("ADDED", Item("blue", "x", 86)));
  executor_.RunFor(absl::Minutes(5));
  EXPECT_EQ(plain->Drain(), "");
}

// With kWait the connection would keep the bookmark's bytes, and its source theirs, until the next event.
TEST_F(WatchHandlerTest, BehindABookmarkTheSourceIsAskedOnceMore) {
  using State = net::BodySource::State;
  for (const bool draining : {false, true}) {
    const auto watch = Watch("watch=true&resourceVersion=84&allowWatchBookmarks=true");
    EXPECT_EQ(watch->Drain(), "");
    executor_.RunFor(absl::Minutes(2));
    if (draining) watch->source()->Drain();
    std::vector<absl::string_view> slices;
    EXPECT_EQ(watch->source()->Pull(1000, &slices), draining ? State::kEnd : State::kMore);
    EXPECT_EQ(absl::StrJoin(slices, ""), Bookmark(84, false));
    if (draining) continue;
    slices.clear();
    EXPECT_EQ(watch->source()->Pull(1000, &slices), State::kWait);
    EXPECT_TRUE(slices.empty());
  }
}

TEST_F(WatchHandlerTest, TimeoutSecondsEndsTheStreamCleanly) {
  const auto watch = Watch("watch=true&resourceVersion=84&timeoutSeconds=2&timeout=30s");
  EXPECT_EQ(watch->Drain(), "");
  executor_.RunFor(absl::Seconds(1));
  EXPECT_EQ(watch->wakes(), 0);
  executor_.RunFor(absl::Seconds(2));
  EXPECT_EQ(watch->wakes(), 1);
  EXPECT_EQ(watch->Drain(), "");
  EXPECT_TRUE(watch->ended());
  EXPECT_FALSE(watch->aborted());
}

TEST_F(WatchHandlerTest, WithoutTimeoutSecondsItLastsHalfAnHourToAnHour) {
  for (const std::string query : {"watch=true&resourceVersion=84", "watch=true&resourceVersion=84&timeoutSeconds=0"}) {
    const auto watch = Watch(query);
    watch->Drain();
    executor_.RunFor(absl::Minutes(30) - absl::Seconds(1));
    EXPECT_EQ(watch->wakes(), 0);
    executor_.RunFor(absl::Minutes(31));
    watch->Drain();
    EXPECT_TRUE(watch->ended()) << query;
  }
}

TEST_F(WatchHandlerTest, DrainingEndsAWatchThatHasCaughtUp) {
  const auto watch = Watch("watch=true&resourceVersion=83");
  watch->Drain();
  config_maps_->Put(85, "blue/x");
  watch->source()->Drain();
  EXPECT_EQ(watch->Drain(), Frame("ADDED", Item("blue", "x", 85)));
  EXPECT_TRUE(watch->ended());
}

TEST_F(WatchHandlerTest, DeprecatedPaths) {
  EXPECT_EQ(Get("/api/v1/watch/namespaces/blue/configmaps"), state_);
  EXPECT_EQ(Get("/api/v1/watch/namespaces/blue/configmaps?watch=false&resourceVersion=82"), Frame("ADDED", cm9_));
  EXPECT_EQ(Get("/api/v1/watch/namespaces/blue/configmaps/cm-1"), Frame("ADDED", cm1_));
  EXPECT_EQ(Get("/api/v1/watch/configmaps?resourceVersion=82"), Frame("ADDED", cm9_));
  EXPECT_THAT(Get("/api/v1/watch/namespaces/blue/configmaps/cm-1?fieldSelector=metadata.name%3Dcm-2"),
              HasSubstr("fieldSelector metadata.name doesn't match requested name"));
}

TEST_F(WatchHandlerTest, AnUnreadableObjectEndsTheStreamWithItsName) {
  const auto watch = Watch("watch=true&resourceVersion=84");
  config_maps_->Put(85, "blue/x");
  config_maps_->PutUnreadable(86, "blue/broken");
  const std::string body = watch->Drain();
  EXPECT_THAT(body, testing::StartsWith(Frame("ADDED", Item("blue", "x", 85))));
  EXPECT_THAT(body, HasSubstr(R"(the stored value of \"/registry/configmaps/blue/broken\" cannot be read: )"));
  EXPECT_TRUE(watch->ended());
}

TEST_F(WatchHandlerTest, ALongStateComesInPiecesAndIsFollowedByWhatChangedMeanwhile) {
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = absl::StrFormat("x-%04d", i);
    config_maps_->Put(100, "many/" + name);
    expected += Frame("ADDED", Item("many", name, 100));
  }
  const auto watch = Send("/api/v1/namespaces/many/configmaps?" + kWatchList + "&allowWatchBookmarks=true");
  config_maps_->Put(101, "many/later");
  EXPECT_EQ(watch->Drain(50), expected + Bookmark(100, true) + Frame("ADDED", Item("many", "later", 101)));
}

// Whatever the connection takes at a time: pieces that end in an object, in a batch of objects, and behind several of them.
TEST_F(WatchHandlerTest, TheStateFromZeroTakesManyPulls) {
  std::string expected;
  for (int i = 0; i < 1000; ++i) {
    const std::string name = absl::StrFormat("x-%04d", i);
    config_maps_->Put(100, "many/" + name);
    expected += Frame("ADDED", Item("many", name, 100));
  }
  for (const size_t piece : {size_t{1}, size_t{1000}, size_t{50'000}, size_t{1} << 20}) {
    const auto watch = Send("/api/v1/namespaces/many/configmaps?watch=true&resourceVersion=0&allowWatchBookmarks=true");
    std::vector<absl::string_view> slices;
    EXPECT_EQ(watch->source()->Pull(piece, &slices), net::BodySource::State::kMore) << piece;
    std::string first;
    for (const absl::string_view slice : slices) first.append(slice.data(), slice.size());
    EXPECT_EQ(first.size() < expected.size(), piece < expected.size()) << piece;
    EXPECT_LT(first.size(), piece + 1000) << "a pull is about as large as was asked for";
    const std::string name = absl::StrCat("y-", piece);
    config_maps_->Put(static_cast<int64_t>(200 + piece), "many/" + name);
    const std::string added = Frame("ADDED", Item("many", name, static_cast<int>(200 + piece)));
    const int revision =
        piece == 1 ? 100 : static_cast<int>(config_maps_->changes().rbegin()[1].event->revision().value());
    EXPECT_EQ(first + watch->Drain(piece), expected + Bookmark(revision, true) + added) << piece;
    EXPECT_FALSE(watch->ended());
    expected += added;
  }
}

// A source may give nothing and ask to be called again only when there is something then.
TEST_F(WatchHandlerTest, AnEmptyStateWaitsAtOnce) {
  const auto watch = Send("/api/v1/namespaces/absent/configmaps?watch=true");
  std::vector<absl::string_view> slices;
  EXPECT_EQ(watch->source()->Pull(1000, &slices), net::BodySource::State::kWait);
  EXPECT_TRUE(slices.empty());
}

TEST_F(WatchHandlerTest, CountsTheEventsThatAWatchBeginsWith) {
  metrics::ReadMetrics& reads = config_maps_->reads();
  reads = metrics::MirrorMetrics(&registry_, "", "configmaps").reads;
  const auto watch = Watch("watch=true");
  watch->Drain();
  EXPECT_EQ(reads.init_events.Value(), 4);
  config_maps_->Put(85, "blue/new");
  watch->Drain();
  Watch("watch=true&resourceVersion=84")->Drain();
  EXPECT_EQ(reads.init_events.Value(), 4) << "changes are none of them";
  EXPECT_EQ(reads.lists_by_range.Value(), 0);
}

TEST_F(WatchHandlerTest, MoreThanSoManyAreToldToComeAgain) {
  std::vector<std::shared_ptr<FakeExchange>> open;
  for (size_t i = 0; i < kFixtureWatchesMax; ++i) open.push_back(Watch("watch=true"));
  EXPECT_EQ(open.back()->status(), 200);
  const auto refused = Watch("watch=true&resourceVersion=84");
  EXPECT_EQ(refused->status(), 429);
  EXPECT_EQ(refused->Header("Retry-After"), "1");
  EXPECT_THAT(refused->Drain(), HasSubstr("too many watches are open"));
  EXPECT_EQ(Send(kBlue)->status(), 200) << "lists go on";
  open.pop_back();
  EXPECT_EQ(Watch("watch=true")->status(), 200);
}

TEST_F(WatchHandlerTest, CountsOpenWatchesAndEvents) {
  auto watch = Watch("watch=true");
  watch->Drain();
  const std::string labels =
      R"({component="apiserver",group="",resource="configmaps",scope="namespace",subresource="",verb="WATCH",)"
      R"(version="v1"})";
  EXPECT_THAT(registry_.Text(), HasSubstr("apiserver_longrunning_requests" + labels + " 1"));
  EXPECT_THAT(registry_.Text(), HasSubstr("apiserver_watch_events_total"));
  watch.reset();
  EXPECT_THAT(registry_.Text(), HasSubstr("apiserver_longrunning_requests" + labels + " 0"));
}

}  // namespace
}  // namespace tidemark::http
