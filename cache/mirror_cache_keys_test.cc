// What lies under a resource's prefix and is no object that can be served: keys of another shape, and encrypted values.
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "cache/mirror_cache.h"
#include "cache/test_mirror_cache.h"
#include "cache/test_sealed_value.h"
#include "gmock/gmock.h"

namespace tidemark::cache {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

// No object's keys of a namespaced resource, some before, between and behind "default/a" and "default/b".
const char* const kStrayPods[] = {"",           "/",          "a",    "default", "default/", "default/a/status",
                                  "default//b", "/default/c", "z/y/x"};
constexpr int kStrays = 9;

void PutStrays(MirrorCacheFixture* f) {
  for (const char* key : kStrayPods) f->client.Put(absl::StrCat(kPodsPrefix, key), R"({"metadata":{"name":"a"}})");
}

std::vector<std::string> KeysOf(const View& view) {
  std::vector<std::string> keys;
  std::vector<const Object*> objects;
  const std::unique_ptr<ListCursor> list = view.snapshot->List({});
  while (true) {
    const absl::StatusOr<bool> more = list->Next(100, &objects);
    if (!more.ok()) return {std::string(more.status().message())};
    if (!*more) break;
  }
  for (const Object* object : objects) keys.emplace_back(object->key());
  return keys;
}

std::vector<std::string> Listed(MirrorCacheFixture* f, ReadOptions options = {}) {
  auto outcome = f->Read(options);
  f->executor.RunUntilIdle();
  return outcome->view.ok() ? KeysOf(*outcome->view) : std::vector<std::string>{outcome->view.status().ToString()};
}

int CountOf(absl::string_view text, absl::string_view part) {
  int count = 0;
  for (size_t at = text.find(part); at != absl::string_view::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

TEST(StrayKeysTest, AreLeftOutOfListsCountedAndNamedOnce) {
  MirrorCacheFixture f;
  SetLogLevel(LogLevel::kWarning);
  PutStrays(&f);
  f.Put("default/a");
  f.Put("default/b");
  testing::internal::CaptureStderr();
  f.Start();
  const std::string log = testing::internal::GetCapturedStderr();
  SetLogLevel(LogLevel::kError);
  EXPECT_THAT(Listed(&f), ElementsAre("default/a", "default/b"));
  EXPECT_EQ(CountOf(log, "is no object's"), kStrayKeysLoggedMax) << log;
  EXPECT_THAT(log, HasSubstr("resource=pods key=/registry/pods/ wanted=/registry/pods/NAMESPACE/NAME"));
  EXPECT_THAT(f.Metrics(),
              HasSubstr(absl::StrCat("tidemark_stray_keys_total{group=\"\",resource=\"pods\"} ", kStrays)));
  EXPECT_THAT(f.Metrics(), HasSubstr("tidemark_stray_keys_total{group=\"\",resource=\"nodes\"} 0"));
}

TEST(StrayKeysTest, AreLeftOutOfEventsAndHoldNothingUp) {
  MirrorCacheFixture f;
  f.Start();
  auto watch = f.Watch({.after = f.pods->revision()});
  ASSERT_NE(watch, nullptr);
  PutStrays(&f);
  f.Put("default/a");
  const Revision last = f.client.Delete(absl::StrCat(kPodsPrefix, "default/a/status"));
  f.executor.RunUntilIdle();
  EXPECT_THAT(f.Events(watch.get()), ElementsAre(StartsWith("ADDED default/a@")));
  EXPECT_EQ(f.pods->revision(), last);
  EXPECT_THAT(Listed(&f), ElementsAre("default/a"));
  EXPECT_THAT(f.Metrics(),
              HasSubstr(absl::StrCat("tidemark_stray_keys_total{group=\"\",resource=\"pods\"} ", kStrays + 1)));
}

TEST(StrayKeysTest, AreLeftOutOfListsFromTheStore) {
  MirrorCacheFixture f({.consistent_list = config::ConsistentListFromCache::kOff});
  PutStrays(&f);
  f.Put("default/a");
  f.Start();
  EXPECT_THAT(Listed(&f), ElementsAre("default/a"));
  EXPECT_THAT(Listed(&f, {.scope = {.namespace_name = "default"}}), ElementsAre("default/a"));
}

TEST(StrayKeysTest, AResourceWithoutNamespacesHasNamesAlone) {
  MirrorCacheFixture f;
  for (const char* key : {"a", "a/b", "a/", "/a", ""}) {
    f.client.Put(absl::StrCat("/registry/minions/", key), R"({"metadata":{"name":"a"}})");
  }
  // Beside the prefix, as far as the bytes go.
  f.client.Put("/registry/minionsx/c", "{}");
  f.Start();
  f.pods = f.cache->Find("", "nodes");
  EXPECT_THAT(Listed(&f), ElementsAre("a"));
  EXPECT_THAT(f.Metrics(), HasSubstr("tidemark_stray_keys_total{group=\"\",resource=\"nodes\"} 4"));
}

// Pods that may be encrypted with aesgcm, which binds them to their keys.
class EncryptedMirrorTest : public testing::TestWithParam<config::ConsistentListFromCache> {
 protected:
  EncryptedMirrorTest() {
    std::vector<config::Resource> resources = PodsAndNodes();
    for (config::Resource& resource : resources) {
      resource.encryption = std::make_shared<const config::EncryptionProviders>(
          config::EncryptionProviders{{config::EncryptionMethod::kAesGcm, {key_}}, {}});
    }
    f_.cache = std::make_unique<MirrorCache>(
        MirrorCache::Options{.resources = resources, .consistent_list = GetParam()}, &f_.client, &f_.executor, nullptr);
    f_.pods = f_.cache->Find("", "pods");
  }

  // `bound_to` is the key that the value was encrypted for.
  void PutSealed(const std::string& key, const std::string& bound_to) {
    f_.client.Put(kPodsPrefix + key, SealValue(config::EncryptionMethod::kAesGcm, key_, kPodsPrefix + bound_to,
                                               ModelObject{.node = "node-1"}.Json(key)));
  }

  const config::EncryptionKey key_ = {"key1", "sixteen byte key"};
  MirrorCacheFixture f_;
};

TEST_P(EncryptedMirrorTest, ListsGiveWhatWasEncryptedAndWhatWasNot) {
  PutSealed("default/a", "default/a");
  f_.Put("default/b");
  f_.Start();
  PutSealed("default/c", "default/c");
  EXPECT_THAT(Listed(&f_), ElementsAre("default/a", "default/b", "default/c"));
}

TEST_P(EncryptedMirrorTest, AValueUnderAnotherKeyIsAnErrorThatNamesIt) {
  PutSealed("default/a", "default/a");
  PutSealed("default/b", "default/a");
  f_.Start();
  EXPECT_THAT(
      Listed(&f_),
      ElementsAre(AllOf(HasSubstr("the stored value of \"/registry/pods/default/b\" cannot be read: it is encrypted "
                                  "at rest (aesgcm, key \"key1\") and cannot be decrypted"),
                        Not(HasSubstr(key_.secret)))));
}

INSTANTIATE_TEST_SUITE_P(FromMirrorAndStore, EncryptedMirrorTest,
                         testing::Values(config::ConsistentListFromCache::kAuto,
                                         config::ConsistentListFromCache::kOff));

}  // namespace
}  // namespace tidemark::cache
