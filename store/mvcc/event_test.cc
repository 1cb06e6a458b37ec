#include "store/mvcc/event.h"

#include "gtest/gtest.h"
#include "store/mvcc/record.h"

namespace tidemark::mvcc {
namespace {

TEST(EventTest, PreviousRecordIsSharedWhileInUseAndNotKept) {
  const KeyValueRecord record{
      .key = "/a", .create_revision = 2, .mod_revision = 9, .version = 3, .value = "v", .lease = 0};
  const Event event({9, 0}, false, kv::MakeBytes(EncodeRecord(record)));
  int reads = 0;
  const auto read = [&](absl::string_view key, Revision revision) {
    EXPECT_EQ(key, "/a");
    EXPECT_EQ(revision, Revision(8));
    ++reads;
    return kv::MakeBytes("previous");
  };
  kv::Bytes first = event.PreviousRecord(read);
  EXPECT_EQ(event.PreviousRecord(read), first);
  EXPECT_EQ(reads, 1);
  const std::weak_ptr<const std::string> kept = first;
  first = nullptr;
  EXPECT_TRUE(kept.expired());
  EXPECT_EQ(*event.PreviousRecord(read), "previous");
  EXPECT_EQ(reads, 2);
}

TEST(EventTest, AbsenceOfAPreviousRecordIsRemembered) {
  const Event event(
      {9, 0}, true,
      kv::MakeBytes(
          EncodeRecord({.key = "/a", .create_revision = 0, .mod_revision = 0, .version = 0, .value = {}, .lease = 0})));
  int reads = 0;
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(event.PreviousRecord([&](absl::string_view, Revision) {
      ++reads;
      return kv::Bytes();
    }),
              nullptr);
  }
  EXPECT_EQ(reads, 1);
}

}  // namespace
}  // namespace tidemark::mvcc
