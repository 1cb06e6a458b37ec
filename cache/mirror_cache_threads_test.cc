// One writer, several readers and watchers, each in a thread of its own, over a MirrorCache on real time: for ThreadSanitizer, and
// for the guarantees that hold whatever the interleaving.
#include <atomic>
#include <map>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/status.h"
#include "base/test_gate.h"
#include "cache/mirror_cache.h"
#include "cache/mirror_model.h"
#include "gtest/gtest.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cache {
namespace {

constexpr int kWrites = 1'500;
constexpr int kKeys = 20;

config::Resource Pods() {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.group.empty() && resource.plural == "pods") return resource;
  }
  return {};
}

std::string KeyOf(int i) { return absl::StrCat("default/pod-", i % kKeys); }

struct Running {
  LoopThread store{"test-store"};
  LoopThread timers{"test-timers"};
  storeclient::MemoryStoreClient client{store};
  MirrorCache cache{{.resources = {Pods()}}, &client, &timers, nullptr};
  std::atomic<bool> writing{true};

  Running() {
    SetLogLevel(LogLevel::kError);
    client.Put(absl::StrCat("/registry/pods/", KeyOf(0)), ModelObject().Json(KeyOf(0)));
    cache.Start();
    while (!cache.ready()) std::this_thread::yield();
  }
  Mirror* pods() { return cache.Find("", "pods"); }
  absl::StatusOr<View> Read(ReadOptions options) {
    absl::StatusOr<View> answer = absl::UnknownError("");
    auto gate = std::make_shared<Gate>();
    cache.Read(pods(), options, [&answer, gate](absl::StatusOr<View> view) {
      answer = std::move(view);
      gate->Open();
    });
    gate->Pass();
    return answer;
  }
};

void Write(Running* running) {
  for (int i = 0; i < kWrites; ++i) {
    const std::string key = absl::StrCat("/registry/pods/", KeyOf(i * 7));
    ModelObject object{.labels = {{"app", absl::StrCat("app-", i % 3)}}, .node = absl::StrCat("node-", i % 5)};
    if (i % 11 == 0) {
      running->client.Delete(key);
    } else {
      running->client.Put(key, object.Json(KeyOf(i * 7)));
    }
    if (i % 7 == 0) running->client.Put("/registry/nodes/n", "{}");
    if (i % 500 == 499) running->client.BreakStreams();
    // Not too far ahead of the mirror, so that readers and watchers meet the events one by one.
    while (running->pods()->revision().value() + 10 < running->client.revision().value()) std::this_thread::yield();
  }
  running->writing = false;
}

void ReadOn(Running* running, Freshness freshness) {
  Revision last;
  while (running->writing) {
    const Revision floor = running->client.revision();
    ReadOptions options{.freshness = freshness, .revision = running->pods()->revision()};
    absl::StatusOr<View> view = running->Read(options);
    if (freshness == Freshness::kExact && !view.ok()) {
      EXPECT_TRUE(IsCompacted(view.status())) << view.status();
      continue;
    }
    ASSERT_TRUE(view.ok()) << view.status();
    if (freshness == Freshness::kConsistent) {
      EXPECT_GE(view->revision, floor);
    }
    EXPECT_GE(view->revision, last) << "a reader goes back";
    last = view->revision;
    std::unique_ptr<ListCursor> list = view->snapshot->List({});
    std::vector<const Object*> objects;
    while (*list->Next(8, &objects)) {
    }
    for (const Object* object : objects) EXPECT_LE(object->mod_revision(), view->revision);
  }
}

// Follows one selector from a state to the end: what it has then is what a list gives.
void FollowOn(Running* running, Selector selector) {
  absl::StatusOr<View> start = running->Read({.freshness = Freshness::kConsistent});
  ASSERT_TRUE(start.ok());
  std::map<std::string, int64_t> state;
  std::vector<const Object*> objects;
  auto list = start->snapshot->List({.selector = selector});
  while (*list->Next(8, &objects)) {
  }
  for (const Object* object : objects) state[std::string(object->key())] = object->mod_revision().value();
  auto gate = std::make_shared<Gate>();
  auto cursor = running->pods()->Watch({.selector = selector, .after = start->revision}, [gate] { gate->Open(); });
  ASSERT_TRUE(cursor.ok());
  Revision last = start->revision;
  while ((*cursor)->revision() < running->client.revision() || running->writing) {
    std::vector<WatchEvent> events;
    ASSERT_TRUE((*cursor)->Next(16, &events).ok());
    for (const WatchEvent& event : events) {
      EXPECT_GT(event.revision, last);
      last = event.revision;
      const std::string key(event.object->key());
      event.event->Frame(FrameSlot(0, event.type), [&] { return std::string(event.object->Item()); });
      EXPECT_EQ(event.type == WatchEventType::kAdded, state.count(key) == 0) << key << " at " << event.revision;
      if (event.type == WatchEventType::kDeleted) {
        state.erase(key);
      } else {
        state[key] = event.object->mod_revision().value();
      }
    }
    EXPECT_GE((*cursor)->revision(), last);
    if (!events.empty()) continue;
    // A consistent read moves the mirror on where no event comes any more.
    const bool fresh = running->Read({.freshness = Freshness::kConsistent}).ok();
    ASSERT_TRUE(fresh);
  }
  absl::StatusOr<View> end = running->Read({.freshness = Freshness::kConsistent});
  ASSERT_TRUE(end.ok());
  std::map<std::string, int64_t> expected;
  objects.clear();
  auto last_list = end->snapshot->List({.selector = selector});
  while (*last_list->Next(8, &objects)) {
  }
  for (const Object* object : objects) expected[std::string(object->key())] = object->mod_revision().value();
  EXPECT_EQ(state, expected);
}

TEST(MirrorCacheThreadsTest, OneWriterManyReadersAndWatchers) {
  Running running;
  std::vector<std::thread> threads;
  threads.emplace_back(Write, &running);
  for (Freshness freshness : {Freshness::kAny, Freshness::kConsistent, Freshness::kExact}) {
    threads.emplace_back(ReadOn, &running, freshness);
  }
  const Requirement app{.key = "app", .op = Requirement::Op::kIn, .values = {"app-1"}};
  const Requirement node{
      .source = Requirement::Source::kField, .key = "spec.nodeName", .op = Requirement::Op::kIn, .values = {"node-2"}};
  for (const Selector& selector : {Selector(), Selector{{app}}, Selector{{node}}, Selector{{app, node}}}) {
    threads.emplace_back(FollowOn, &running, selector);
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(MirrorCacheThreadsTest, StopWhileEverybodyIsBusy) {
  Running running;
  std::atomic<int> ended{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&running, &ended] {
      auto gate = std::make_shared<Gate>();
      auto cursor = running.pods()->Watch({.after = running.pods()->revision()}, [gate] { gate->Open(); });
      for (int i = 0; running.Read({.freshness = Freshness::kConsistent}).ok(); ++i) {
        running.client.Put(absl::StrCat("/registry/pods/", KeyOf(i)), ModelObject().Json(KeyOf(i)));
      }
      std::vector<WatchEvent> events;
      absl::Status status;
      while (cursor.ok() && (status = (*cursor)->Next(16, &events)).ok()) events.clear();
      EXPECT_EQ(KindOf(status), ErrorKind::kStopped) << status;
      ++ended;
    });
  }
  while (running.client.revision() < Revision(200)) std::this_thread::yield();
  running.cache.Stop();
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(ended, 3);
}

}  // namespace
}  // namespace tidemark::cache
