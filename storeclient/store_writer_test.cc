#include "storeclient/store_writer.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "storeclient/fake_etcd.h"

namespace tidemark::storeclient {
namespace {

class StoreWriterTest : public testing::Test {
 protected:
  std::unique_ptr<StoreWriter> Writer(int in_flight_max = 64) {
    auto writer = StoreWriter::Create({.store = {.endpoints = {etcd_.url()}}, .in_flight_max = in_flight_max});
    TM_CHECK_OK(writer.status());
    return *std::move(writer);
  }
  RangeResult All() {
    MutexLock lock(&cluster_.mu);
    return *cluster_.store.Range({.key = "/", .range_end = "0"});
  }

  FakeCluster cluster_;
  FakeEtcd etcd_{&cluster_};
};

TEST_F(StoreWriterTest, WritesEverythingAndTellsHowFar) {
  auto writer = Writer();
  StoreWriter::Progress last;
  writer->OnProgress([&](const StoreWriter::Progress& progress) {
    EXPECT_GE(progress.writes, last.writes);
    last = progress;
  });
  for (int i = 0; i < 1000; ++i) ASSERT_TRUE(writer->Put(absl::StrCat("/k", 1000 + i), "value").ok());
  ASSERT_TRUE(writer->Flush().ok());
  EXPECT_EQ(last.writes, 1000);
  EXPECT_EQ(last.bytes, 1000 * 11);
  EXPECT_EQ(All().count, 1000);
}

TEST_F(StoreWriterTest, WritesOfOneKeyKeepTheirOrder) {
  auto writer = Writer();
  for (int i = 0; i < 200; ++i) {
    ASSERT_TRUE(writer->Put("/a", absl::StrCat(i)).ok());
    ASSERT_TRUE(writer->Put(absl::StrCat("/b", i % 3), absl::StrCat(i)).ok());
  }
  ASSERT_TRUE(writer->Put("/gone", "1").ok());
  ASSERT_TRUE(writer->Delete("/gone").ok());
  ASSERT_TRUE(writer->Flush().ok());
  const RangeResult all = All();
  ASSERT_EQ(all.count, 4);
  EXPECT_EQ(all.kvs[0].value, "199");
  EXPECT_EQ(all.kvs[1].value, "198");
}

TEST_F(StoreWriterTest, RefusedWritesAreMadeAgain) {
  etcd_.Set([](FakeEtcd::Knobs* knobs) { knobs->fail_calls = 5; });
  auto writer = Writer();
  for (int i = 0; i < 20; ++i) ASSERT_TRUE(writer->Put(absl::StrCat("/k", i), "v").ok());
  EXPECT_TRUE(writer->Flush().ok());
  EXPECT_EQ(All().count, 20);
}

TEST_F(StoreWriterTest, FirstFailureStaysTheAnswer) {
  etcd_.Set([](FakeEtcd::Knobs* knobs) { knobs->no_space = true; });
  auto writer = Writer(2);
  (void)writer->Put("/a", "v");
  const absl::Status status = writer->Flush();
  EXPECT_EQ(KindOf(status), ErrorKind::kNoSpace) << status;
  EXPECT_FALSE(writer->Put("/b", "v").ok());
}

}  // namespace
}  // namespace tidemark::storeclient
