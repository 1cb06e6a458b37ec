#include "store/mvcc/count_cache.h"

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"

namespace tidemark::mvcc {
namespace {

constexpr Revision kAt(9);

// The range that begins behind `key`.
KeyRange Behind(absl::string_view key, absl::string_view end = "z") { return KeyRange(std::string(key) + '\0', end); }

TEST(CountCacheTest, KeepsTheNewestWalks) {
  CountCache cache;
  const auto end = [](int walk) { return absl::StrCat("z", walk); };
  constexpr int kWalks = static_cast<int>(CountCache::kWalksMax) + 1;
  for (int walk = 0; walk < kWalks; ++walk) cache.Put(KeyRange("first", end(walk)), kAt, "last", walk);
  EXPECT_EQ(cache.Take(Behind("last", end(0)), kAt), std::nullopt);
  EXPECT_EQ(cache.Take(Behind("last", end(1)), kAt), 1);
  EXPECT_EQ(cache.Take(Behind("last", end(1)), Revision(8)), std::nullopt);
  EXPECT_EQ(cache.Take(Behind("other", end(1)), kAt), std::nullopt);
  // A walk that goes on is the newest.
  cache.Put(Behind("last", end(1)), kAt, "last2", 0);
  cache.Put(KeyRange("first", "y"), kAt, "last", 7);
  EXPECT_EQ(cache.Take(Behind("last2", end(1)), kAt), 0);
  EXPECT_EQ(cache.Take(Behind("last", end(2)), kAt), std::nullopt);
}

TEST(CountCacheTest, EqualWalksOneBehindTheOtherBothFindTheirPlace) {
  CountCache cache;
  const auto key = [](int page) { return absl::StrCat("key", 100 + page); };
  // A page of one reader, which ends at key(page).
  const auto read = [&](int page) {
    if (page > 0) {
      ASSERT_EQ(cache.Take(Behind(key(page - 1)), kAt), 100 - page) << page;
    }
    cache.Put(page == 0 ? KeyRange("a", "z") : Behind(key(page - 1)), kAt, key(page), 99 - page);
  };
  read(0);
  for (int page = 0; page < 50; ++page) {
    read(page + 1);
    read(page);
  }
}

TEST(CountCacheTest, OneWalkKeepsFewPlaces) {
  CountCache cache;
  cache.Put(KeyRange("a", "y"), kAt, "b", 5);
  constexpr int kPlaces = static_cast<int>(CountCache::kPlacesMax);
  for (int place = 0; place <= kPlaces; ++place) cache.Put(KeyRange("a", "z"), kAt, absl::StrCat("key", place), place);
  EXPECT_EQ(cache.Take(Behind("key0"), kAt), std::nullopt);
  EXPECT_EQ(cache.Take(Behind("key1"), kAt), 1);
  EXPECT_EQ(cache.Take(Behind(absl::StrCat("key", kPlaces)), kAt), kPlaces);
  // At the cost of no other walk.
  EXPECT_EQ(cache.Take(Behind("b", "y"), kAt), 5);
}

}  // namespace
}  // namespace tidemark::mvcc
