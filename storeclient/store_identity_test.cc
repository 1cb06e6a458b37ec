#include "storeclient/store_identity.h"

#include <gtest/gtest.h>

#include "base/status.h"

namespace tidemark::storeclient {
namespace {

StoreHeader Header(uint64_t cluster_id, int64_t revision, uint64_t term) {
  return {cluster_id, Revision(revision), term};
}

bool Rewound(const absl::Status& status) { return KindOf(status) == ErrorKind::kRewound; }

TEST(StoreIdentityTest, ReadsBelowWhatWasKnownWhenTheyBegan) {
  struct Row {
    const char* name;
    StoreHeader seen;
    bool rewound;
  };
  const Row rows[] = {
      {"the same", Header(7, 100, 3), false},  {"further", Header(7, 101, 3), false},
      {"next term", Header(7, 100, 4), false}, {"no id told", Header(0, 100, 3), false},
      {"other id", Header(8, 200, 3), true},   {"revision", Header(7, 99, 3), true},
      {"term", Header(7, 200, 2), true},
  };
  for (const Row& row : rows) {
    StoreIdentity identity;
    ASSERT_TRUE(identity.Check(identity.Now(), Header(7, 100, 3)).ok());
    EXPECT_EQ(Rewound(identity.Check(identity.Now(), row.seen)), row.rewound) << row.name;
    EXPECT_EQ(identity.epoch(), row.rewound ? 2u : 1u) << row.name;
  }
}

TEST(StoreIdentityTest, OnlyTheTermMayBeLowerOnce) {
  const StoreIdentity::Known known{.at_least = Header(7, 100, 3)};
  EXPECT_TRUE(StoreIdentity::OnlyTermIsLower(known, Header(7, 100, 2)));
  EXPECT_FALSE(StoreIdentity::OnlyTermIsLower(known, Header(7, 100, 3)));
  EXPECT_FALSE(StoreIdentity::OnlyTermIsLower(known, Header(7, 99, 2))) << "the revision proves it";
  EXPECT_FALSE(StoreIdentity::OnlyTermIsLower(known, Header(8, 100, 2))) << "the id proves it";
}

TEST(StoreIdentityTest, ReadThatBeganEarlierProvesNothing) {
  StoreIdentity identity;
  const StoreIdentity::Known early = identity.Now();
  ASSERT_TRUE(identity.Check(identity.Now(), Header(7, 100, 3)).ok());
  EXPECT_TRUE(identity.Check(early, Header(7, 90, 3)).ok());
  EXPECT_EQ(identity.revision(), Revision(100));
}

TEST(StoreIdentityTest, PositionOfAFollowIsKnownToReads) {
  StoreIdentity identity;
  identity.NotePosition(1, Revision(50));
  EXPECT_TRUE(Rewound(identity.Check(identity.Now(), Header(7, 49, 1))));
  identity.NotePosition(1, Revision(50));
  EXPECT_EQ(identity.revision(), Revision(49)) << "of an epoch that is over";
}

TEST(StoreIdentityTest, TwoReadsThatShowTheSameRewindBeginOneEpoch) {
  StoreIdentity identity;
  identity.NotePosition(1, Revision(50));
  const StoreIdentity::Known known = identity.Now();
  EXPECT_TRUE(Rewound(identity.Check(known, Header(7, 10, 1))));
  EXPECT_TRUE(Rewound(identity.Check(known, Header(7, 11, 1))));
  EXPECT_EQ(identity.epoch(), 2u);
  EXPECT_TRUE(Rewound(identity.Check(known, Header(7, 99, 1)))) << "began in the old epoch";
}

TEST(StoreIdentityTest, StaleUntilEveryFollowHasConfirmed) {
  StoreIdentity identity;
  identity.Confirm(1, 1);
  identity.Confirm(2, 1);
  identity.Confirm(3, 1);
  EXPECT_FALSE(identity.HasStale());
  identity.Contradict(1);
  identity.Contradict(1);
  EXPECT_EQ(identity.epoch(), 2u);
  identity.Confirm(1, 1);
  EXPECT_TRUE(identity.HasStale());
  identity.Confirm(1, 2);
  identity.Confirm(1, 2);
  identity.Forget(2);
  EXPECT_TRUE(identity.HasStale());
  identity.Confirm(3, 2);
  EXPECT_FALSE(identity.HasStale());
  identity.Forget(3);
  identity.Forget(9);
  EXPECT_FALSE(identity.HasStale());
}

}  // namespace
}  // namespace tidemark::storeclient
