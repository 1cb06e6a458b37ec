// MirrorCacheFixture is a MirrorCache over the in-memory store, for tests.
//
// Thread-safety: confined to the test's thread.
#ifndef TIDEMARK_CACHE_TEST_MIRROR_CACHE_H_
#define TIDEMARK_CACHE_TEST_MIRROR_CACHE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "cache/mirror_cache.h"
#include "cache/mirror_model.h"
#include "gtest/gtest.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cache {

inline constexpr char kPodsPrefix[] = "/registry/pods/";

inline std::vector<config::Resource> PodsAndNodes() {
  std::vector<config::Resource> resources;
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.group.empty() && (resource.plural == "pods" || resource.plural == "nodes"))
      resources.push_back(resource);
  }
  return resources;
}

// Pods and nodes mirrored from the in-memory store, one task at a time.
struct MirrorCacheFixture {
  SimClock clock;
  SimExecutor executor{clock};
  storeclient::MemoryStoreClient client{executor};
  metrics::Registry registry;
  std::unique_ptr<MirrorCache> cache;
  Mirror* pods = nullptr;

  explicit MirrorCacheFixture(MirrorCache::Options options = {}) {
    SetLogLevel(LogLevel::kError);
    options.resources = PodsAndNodes();
    cache = std::make_unique<MirrorCache>(options, &client, &executor, &registry);
    pods = cache->Find("", "pods");
  }
  void Start() {
    cache->Start();
    executor.RunUntilIdle();
  }
  Revision Put(const std::string& key, const ModelObject& object = {}) {
    return client.Put(kPodsPrefix + key, object.Json(key));
  }
  Revision PutElsewhere() { return client.Put("/registry/leases/default/a", "{}"); }

  struct Outcome {
    bool done = false;
    absl::StatusOr<View> view = absl::UnknownError("not yet");
  };
  std::shared_ptr<Outcome> Read(ReadOptions options = {}) {
    auto outcome = std::make_shared<Outcome>();
    cache->Read(pods, options, [outcome](absl::StatusOr<View> view) {
      EXPECT_FALSE(outcome->done);
      outcome->done = true;
      outcome->view = std::move(view);
    });
    return outcome;
  }
  std::unique_ptr<WatchCursor> Watch(WatchQuery query, int* wakes = nullptr) {
    auto cursor = pods->Watch(std::move(query), [wakes] {
      if (wakes != nullptr) ++*wakes;
    });
    EXPECT_TRUE(cursor.ok()) << cursor.status();
    return cursor.ok() ? *std::move(cursor) : nullptr;
  }
  // All that the cursor has to give: "ADDED default/a@7 of 7", the event's revision and the object's.
  static std::vector<std::string> Events(WatchCursor* cursor) {
    std::vector<WatchEvent> events;
    std::vector<std::string> texts;
    while (cursor->Next(100, &events).ok() && !events.empty()) {
      for (const WatchEvent& event : events) {
        const char* const types[] = {"ADDED", "MODIFIED", "DELETED"};
        texts.push_back(absl::StrCat(types[static_cast<int>(event.type)], " ", event.object->key(), "@",
                                     event.revision.value(), " of ", event.object->mod_revision().value()));
      }
      events.clear();
    }
    return texts;
  }
  std::string Metrics() { return registry.Text(); }
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_TEST_MIRROR_CACHE_H_
