#include "storeclient/whole_revisions.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::storeclient {
namespace {

class WholeRevisionsTest : public testing::Test {
 protected:
  // Events by revision; the keys are a, b, c, ... in the order of the whole test.
  std::string Add(bool fragment, const std::vector<int>& revisions, int position = 0) {
    WatchView message;
    message.fragment = fragment;
    keys_.reserve(100);
    for (const int revision : revisions) {
      keys_.push_back(std::string(1, static_cast<char>('a' + keys_.size())));
      message.events.push_back({EventView::Type::kPut, {keys_.back(), "v", Revision(1), Revision(revision)}});
    }
    std::vector<absl::Span<const EventView>> batches;
    const absl::Status status = whole_.Add(message, Revision(position), &batches);
    if (!status.ok()) return std::string(ErrorKindName(KindOf(status)));
    std::string text;
    for (const auto& batch : batches) {
      for (const EventView& event : batch) absl::StrAppend(&text, event.kv.key, event.kv.mod_revision.value());
      text += ';';
    }
    return text;
  }

  WholeRevisions whole_;
  std::vector<std::string> keys_;
};

TEST_F(WholeRevisionsTest, WholeMessagePassesAsItIs) { EXPECT_EQ(Add(false, {5, 5, 6}), "a5b5c6;"); }

TEST_F(WholeRevisionsTest, FragmentKeepsItsLastRevision) {
  EXPECT_EQ(Add(true, {5, 6, 7, 7}), "a5b6;");
  EXPECT_EQ(Add(false, {7, 8}), "c7d7e7;f8;");
}

TEST_F(WholeRevisionsTest, LaterRevisionClosesTheOpenOne) {
  EXPECT_EQ(Add(true, {5}), "");
  EXPECT_EQ(Add(true, {6}), "a5;");
  EXPECT_EQ(Add(true, {6, 7, 8}), "b6c6;d7;");
  EXPECT_EQ(Add(false, {}), "e8;");
}

TEST_F(WholeRevisionsTest, RevisionOverManyFragments) {
  EXPECT_EQ(Add(true, {5, 5}), "");
  EXPECT_EQ(Add(true, {5}), "");
  EXPECT_EQ(Add(false, {5}), "a5b5c5d5;");
}

TEST_F(WholeRevisionsTest, WhatWasDeliveredIsDropped) {
  EXPECT_EQ(Add(false, {4, 5, 6}, 5), "c6;");
  EXPECT_EQ(Add(false, {4, 5}, 6), "");
  EXPECT_EQ(Add(true, {6, 7, 8}, 7), "");
  EXPECT_EQ(Add(false, {8}, 7), "h8i8;");
}

TEST_F(WholeRevisionsTest, BackwardsIsCorrupt) {
  EXPECT_EQ(Add(false, {5, 4}), "corrupt");
  EXPECT_EQ(Add(true, {6}), "");
  EXPECT_EQ(Add(false, {5}), "corrupt");
}

TEST_F(WholeRevisionsTest, ClearForgetsTheOpenRevision) {
  EXPECT_EQ(Add(true, {5}), "");
  whole_.Clear();
  EXPECT_EQ(Add(false, {5, 5}), "b5c5;");
}

}  // namespace
}  // namespace tidemark::storeclient
