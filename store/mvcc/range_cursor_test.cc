#include "store/mvcc/range_cursor.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/test_store.h"

namespace tidemark::mvcc {
namespace {

constexpr size_t kNoLimit = size_t{1} << 40;

class RangeCursorTest : public ::testing::Test {
 protected:
  static etcdserverpb::RangeRequest Request(int64_t limit = 0, bool keys_only = false) {
    etcdserverpb::RangeRequest request;
    request.set_key("/");
    request.set_range_end("0");
    request.set_limit(limit);
    request.set_keys_only(keys_only);
    return request;
  }

  // The keys of each portion until the end.
  std::vector<std::string> Portions(RangeCursor* cursor, size_t keys_max, size_t bytes_max) {
    std::vector<std::string> portions;
    while (!cursor->done()) {
      std::string wire;
      const absl::Status status = cursor->Next(keys_max, bytes_max, &wire);
      EXPECT_TRUE(status.ok()) << status;
      etcdserverpb::RangeResponse response;
      EXPECT_TRUE(response.ParseFromString(wire));
      std::string keys;
      for (const auto& kv : response.kvs()) absl::StrAppend(&keys, keys.empty() ? "" : " ", kv.key());
      portions.push_back(keys);
    }
    return portions;
  }

  using Texts = std::vector<std::string>;
  TestStore store_;
};

TEST_F(RangeCursorTest, PortionsHaveSoManyKeys) {
  for (int i = 1; i <= 7; ++i) store_.Put(absl::StrCat("/", i), "v");
  RangeCursor all(store_.store(), Request());
  EXPECT_EQ(Portions(&all, 3, kNoLimit), (Texts{"/1 /2 /3", "/4 /5 /6", "/7"}));
  EXPECT_FALSE(all.more());
  EXPECT_EQ(all.count(), 7);
  RangeCursor some(store_.store(), Request(/*limit=*/4));
  EXPECT_EQ(Portions(&some, 3, kNoLimit), (Texts{"/1 /2 /3", "/4"}));
  EXPECT_TRUE(some.more());
  EXPECT_EQ(some.count(), 7);
}

TEST_F(RangeCursorTest, PortionEndsWhenItsBytesAreReachedAndTheNextGoesOnThere) {
  for (int i = 1; i <= 7; ++i) store_.Put(absl::StrCat("/", i), std::string(i == 5 ? 9000 : 1000, 'v'));
  RangeCursor all(store_.store(), Request());
  EXPECT_EQ(Portions(&all, 100, 2000), (Texts{"/1 /2", "/3 /4", "/5", "/6 /7"}));
  EXPECT_FALSE(all.more());
  EXPECT_EQ(all.count(), 7);
  RangeCursor some(store_.store(), Request(/*limit=*/5));
  EXPECT_EQ(Portions(&some, 100, 2000), (Texts{"/1 /2", "/3 /4", "/5"}));
  EXPECT_TRUE(some.more());
  EXPECT_EQ(some.count(), 7);
}

TEST_F(RangeCursorTest, PortionHasOneKeyAtLeast) {
  for (int i = 1; i <= 3; ++i) store_.Put(absl::StrCat("/", i), std::string(1000, 'v'));
  RangeCursor cursor(store_.store(), Request());
  EXPECT_EQ(Portions(&cursor, 100, 1), (Texts{"/1", "/2", "/3"}));
  EXPECT_EQ(cursor.count(), 3);
}

TEST_F(RangeCursorTest, BytesOfKeysAloneCountToo) {
  for (int i = 1; i <= 4; ++i) store_.Put(absl::StrCat("/", i), std::string(1000, 'v'));
  RangeCursor cursor(store_.store(), Request(0, /*keys_only=*/true));
  EXPECT_EQ(Portions(&cursor, 100, 15), (Texts{"/1 /2", "/3 /4"}));
  EXPECT_EQ(cursor.count(), 4);
}

TEST_F(RangeCursorTest, CutPortionStaysAtItsRevision) {
  for (int i = 1; i <= 4; ++i) store_.Put(absl::StrCat("/", i), std::string(1000, 'v'));
  RangeCursor cursor(store_.store(), Request());
  std::string wire;
  ASSERT_TRUE(cursor.Next(100, 1000, &wire).ok());
  store_.Delete("/2");
  store_.Put("/25", "new");
  EXPECT_EQ(Portions(&cursor, 100, kNoLimit), Texts{"/2 /3 /4"});
  EXPECT_EQ(cursor.count(), 4);
}

}  // namespace
}  // namespace tidemark::mvcc
