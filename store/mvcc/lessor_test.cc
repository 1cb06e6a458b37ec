#include "store/mvcc/lessor.h"

#include <algorithm>
#include <limits>
#include <map>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "store/mvcc/errors.h"
#include "store/mvcc/random_requests.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

using Ids = std::vector<int64_t>;

TEST(LessorTest, GrantAnswersAsEtcd) {
  struct Row {
    int64_t id;
    int64_t ttl;
    absl::Status status;
    int64_t granted;
  };
  const Row rows[] = {
      {1, 10, absl::OkStatus(), 10},
      {2, 1, absl::OkStatus(), 2},
      {3, 0, absl::OkStatus(), 2},
      {4, -5, absl::OkStatus(), 2},
      {5, kLeaseTtlMaxSeconds, absl::OkStatus(), kLeaseTtlMaxSeconds},
      {6, kLeaseTtlMaxSeconds + 1, StoreStatus(StoreError::kLeaseTtlTooLarge), 0},
      {1, 10, StoreStatus(StoreError::kLeaseExists), 0},
      {0, 10, StoreStatus(StoreError::kLeaseNotFound), 0},
      {-1, 10, absl::OkStatus(), 10},
      {std::numeric_limits<int64_t>::min(), 10, absl::OkStatus(), 10},
  };
  TestStore store;
  for (const Row& row : rows) {
    etcdserverpb::LeaseGrantRequest request;
    request.set_id(row.id);
    request.set_ttl(row.ttl);
    const CommandResult result = store.Apply(request);
    EXPECT_EQ(result.status, row.status) << row.id;
    EXPECT_EQ(std::get<etcdserverpb::LeaseGrantResponse>(result.response).ttl(), row.granted) << row.id;
  }
  EXPECT_EQ(store.state().lessor().size(), 7u);
  EXPECT_EQ(store.store().current_revision(), Revision(1));
}

TEST(LessorTest, NegativeIdSurvivesARestartWithItsKeys) {
  TestStore store;
  ASSERT_TRUE(store.Grant(-7, 60).ok());
  store.Put("/a", "1", -7);
  ASSERT_TRUE(store.state().Commit().ok());
  store.Reopen();
  EXPECT_TRUE(store.Revoke(-7).ok());
  EXPECT_EQ(store.Text("/a"), "");
}

TEST(LessorTest, RevokeDeletesItsKeysInOneRevision) {
  TestStore store;
  ASSERT_TRUE(store.Grant(7, 60).ok());
  for (const char* key : {"/c", "/a", "/b"}) store.Put(key, "1", 7);
  store.Put("/d", "1");
  EXPECT_TRUE(store.Revoke(7).ok());
  EXPECT_EQ(store.store().current_revision(), Revision(6));
  EXPECT_EQ(store.Text("/", "0"), "/d=1");
  EXPECT_EQ(store.Revoke(7), StoreStatus(StoreError::kLeaseNotFound));
  ASSERT_TRUE(store.Grant(8, 60).ok());
  EXPECT_TRUE(store.Revoke(8).ok());
  EXPECT_EQ(store.store().current_revision(), Revision(6));
}

TEST(LessorTest, KeysFollowTheirNewestLease) {
  TestStore store;
  Lessor& lessor = store.state().lessor();
  ASSERT_TRUE(store.Grant(1, 60).ok());
  ASSERT_TRUE(store.Grant(2, 60).ok());
  store.Put("/a", "1", 1);
  store.Put("/b", "1", 1);
  EXPECT_EQ(*lessor.Keys(1), (std::vector<std::string>{"/a", "/b"}));
  store.Put("/a", "2", 2);
  EXPECT_EQ(*lessor.Keys(1), (std::vector<std::string>{"/b"}));
  store.Put("/a", "3");
  EXPECT_TRUE(lessor.Keys(2)->empty());
  store.Delete("/b");
  EXPECT_TRUE(lessor.Keys(1)->empty());
}

TEST(LessorTest, ExpiryIsNamedAndNeverDone) {
  TestStore store;
  Lessor& lessor = store.state().lessor();
  ASSERT_TRUE(store.Grant(1, 10).ok());
  ASSERT_TRUE(store.Grant(2, 20).ok());
  store.Put("/a", "1", 1);
  store.clock().Advance(absl::Seconds(9));
  EXPECT_EQ(lessor.TakeExpired(10), Ids{});
  EXPECT_EQ(lessor.TimeToLive(1, false)->remaining_ttl_seconds, 1);
  store.clock().Advance(absl::Seconds(1));
  EXPECT_EQ(lessor.TakeExpired(10), Ids{1});
  EXPECT_EQ(store.Text("/a"), "/a=1");
  // Its revoke may be on its way: not named again at once, and not to be renewed.
  EXPECT_EQ(lessor.TakeExpired(10), Ids{});
  EXPECT_EQ(lessor.KeepAlive(1).status(), StoreStatus(StoreError::kLeaseNotFound));
  store.clock().Advance(kRevokeRetry);
  EXPECT_EQ(lessor.TakeExpired(10), Ids{1});
  ASSERT_TRUE(store.Revoke(1).ok());
  store.clock().Advance(absl::Hours(1));
  EXPECT_EQ(lessor.TakeExpired(10), Ids{2});
}

TEST(LessorTest, KeepAliveMovesExpiry) {
  TestStore store;
  Lessor& lessor = store.state().lessor();
  ASSERT_TRUE(store.Grant(1, 10).ok());
  for (int i = 0; i < 5; ++i) {
    store.clock().Advance(absl::Seconds(9));
    EXPECT_EQ(*lessor.KeepAlive(1), 10);
    EXPECT_EQ(lessor.TakeExpired(10), Ids{});
  }
  EXPECT_EQ(lessor.KeepAlive(2).status(), StoreStatus(StoreError::kLeaseNotFound));
  EXPECT_EQ(lessor.TimeToLive(2, false), std::nullopt);
  store.clock().Advance(absl::Seconds(10));
  EXPECT_EQ(lessor.TakeExpired(10), Ids{1});
}

TEST(LessorTest, TakeExpiredHonoursItsLimit) {
  TestStore store;
  for (int64_t id = 1; id <= 5; ++id) ASSERT_TRUE(store.Grant(id, 10 + id).ok());
  store.clock().Advance(absl::Minutes(1));
  EXPECT_EQ(store.state().lessor().TakeExpired(3), (Ids{1, 2, 3}));
  EXPECT_EQ(store.state().lessor().TakeExpired(3), (Ids{4, 5}));
}

TEST(LessorTest, RestartKeepsLeasesAndKeysAndGivesFullTtl) {
  TestStore store;
  ASSERT_TRUE(store.Grant(1, 100).ok());
  ASSERT_TRUE(store.Grant(2, 100).ok());
  store.Put("/a", "1", 1);
  store.Put("/b", "1", 1);
  store.Put("/b", "2");
  store.Put("/c", "1", 1);
  store.Delete("/c");
  ASSERT_TRUE(store.Revoke(2).ok());
  store.clock().Advance(absl::Seconds(90));
  ASSERT_TRUE(store.state().Commit().ok());
  store.Reopen();
  EXPECT_EQ(store.state().lessor().Leases(), Ids{1});
  const std::optional<LeaseInfo> info = store.state().lessor().TimeToLive(1, true);
  ASSERT_TRUE(info.has_value());
  EXPECT_EQ(info->granted_ttl_seconds, 100);
  EXPECT_EQ(info->remaining_ttl_seconds, 100);
  EXPECT_EQ(info->keys, std::vector<std::string>{"/a"});
}

TEST(LessorTest, PromoteSpreadsWhatWouldExpireTogether) {
  SimClock clock;
  Lessor lessor({}, &clock);
  kv::MemoryEngine engine;
  kv::WriteBuffer buffer(&engine);
  constexpr int kLeases = 3 * kExpiriesPerSecondMax;
  for (int64_t id = 1; id <= kLeases; ++id) ASSERT_TRUE(lessor.Grant(id, 10, &buffer).ok());
  clock.Advance(absl::Seconds(9));
  lessor.Promote(absl::Seconds(1));
  clock.Advance(absl::Milliseconds(10'999));
  EXPECT_TRUE(lessor.TakeExpired(kLeases).empty());
  clock.Advance(absl::Milliseconds(1));
  for (int second = 0; second < 3; ++second) {
    EXPECT_EQ(lessor.TakeExpired(kLeases).size(), static_cast<size_t>(kExpiriesPerSecondMax));
    clock.Advance(absl::Seconds(1));
  }
}

// Attachment against a plain map, with restarts.
TEST(LessorTest, RandomRunMatchesAMap) {
  const uint32_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  RandomRequests random(seed);
  TestStore store;
  std::map<std::string, int64_t> lease_of_key;
  std::set<int64_t> leases;
  for (int step = 0; step < 3000; ++step) {
    const int64_t id = 1 + random.Below(6);
    switch (random.Below(6)) {
      case 0:
        ASSERT_EQ(store.Grant(id, 60).ok(), leases.insert(id).second);
        break;
      case 1: {
        ASSERT_EQ(store.Revoke(id).ok(), leases.erase(id) == 1);
        std::erase_if(lease_of_key, [&](const auto& entry) { return entry.second == id; });
        break;
      }
      case 2: {
        const std::string key = random.Key();
        store.Delete(key);
        lease_of_key.erase(key);
        break;
      }
      default: {
        const int64_t lease = random.OneIn(2) ? 0 : id;
        etcdserverpb::PutRequest put = random.Put();
        put.set_lease(lease);
        const bool exists = lease == 0 || leases.contains(lease);
        ASSERT_EQ(store.Apply(put).status.ok(), exists);
        if (exists) lease_of_key[put.key()] = lease;
      }
    }
    if (random.OneIn(30)) {
      ASSERT_TRUE(store.state().Commit().ok());
    }
    if (random.OneIn(100)) store.CrashAndReplay();
    std::map<int64_t, std::vector<std::string>> expected;
    for (const int64_t lease : leases) expected[lease];
    for (const auto& [key, lease] : lease_of_key) {
      if (lease != 0) expected[lease].push_back(key);
    }
    ASSERT_EQ(store.state().lessor().size(), expected.size());
    for (const auto& [lease, keys] : expected) ASSERT_EQ(*store.state().lessor().Keys(lease), keys);
  }
}

}  // namespace
}  // namespace tidemark::mvcc
