#include "store/mvcc/watchable_store.h"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

struct Watch {
  std::string key = "/a";
  std::string range_end = "";
  int64_t start = 0;
  int64_t id = 0;
  bool progress_notify = false;
};

class WatchableStoreTest : public ::testing::Test {
 protected:
  std::unique_ptr<WatchStream> NewStream() {
    return store_.state().watchable().NewStream([this] { ++ready_; });
  }

  static void Create(WatchStream* stream, const Watch& watch) {
    etcdserverpb::WatchCreateRequest request;
    request.set_key(watch.key);
    request.set_range_end(watch.range_end);
    request.set_start_revision(watch.start);
    request.set_watch_id(watch.id);
    request.set_progress_notify(watch.progress_notify);
    stream->Create(request);
  }

  // The messages that wait, one text each: "0: created@1", "0: /a=2 /b-3 @3", "-1: progress@3".
  std::vector<std::string> Drain(WatchStream* stream) {
    std::vector<std::string> texts;
    while (const std::optional<WatchMessage> message = stream->Next()) texts.push_back(Text(*message));
    return texts;
  }

  static std::string Text(const WatchMessage& message) {
    std::string text = absl::StrCat(message.watch_id, ":");
    if (message.created) text += " created";
    if (message.canceled) text += " canceled";
    if (IsProgress(message)) text += " progress";
    for (const EventPtr& event : message.events) {
      absl::StrAppend(&text, " ", event->key(), event->is_delete() ? "-" : "=", event->revision().value());
    }
    absl::StrAppend(&text, "@", message.revision.value());
    if (!message.compact_revision.is_none()) absl::StrAppend(&text, " compacted ", message.compact_revision.value());
    if (!message.cancel_reason.empty()) absl::StrAppend(&text, " ", message.cancel_reason);
    return text;
  }

  using Texts = std::vector<std::string>;
  TestStore store_;
  int ready_ = 0;
};

TEST_F(WatchableStoreTest, IdsAreUniqueInTheirStream) {
  const auto stream = NewStream(), other = NewStream();
  Create(stream.get(), {});
  Create(stream.get(), {.id = 1});
  Create(stream.get(), {});
  Create(stream.get(), {.id = 2});
  Create(other.get(), {});
  EXPECT_EQ(Drain(stream.get()), (Texts{"0: created@1", "1: created@1", "2: created@1",
                                        absl::StrCat("-1: created canceled@1 ", kReasonDuplicateWatchId)}));
  EXPECT_EQ(Drain(other.get()), Texts{"0: created@1"});
}

TEST_F(WatchableStoreTest, RefusalsHaveEtcdsReasons) {
  const auto stream = NewStream();
  Create(stream.get(), {.key = "/b", .range_end = "/a"});
  Create(stream.get(), {.key = "/a", .range_end = "/a"});
  Create(stream.get(), {.start = -1});
  stream->Refuse("rpc error: code = PermissionDenied desc = etcdserver: permission denied");
  const std::string empty = absl::StrCat("-1: created canceled@1 ", kReasonEmptyWatchRange);
  EXPECT_EQ(Drain(stream.get()),
            (Texts{empty, empty, "-1: created canceled@1 etcdserver: mvcc: required revision has been compacted",
                   "-1: created canceled@1 rpc error: code = PermissionDenied desc = etcdserver: permission denied"}));
}

TEST_F(WatchableStoreTest, LiveEventsComeAsTheyAreWritten) {
  const auto stream = NewStream();
  Create(stream.get(), {.key = "/", .range_end = "0"});
  Create(stream.get(), {.key = ""});
  EXPECT_EQ(ready_, 1);
  store_.Put("/a", "1");
  store_.Put("/b", "1");
  store_.Delete("/", "0");
  store_.Put("1", "outside");
  EXPECT_EQ(Drain(stream.get()), (Texts{"0: created@1", "1: created@1", "0: /a=2@2", "0: /b=3@3", "0: /a-4 /b-4@4"}));
  store_.Put("/c", "1");
  EXPECT_EQ(ready_, 2);
}

TEST_F(WatchableStoreTest, PastIsReplayedAndThenLive) {
  store_.Put("/a", "1");
  store_.Put("/a", "2");
  store_.Put("/b", "1");
  const auto stream = NewStream();
  Create(stream.get(), {.start = 2});
  store_.Put("/a", "3");  // while it is behind
  store_.executor().RunUntilIdle();
  store_.Put("/a", "4");
  EXPECT_EQ(Drain(stream.get()), (Texts{"0: created@4", "0: /a=2 /a=3 /a=5@5", "0: /a=6@6"}));
}

TEST_F(WatchableStoreTest, FutureStartIsSilentUntilReached) {
  const auto stream = NewStream();
  Create(stream.get(), {.start = 4});
  store_.Put("/a", "2");
  store_.Put("/a", "3");
  stream->RequestProgress();
  EXPECT_EQ(Drain(stream.get()), Texts{"0: created@1"});
  store_.Put("/a", "4");
  stream->RequestProgress();
  EXPECT_EQ(Drain(stream.get()), (Texts{"0: /a=4@4", "-1: progress@4"}));
}

TEST_F(WatchableStoreTest, CompactedStartIsCreatedAndThenCanceled) {
  for (int i = 0; i < 4; ++i) store_.Put("/a", absl::StrCat(i));
  ASSERT_TRUE(store_.Compact(4).ok());
  const auto stream = NewStream();
  Create(stream.get(), {.start = 3});
  Create(stream.get(), {.start = 4});
  store_.executor().RunUntilIdle();
  EXPECT_EQ(Drain(stream.get()),
            (Texts{"0: created@5", "1: created@5", "0: canceled@5 compacted 4", "1: /a=4 /a=5@5"}));
}

TEST_F(WatchableStoreTest, CancelIsAnsweredOnceAndUnknownIdsAreNot) {
  const auto stream = NewStream();
  Create(stream.get(), {});
  stream->Cancel(7);
  stream->Cancel(0);
  stream->Cancel(0);
  store_.Put("/a", "1");
  EXPECT_EQ(Drain(stream.get()), (Texts{"0: created@1", "0: canceled@1"}));
}

TEST_F(WatchableStoreTest, ProgressNeedsEveryWatchOfTheStream) {
  const auto stream = NewStream();
  stream->RequestProgress();
  EXPECT_EQ(Drain(stream.get()), Texts{});  // nothing to speak for
  store_.Put("/a", "1");
  Create(stream.get(), {.key = "/b", .start = 2});
  Create(stream.get(), {.key = "/c", .start = 3});
  stream->RequestProgress();  // 0 is unsynced, 1 not due
  store_.executor().RunUntilIdle();
  stream->RequestProgress();  // 1 not due
  EXPECT_EQ(Drain(stream.get()), (Texts{"0: created@2", "1: created@2"}));
  store_.Put("/x", "1");
  stream->RequestProgress();
  EXPECT_EQ(Drain(stream.get()), Texts{"-1: progress@3"});
}

// A watch from now on has missed nothing, however long nobody writes.
TEST_F(WatchableStoreTest, WatchFromNowHasProgressBeforeAnythingIsWritten) {
  const auto stream = NewStream();
  Create(stream.get(), {.progress_notify = true});
  stream->RequestProgress();
  EXPECT_EQ(Drain(stream.get()), (Texts{"0: created@1", "-1: progress@1"}));
  stream->ProgressTick();
  EXPECT_EQ(Drain(stream.get()), Texts{"0: progress@1"});
  Create(stream.get(), {.start = 2});  // the same place, but asked for: not reached
  stream->RequestProgress();
  EXPECT_EQ(Drain(stream.get()), Texts{"1: created@1"});
}

TEST_F(WatchableStoreTest, IntervalProgressGoesToQuietWatchesThatAskedForIt) {
  const auto stream = NewStream();
  Create(stream.get(), {.key = "/a", .progress_notify = true});
  Create(stream.get(), {.key = "/b", .progress_notify = true});
  Create(stream.get(), {.key = "/c"});
  Create(stream.get(), {.key = "/d", .start = 9, .progress_notify = true});
  store_.Put("/a", "1");
  Drain(stream.get());
  stream->ProgressTick();
  EXPECT_EQ(Drain(stream.get()), Texts{"1: progress@2"});
  stream->ProgressTick();
  EXPECT_EQ(Drain(stream.get()), (Texts{"0: progress@2", "1: progress@2"}));
}

TEST_F(WatchableStoreTest, StalledConsumerBlocksNobodyAndMissesNothing) {
  const auto stalled = NewStream(), lively = NewStream();
  Create(stalled.get(), {});
  Create(lively.get(), {});
  const int kWrites = 3 * static_cast<int>(kStreamMessagesMax);
  std::string expected = "0:";
  Texts seen;
  for (int i = 0; i < kWrites; ++i) {
    store_.Put("/a", absl::StrCat(i));
    ASSERT_LE(Drain(lively.get()).size(), 2u);
  }
  EXPECT_EQ(stalled->pending(), kStreamMessagesMax);
  EXPECT_EQ(store_.state().watchable().counts().blocked, 1u);
  stalled->RequestProgress();
  EXPECT_EQ(stalled->pending(), kStreamMessagesMax);
  int events = 0;
  while (true) {
    const std::optional<WatchMessage> message = stalled->Next();
    store_.executor().RunUntilIdle();
    if (!message.has_value()) break;
    for (const EventPtr& event : message->events) EXPECT_EQ(event->revision().value(), 2 + events++);
  }
  EXPECT_EQ(events, kWrites);
  EXPECT_EQ(store_.state().watchable().counts().blocked, 0u);
  stalled->RequestProgress();
  EXPECT_EQ(Drain(stalled.get()), Texts{absl::StrCat("-1: progress@", kWrites + 1)});
}

TEST_F(WatchableStoreTest, LargeEventsBlockBeforeTheyPinMuchMemory) {
  const auto stream = NewStream();
  Create(stream.get(), {});
  for (int i = 0; i < 20; ++i) store_.Put("/a", std::string(1 << 20, 'x'));
  EXPECT_LE(stream->pending(), 6u);
  EXPECT_EQ(store_.state().watchable().counts().blocked, 1u);
}

// What one half of the queue lets go on has to do with what fits in it, not with how many watches lag.
TEST_F(WatchableStoreTest, ManyLaggingWatchesOfOneStreamGoOnAFewAtATime) {
  store_.Put("/a", std::string(1 << 20, 'x'));
  const auto stream = NewStream();
  const size_t kWatches = 400;
  for (size_t i = 0; i < kWatches; ++i) Create(stream.get(), {.start = 2});
  Drain(stream.get());
  store_.executor().RunUntilIdle();
  const WatchableStore& watchable = store_.state().watchable();
  EXPECT_EQ(watchable.counts().blocked, kWatches - stream->pending());
  size_t events = 0, rounds = 0;
  while (const std::optional<WatchMessage> message = stream->Next()) {
    events += message->events.size();
    EXPECT_LE(watchable.counts().unsynced, kUnblockedAtOnce);
    rounds += static_cast<size_t>(store_.executor().RunUntilIdle());
  }
  EXPECT_EQ(events, kWatches);
  EXPECT_LE(rounds, kWatches);
  EXPECT_EQ(watchable.counts().blocked, 0u);
  stream->RequestProgress();
  EXPECT_EQ(Drain(stream.get()), Texts{"-1: progress@2"});
}

TEST_F(WatchableStoreTest, BlockedWatchesOfAStreamMayBeCanceledOrClosed) {
  store_.Put("/a", std::string(1 << 20, 'x'));
  auto stream = NewStream();
  for (int i = 0; i < 100; ++i) Create(stream.get(), {.start = 2});
  Drain(stream.get());
  store_.executor().RunUntilIdle();
  const size_t blocked = store_.state().watchable().counts().blocked;
  EXPECT_GT(blocked, 50u);
  for (int i = 90; i < 100; ++i) stream->Cancel(i);
  EXPECT_EQ(store_.state().watchable().counts().blocked, blocked - 10);
  stream.reset();
  EXPECT_EQ(store_.state().watchable().counts().blocked, 0u);
}

TEST_F(WatchableStoreTest, StalledStreamsTogetherHaveALimitAndOthersDoNotNoticeIt) {
  const size_t kStalled = 2 * kAllStreamsBytesMax / kStreamBytesMax;
  std::vector<std::unique_ptr<WatchStream>> stalled;
  for (size_t i = 0; i < kStalled; ++i) {
    stalled.push_back(NewStream());
    Create(stalled.back().get(), {});
    Drain(stalled.back().get());
  }
  const auto pending = [&] {
    size_t messages = 0;
    for (const auto& stream : stalled) messages += stream->pending();
    return messages;
  };
  for (int i = 0; i < 6; ++i) store_.Put("/a", std::string(1 << 20, 'x'));
  EXPECT_GE(pending(), kAllStreamsBytesMax >> 20);
  EXPECT_LE(pending(), (kAllStreamsBytesMax >> 20) + kStalled);
  const auto lively = NewStream();
  Create(lively.get(), {.key = "/b"});
  store_.Put("/b", "1");
  store_.Put("/b", "2");
  EXPECT_EQ(Drain(lively.get()), (Texts{"0: created@7", "0: /b=8@8", "0: /b=9@9"}));
  // Each gets everything as soon as it reads, whether or not the others do.
  size_t events = 0;
  while (const std::optional<WatchMessage> message = stalled.back()->Next()) {
    events += message->events.size();
    store_.executor().RunUntilIdle();
  }
  EXPECT_EQ(events, 6u);
  stalled.clear();
  const auto later = NewStream();
  Create(later.get(), {});
  for (int i = 0; i < 6; ++i) store_.Put("/a", std::string(1 << 20, 'x'));
  EXPECT_EQ(later->pending(), 5u);  // created, and what is a stream's own limit
}

TEST_F(WatchableStoreTest, OneFarBehindDoesNotHoldUpTheOthers) {
  for (int i = 0; i < 5000; ++i) store_.Put("/a", absl::StrCat(i));
  const auto stream = NewStream();
  Create(stream.get(), {.start = 2});
  Create(stream.get(), {.start = 4990});
  Drain(stream.get());
  // Rounds serve in turn the furthest and the nearest.
  store_.executor().RunOne();
  store_.executor().RunOne();
  const Texts texts = Drain(stream.get());
  EXPECT_TRUE(std::any_of(texts.begin(), texts.end(), [](const std::string& text) { return text[0] == '1'; }));
  EXPECT_EQ(store_.state().watchable().counts().unsynced, 1u);
}

TEST_F(WatchableStoreTest, ClosedStreamIsNotCalled) {
  auto stream = NewStream();
  Create(stream.get(), {.key = "/", .range_end = "0"});
  stream.reset();
  const int before = ready_;
  store_.Put("/a", "1");
  EXPECT_EQ(ready_, before);
  EXPECT_EQ(store_.state().watchable().counts().watchers, 0u);
}

}  // namespace
}  // namespace tidemark::mvcc
