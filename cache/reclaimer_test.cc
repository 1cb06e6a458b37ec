#include "cache/reclaimer.h"

#include <map>
#include <memory>
#include <random>
#include <set>
#include <vector>

#include "gtest/gtest.h"

namespace tidemark::cache {
namespace {

class TestVersion : public HeldVersion {
 public:
  explicit TestVersion(const bool* held) : held_(held) {}
  bool IsHeld() const override { return *held_; }

 private:
  const bool* const held_;
};

struct Node : Piece {
  int value;
};

TEST(ReclaimerTest, APieceThatWasNeverPublishedGoesAtOnce) {
  Reclaimer reclaimer;
  Piece* const piece = reclaimer.Allocate(sizeof(Node));
  EXPECT_TRUE(reclaimer.IsMine(piece));
  reclaimer.Drop(piece);
  EXPECT_EQ(reclaimer.waiting_pieces(), 0u);
}

TEST(ReclaimerTest, APieceWaitsForTheLastVersionThatSeesIt) {
  Reclaimer reclaimer;
  bool first = true, second = true, third = true;
  Piece* const piece = reclaimer.Allocate(sizeof(Node));
  reclaimer.Publish(std::make_unique<TestVersion>(&first), Revision(1));
  EXPECT_FALSE(reclaimer.IsMine(piece));
  reclaimer.Publish(std::make_unique<TestVersion>(&second), Revision(2));
  reclaimer.Drop(piece);
  reclaimer.Publish(std::make_unique<TestVersion>(&third), Revision(3));
  reclaimer.SweepAfterBatch();
  EXPECT_EQ(reclaimer.waiting_pieces(), 1u);
  second = false;  // the first still sees it
  reclaimer.SweepAfterBatch();
  reclaimer.SweepAfterBatch();
  EXPECT_EQ(reclaimer.versions(), 2u);
  EXPECT_EQ(reclaimer.waiting_pieces(), 1u);
  first = false;
  reclaimer.SweepAfterBatch();
  reclaimer.SweepAfterBatch();
  EXPECT_EQ(reclaimer.waiting_pieces(), 0u);
}

TEST(ReclaimerTest, AnOldVersionDoesNotHoldWhatWasBornAfterIt) {
  Reclaimer reclaimer;
  bool old = true, later = false;
  reclaimer.Publish(std::make_unique<TestVersion>(&old), Revision(1));
  Piece* const piece = reclaimer.Allocate(sizeof(Node));
  reclaimer.Publish(std::make_unique<TestVersion>(&later), Revision(2));
  reclaimer.Drop(piece);
  reclaimer.DropObject(MakeUnreadableObject("a", Revision(2), "").Release());
  reclaimer.Publish(std::make_unique<TestVersion>(&later), Revision(3));
  reclaimer.SweepAfterBatch();
  EXPECT_EQ(reclaimer.waiting_pieces(), 0u);
  EXPECT_EQ(reclaimer.versions(), 2u);
}

TEST(ReclaimerTest, FreesABoundedNumberOfPiecesAtOnce) {
  Reclaimer reclaimer;
  bool held = true, current = false;
  std::vector<Piece*> pieces;
  for (int i = 0; i < 1000; ++i) pieces.push_back(reclaimer.Allocate(sizeof(Node)));
  reclaimer.Publish(std::make_unique<TestVersion>(&held), Revision(1));
  for (Piece* const piece : pieces) reclaimer.Drop(piece);
  reclaimer.Publish(std::make_unique<TestVersion>(&current), Revision(2));
  reclaimer.SweepAfterBatch();
  EXPECT_EQ(reclaimer.waiting_pieces(), 1000u);
  held = false;
  reclaimer.SweepAfterBatch();
  EXPECT_EQ(reclaimer.waiting_pieces(), 1000u - Reclaimer::kPiecesPerBatch);
  EXPECT_FALSE(reclaimer.Sweep(5000, 1));
  EXPECT_EQ(reclaimer.waiting_pieces(), 0u);
}

// Versions held and let go at random: a piece must stay as long as a version that saw it is held. What is freed too early is found
// by writing the piece's number into it and reading it back.
TEST(ReclaimerTest, RandomHolders) {
  std::mt19937 random(7);
  Reclaimer reclaimer;
  std::set<Node*> alive;
  std::vector<std::unique_ptr<bool>> flags;
  std::map<size_t, std::set<Node*>> held;  // by version: what it sees
  int next_value = 1;
  std::map<Node*, int> values;
  for (size_t batch = 0; batch < 3000; ++batch) {
    for (int i = 0; i < 3; ++i) {
      Node* const node = static_cast<Node*>(reclaimer.Allocate(sizeof(Node)));
      node->value = values[node] = next_value++;
      alive.insert(node);
    }
    while (alive.size() > 30) {
      auto victim = alive.begin();
      std::advance(victim, random() % alive.size());
      reclaimer.Drop(*victim);
      alive.erase(victim);
    }
    flags.push_back(std::make_unique<bool>(true));
    reclaimer.Publish(std::make_unique<TestVersion>(flags.back().get()), Revision(static_cast<int64_t>(batch + 1)));
    held[batch] = alive;
    while (held.size() > 1 + random() % 20) {
      auto loser = held.begin();
      std::advance(loser, random() % held.size());
      *flags[loser->first] = false;
      held.erase(loser);
    }
    reclaimer.SweepAfterBatch();
    if (batch % 50 == 49) {
      for (Node* const node : alive) node->birth = 0;
      reclaimer.ResetBirths();
    }
    for (const auto& [version, nodes] : held) {
      for (Node* const node : nodes) ASSERT_EQ(node->value, values[node]);
    }
  }
  held.clear();
  for (const auto& flag : flags) *flag = false;
  while (reclaimer.Sweep(1000, reclaimer.versions())) {
  }
  EXPECT_EQ(reclaimer.waiting_pieces(), 0u);
  for (Node* const node : alive) reclaimer.Drop(node);
}

}  // namespace
}  // namespace tidemark::cache
