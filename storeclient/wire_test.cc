#include "storeclient/wire.h"

#include <gtest/gtest.h>

#include <random>
#include <string>

#include "base/status.h"
#include "proto/rpc.pb.h"

namespace tidemark::storeclient {
namespace {

etcdserverpb::WatchResponse SampleWatch() {
  etcdserverpb::WatchResponse message;
  message.mutable_header()->set_cluster_id(0xfedcba9876543210);
  message.mutable_header()->set_member_id(7);
  message.mutable_header()->set_revision(1234567890123);
  message.mutable_header()->set_raft_term(9);
  message.set_watch_id(-1);
  mvccpb::Event* put = message.add_events();
  put->mutable_kv()->set_key("/r/pods/a");
  put->mutable_kv()->set_value(std::string(3000, 'v'));
  put->mutable_kv()->set_create_revision(5);
  put->mutable_kv()->set_mod_revision(6);
  put->mutable_kv()->set_version(2);
  put->mutable_kv()->set_lease(77);
  put->mutable_prev_kv()->set_key("/r/pods/a");
  mvccpb::Event* gone = message.add_events();
  gone->set_type(mvccpb::Event::DELETE);
  gone->mutable_kv()->set_key("/r/pods/b");
  gone->mutable_kv()->set_mod_revision(7);
  return message;
}

TEST(WireTest, WatchResponseAsTheGeneratedClassWritesIt) {
  const std::string bytes = SampleWatch().SerializeAsString();
  WatchView view;
  ASSERT_TRUE(ParseWatch(bytes, &view).ok());
  EXPECT_EQ(view.header.cluster_id, 0xfedcba9876543210u);
  EXPECT_EQ(view.header.revision, Revision(1234567890123));
  EXPECT_EQ(view.header.raft_term, 9u);
  EXPECT_EQ(view.watch_id, -1);
  ASSERT_EQ(view.events.size(), 2u);
  EXPECT_EQ(view.events[0].type, EventView::Type::kPut);
  EXPECT_EQ(view.events[0].kv.key, "/r/pods/a");
  EXPECT_EQ(view.events[0].kv.value, std::string(3000, 'v'));
  EXPECT_EQ(view.events[0].kv.create_revision, Revision(5));
  EXPECT_EQ(view.events[0].kv.mod_revision, Revision(6));
  EXPECT_EQ(view.events[1].type, EventView::Type::kDelete);
  EXPECT_EQ(view.events[1].kv.mod_revision, Revision(7));
  EXPECT_FALSE(view.IsProgress());
}

TEST(WireTest, CancelAndFragmentAndProgress) {
  etcdserverpb::WatchResponse message;
  message.set_canceled(true);
  message.set_created(true);
  message.set_compact_revision(12);
  message.set_cancel_reason("why");
  message.set_fragment(true);
  std::string bytes = message.SerializeAsString();
  WatchView view;
  ASSERT_TRUE(ParseWatch(bytes, &view).ok());
  EXPECT_TRUE(view.created && view.canceled && view.fragment);
  EXPECT_EQ(view.compact_revision, Revision(12));
  EXPECT_EQ(view.cancel_reason, "why");
  // The next message starts from nothing.
  message.Clear();
  message.mutable_header()->set_revision(3);
  bytes = message.SerializeAsString();
  ASSERT_TRUE(ParseWatch(bytes, &view).ok());
  EXPECT_TRUE(view.IsProgress());
  EXPECT_TRUE(view.compact_revision.is_none());
}

TEST(WireTest, RangeResponseAsTheGeneratedClassWritesIt) {
  etcdserverpb::RangeResponse message;
  message.mutable_header()->set_revision(5);
  for (int i = 0; i < 3; ++i) {
    mvccpb::KeyValue* kv = message.add_kvs();
    kv->set_key(std::string(1, static_cast<char>('a' + i)));
    kv->set_mod_revision(i + 2);
  }
  message.set_more(true);
  message.set_count(10);
  const std::string bytes = message.SerializeAsString();
  RangeView view;
  ASSERT_TRUE(ParseRange(bytes, &view).ok());
  ASSERT_EQ(view.kvs.size(), 3u);
  EXPECT_EQ(view.kvs[2].key, "c");
  EXPECT_EQ(view.kvs[2].value, "");
  EXPECT_TRUE(view.more);
  EXPECT_EQ(view.count, 10);
  EXPECT_EQ(view.header.revision, Revision(5));
}

TEST(WireTest, UnknownFieldsOfEveryTypeAreSkipped) {
  const std::string unknown(
      "\xa1\x06"
      "12345678"
      "\xa5\x06"
      "1234"
      "\xa8\x06\x01"
      "\xa2\x06\x02xy",
      24);
  const std::string bytes = unknown + SampleWatch().SerializeAsString() + unknown;
  WatchView view;
  ASSERT_TRUE(ParseWatch(bytes, &view).ok());
  EXPECT_EQ(view.events.size(), 2u);
}

TEST(WireTest, EveryTruncationIsAnErrorOrAShorterMessage) {
  const std::string bytes = SampleWatch().SerializeAsString();
  WatchView view;
  etcdserverpb::WatchResponse message;
  for (size_t size = 0; size < bytes.size(); ++size) {
    const std::string cut = bytes.substr(0, size);
    const absl::Status status = ParseWatch(cut, &view);
    EXPECT_EQ(status.ok(), message.ParseFromString(cut)) << size;
    if (!status.ok()) {
      EXPECT_EQ(KindOf(status), ErrorKind::kCorrupt);
    }
  }
}

TEST(WireTest, BadBytes) {
  RangeView view;
  EXPECT_FALSE(ParseRange(std::string(1, '\0'), &view).ok()) << "field number 0";
  EXPECT_FALSE(ParseRange("\x0b", &view).ok()) << "a group";
  EXPECT_FALSE(ParseRange("\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &view).ok()) << "a varint of 12 bytes";
  EXPECT_FALSE(ParseRange("\x12\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", &view).ok()) << "a length beyond everything";
  EXPECT_TRUE(ParseRange("", &view).ok());
}

}  // namespace
}  // namespace tidemark::storeclient
