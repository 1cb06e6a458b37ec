#include "store/server/watch_service.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "proto/rpc.pb.h"
#include "store/server/service_fixture.h"

namespace tidemark::store {
namespace {

using etcdserverpb::WatchRequest;
using etcdserverpb::WatchResponse;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WatchServiceTest : public ServiceTest {
 protected:
  WatchServiceTest() : watch_(parts_, &executor_, {absl::Minutes(10), 1 << 20}) {
    call_ = std::make_shared<FakeStream>();
    session_ = watch_.Begin(call_);
  }
  ~WatchServiceTest() override {
    if (session_ != nullptr) session_->OnClosed();
    session_.reset();
    executor_.RunUntilIdle();
  }

  void Put(const std::string& key, const std::string& value) {
    mvcc::Command command;
    auto& put = command.request.emplace<etcdserverpb::PutRequest>();
    put.set_key(key);
    put.set_value(value);
    proposer_->Propose(std::move(command), [](const mvcc::CommandResult& result) { EXPECT_TRUE(result.status.ok()); });
    executor_.RunUntilIdle();
  }

  void Send(const WatchRequest& request) {
    ASSERT_TRUE(call_->reading);
    call_->reading = false;
    session_->OnMessage(request.SerializeAsString());
    executor_.RunUntilIdle();
  }

  void Create(const std::string& key, int64_t start_revision = 0, const std::string& range_end = "",
              bool prev_kv = false) {
    WatchRequest request;
    request.mutable_create_request()->set_prev_kv(prev_kv);
    request.mutable_create_request()->set_key(key);
    request.mutable_create_request()->set_range_end(range_end);
    request.mutable_create_request()->set_start_revision(start_revision);
    Send(request);
  }

  // The message under way is out: what the polling thread does about it.
  void FinishWrite() {
    call_->written.pop_front();
    call_->writing = false;
    session_->OnWritten();
  }

  // Everything that the stream has for the client, as it comes.
  std::vector<WatchResponse> Receive() {
    std::vector<WatchResponse> responses;
    while (call_->writing) {
      WatchResponse response;
      EXPECT_TRUE(response.ParseFromString(call_->written.front()));
      EXPECT_EQ(response.header().member_id(), 22u);
      call_->written.pop_front();
      call_->writing = false;
      responses.push_back(std::move(response));
      session_->OnWritten();
      executor_.RunUntilIdle();
    }
    return responses;
  }

  // "revision:key=value" of the events received.
  std::vector<std::string> ReceiveEvents() {
    std::vector<std::string> events;
    for (const WatchResponse& response : Receive()) {
      for (const auto& event : response.events()) {
        events.push_back(absl::StrCat(event.kv().mod_revision(), ":", event.kv().key(), "=", event.kv().value()));
      }
    }
    return events;
  }

  WatchService watch_;
  std::shared_ptr<FakeStream> call_;
  std::shared_ptr<StreamSession> session_;
};

TEST_F(WatchServiceTest, CreatedComesBeforeEventsAndHistoryBeforeThePresent) {
  Put("a", "1");
  Put("b", "2");
  Create("a", 2, "z");
  Put("a", "3");
  const std::vector<WatchResponse> responses = Receive();
  ASSERT_GE(responses.size(), 2u);
  EXPECT_TRUE(responses[0].created());
  EXPECT_EQ(responses[0].header().revision(), 3);
  std::vector<int64_t> revisions;
  for (const WatchResponse& response : responses) {
    EXPECT_EQ(response.header().raft_term(), 7u);
    for (const auto& event : response.events()) revisions.push_back(event.kv().mod_revision());
  }
  EXPECT_THAT(revisions, ElementsAre(2, 3, 4));
}

TEST_F(WatchServiceTest, CanceledWatchIsSilent) {
  Create("a");
  Receive();
  WatchRequest request;
  request.mutable_cancel_request()->set_watch_id(0);
  Send(request);
  const std::vector<WatchResponse> responses = Receive();
  ASSERT_EQ(responses.size(), 1u);
  EXPECT_TRUE(responses[0].canceled());
  Put("a", "1");
  EXPECT_THAT(Receive(), IsEmpty());
}

TEST_F(WatchServiceTest, ProgressRequestIsAnsweredForAllWatches) {
  Create("a");
  Receive();
  Put("b", "1");
  WatchRequest request;
  request.mutable_progress_request();
  Send(request);
  const std::vector<WatchResponse> responses = Receive();
  ASSERT_EQ(responses.size(), 1u);
  EXPECT_EQ(responses[0].watch_id(), -1);
  EXPECT_EQ(responses[0].header().revision(), 2);
}

TEST_F(WatchServiceTest, SilentWatchIsToldTheRevisionAtTheInterval) {
  watch_.StartTicking();
  WatchRequest request;
  request.mutable_create_request()->set_key("a");
  request.mutable_create_request()->set_progress_notify(true);
  Send(request);
  Receive();
  Put("b", "1");
  executor_.RunFor(absl::Minutes(21));
  const std::vector<WatchResponse> responses = Receive();
  ASSERT_GE(responses.size(), 1u);
  EXPECT_LE(responses.size(), 2u);  // intervals that have passed
  EXPECT_EQ(responses.back().watch_id(), 0);
  EXPECT_EQ(responses.back().header().revision(), 2);
  EXPECT_EQ(responses.back().events_size(), 0);
}

TEST_F(WatchServiceTest, StalledClientHoldsOneMessageAndLosesNothing) {
  Create("a");
  Receive();
  std::vector<std::string> expected;
  for (int i = 0; i < 1000; ++i) {
    Put("a", absl::StrCat(i));
    expected.push_back(absl::StrCat(i + 2, ":a=", i));
  }
  EXPECT_EQ(call_->written.size(), 1u);
  EXPECT_EQ(ReceiveEvents(), expected);
}

TEST_F(WatchServiceTest, PollingThreadEncodesWhatIsShortAndLeavesTheRest) {
  Create("a");
  Receive();
  for (const size_t size : {1, 100'000, 1, 1}) Put("a", std::string(size, 'v'));
  ASSERT_TRUE(call_->writing);
  FinishWrite();
  EXPECT_FALSE(call_->writing);
  executor_.RunUntilIdle();
  ASSERT_TRUE(call_->writing);
  EXPECT_GT(call_->written.front().size(), 100'000u);
  FinishWrite();
  EXPECT_TRUE(call_->writing);  // the last one was large, the next is not
  EXPECT_EQ(ReceiveEvents().size(), 2u);
}

// Also when it looks one message ahead.
TEST_F(WatchServiceTest, PollingThreadLeavesALargeMessageBehindAShortOne) {
  Create("a");
  Receive();
  for (const size_t size : {1, 1, 100'000}) Put("a", std::string(size, 'v'));
  FinishWrite();
  EXPECT_TRUE(call_->writing);
  EXPECT_EQ(metrics_.events.Value(), 2);
  EXPECT_EQ(ReceiveEvents().size(), 2u);
}

TEST_F(WatchServiceTest, PollingThreadLooksUpOnlyAFewPreviousValues) {
  for (int i = 0; i < 100; ++i) Put(absl::StrCat("k", i), "v");
  Create("a", 0, "z", /*prev_kv=*/true);
  Receive();
  const auto remove = [&](const std::string& key, const std::string& range_end) {
    mvcc::Command command;
    auto& deletion = command.request.emplace<etcdserverpb::DeleteRangeRequest>();
    deletion.set_key(key);
    deletion.set_range_end(range_end);
    proposer_->Propose(std::move(command), [](const mvcc::CommandResult& result) { EXPECT_TRUE(result.status.ok()); });
    executor_.RunUntilIdle();
  };
  Put("b", "1");
  remove("k1", "k2");  // eleven keys
  remove("k", "l");    // the other 89
  FinishWrite();
  EXPECT_TRUE(call_->writing);
  FinishWrite();
  EXPECT_FALSE(call_->writing);
  executor_.RunUntilIdle();
  const std::vector<WatchResponse> responses = Receive();
  ASSERT_EQ(responses.size(), 1u);
  ASSERT_EQ(responses[0].events_size(), 89);
  for (const auto& event : responses[0].events()) EXPECT_EQ(event.prev_kv().value(), "v");
}

TEST_F(WatchServiceTest, ClientThatOnlySendsIsNotReadFurther) {
  int requests = 0;
  while (call_->reading && requests < 10'000) {
    Create("a");
    ++requests;
  }
  EXPECT_LT(requests, 200);
  EXPECT_EQ(Receive().size(), static_cast<size_t>(requests));
  EXPECT_TRUE(call_->reading);
}

TEST_F(WatchServiceTest, ClosedStreamEndsItsWatches) {
  Create("a");
  EXPECT_EQ(state_->watchable().counts().watchers, 1u);
  session_->OnClosed();
  session_.reset();
  executor_.RunUntilIdle();
  EXPECT_EQ(state_->watchable().counts().streams, 0u);
  Put("a", "1");
}

TEST_F(WatchServiceTest, NonsenseEndsTheStream) {
  call_->reading = false;
  session_->OnMessage("\xff\xff");
  EXPECT_TRUE(call_->finished);
  EXPECT_EQ(call_->error.code, 3);
}

}  // namespace
}  // namespace tidemark::store
