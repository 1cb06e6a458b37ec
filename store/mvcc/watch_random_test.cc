// Random streams, watches and consumers beside random writes; what each watch has seen passes every guarantee.
#include <map>
#include <memory>
#include <optional>

#include "absl/strings/str_cat.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/model_store.h"
#include "store/mvcc/random_requests.h"
#include "store/mvcc/request_check.h"
#include "store/mvcc/test_store.h"
#include "store/mvcc/watch_checkers.h"

namespace tidemark::mvcc {
namespace {

void Parse(absl::string_view bytes, mvccpb::KeyValue* kv) {
  ASSERT_TRUE(kv->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) << bytes.size() << " bytes";
}

// What EncodeWatchResponse's bytes are held against: the message field by field, and its revision as the header.
void FillWatchResponse(const WatchMessage& message, const MvccStore& store, etcdserverpb::WatchResponse* response) {
  response->mutable_header()->set_revision(message.revision.value());
  response->set_watch_id(message.watch_id);
  response->set_created(message.created);
  response->set_canceled(message.canceled);
  response->set_compact_revision(message.compact_revision.value());
  response->set_cancel_reason(message.cancel_reason);
  for (const EventPtr& event : message.events) {
    mvccpb::Event* out = response->add_events();
    out->set_type(event->is_delete() ? mvccpb::Event::DELETE : mvccpb::Event::PUT);
    Parse(event->kv_bytes(), out->mutable_kv());
    if (!message.with_prev_kv) continue;
    const kv::Bytes previous =
        event->PreviousRecord([&](absl::string_view key, Revision revision) { return store.GetAt(key, revision); });
    if (previous != nullptr) Parse(*previous, out->mutable_prev_kv());
  }
}

// One client: takes messages from its stream when told to, and keeps what each watch has seen.
class Client {
 public:
  Client(StateMachine* state, const ModelStore* model)
      : state_(state), model_(model), stream_(state->watchable().NewStream([this] { ready_ = true; })) {}

  void Create(const etcdserverpb::WatchCreateRequest& request) {
    asked_.push_back(request);
    stream_->Create(request);
  }

  void CancelOne(RandomRequests* requests) {
    if (watches_.empty()) return;
    auto at = watches_.begin();
    std::advance(at, requests->Below(static_cast<int>(watches_.size())));
    stream_->Cancel(at->first);
  }

  void RequestProgress() { stream_->RequestProgress(); }
  void ProgressTick() { stream_->ProgressTick(); }
  bool ready() const { return ready_; }

  // Takes up to `limit` messages; false when there was none.
  bool Consume(int limit) {
    ready_ = false;
    bool any = false;
    for (int i = 0; i < limit; ++i) {
      const std::optional<WatchMessage> message = stream_->Next();
      if (!message.has_value()) return any;
      any = true;
      OnMessage(*message);
    }
    ready_ = true;
    return any;
  }

  // What is left when everything has been delivered must be complete up to the store's revision.
  void CheckComplete() {
    for (const auto& [id, watch] : watches_) {
      EXPECT_EQ(CheckWatch(watch, *model_, model_->revision()), "") << watch.request.DebugString();
    }
  }

  int progress_answers() const { return progress_answers_; }
  int compacted_watches() const { return compacted_watches_; }

 private:
  void OnMessage(const WatchMessage& message) {
    etcdserverpb::WatchResponse response;
    FillWatchResponse(message, state_->store(), &response);
    CheckEncoded(message, response);
    if (response.created()) {
      OnCreated(response);
    } else if (response.watch_id() == kNoWatchId) {
      ++progress_answers_;
      for (auto& [id, watch] : watches_) watch.responses.push_back(response);
    } else if (response.canceled()) {
      OnCanceled(response);
    } else {
      ASSERT_EQ(watches_.count(response.watch_id()), 1u) << response.DebugString();
      watches_[response.watch_id()].responses.push_back(response);
    }
  }

  void CheckEncoded(const WatchMessage& message, const etcdserverpb::WatchResponse& response) {
    constexpr size_t kFragmentBytes = 300;
    etcdserverpb::WatchResponse merged;
    const std::vector<std::string> pieces = EncodeWatchResponse(message, state_->store(), kFragmentBytes);
    for (size_t i = 0; i < pieces.size(); ++i) {
      etcdserverpb::WatchResponse piece;
      ASSERT_TRUE(piece.ParseFromString(pieces[i]));
      ASSERT_EQ(piece.fragment(), i + 1 < pieces.size());
      ASSERT_TRUE(piece.events_size() <= 1 || pieces.size() == 1 || pieces[i].size() < kFragmentBytes);
      merged.MergeFrom(piece);
    }
    merged.clear_fragment();
    *merged.mutable_header() = response.header();
    etcdserverpb::WatchResponse expected = response;
    // Merging strings keeps the last, so only repeated fields add up.
    ASSERT_EQ(merged.SerializeAsString(), expected.SerializeAsString());
    ASSERT_TRUE(message.may_fragment || pieces.size() == 1);
  }

  void OnCreated(const etcdserverpb::WatchResponse& response) {
    ASSERT_FALSE(asked_.empty());
    const etcdserverpb::WatchCreateRequest request = asked_.front();
    asked_.erase(asked_.begin());
    if (response.canceled()) {
      ASSERT_EQ(response.watch_id(), kNoWatchId);
      return;
    }
    ASSERT_EQ(watches_.count(response.watch_id()), 0u) << "id given twice";
    watches_[response.watch_id()] = {request, response.header().revision(), {}};
  }

  void OnCanceled(const etcdserverpb::WatchResponse& response) {
    const WatchObservation& watch = watches_.at(response.watch_id());
    if (response.compact_revision() != 0) {
      ++compacted_watches_;
      EXPECT_LE(response.compact_revision(), model_->compacted());
      EXPECT_LT(watch.First(), response.compact_revision());
    }
    // A prefix of the truth, without a hole.
    EXPECT_EQ(CheckWatch(watch, *model_, 0), "") << watch.request.DebugString();
    watches_.erase(response.watch_id());
  }

  StateMachine* const state_;
  const ModelStore* const model_;
  bool ready_ = false;
  const std::unique_ptr<WatchStream> stream_;
  std::vector<etcdserverpb::WatchCreateRequest> asked_;  // not answered yet
  std::map<int64_t, WatchObservation> watches_;
  int progress_answers_ = 0;
  int compacted_watches_ = 0;
};

etcdserverpb::WatchCreateRequest RandomWatch(RandomRequests* requests, int64_t newest) {
  etcdserverpb::WatchCreateRequest request;
  if (!requests->OneIn(8)) request.set_key(requests->Key());
  request.set_range_end(requests->RangeEnd());
  if (requests->OneIn(2)) request.set_start_revision(requests->Below(static_cast<int>(newest) + 20) - 1);
  if (requests->OneIn(6)) request.add_filters(etcdserverpb::WatchCreateRequest::NOPUT);
  if (requests->OneIn(6)) request.add_filters(etcdserverpb::WatchCreateRequest::NODELETE);
  request.set_prev_kv(requests->OneIn(2));
  request.set_fragment(requests->OneIn(2));
  request.set_progress_notify(requests->OneIn(2));
  if (requests->OneIn(10)) request.set_watch_id(requests->Below(5));
  return request;
}

class WatchRandomTest : public ::testing::TestWithParam<EngineUnderTest> {};

TEST_P(WatchRandomTest, EveryWatchKeepsEveryGuarantee) {
  const uint32_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  RandomRequests requests(seed);
  // A history of a few dozen events, so that most catching up reads the table.
  TestStore store(GetParam(),
                  {.store = {.compaction_batch = 3}, .watch = {.history_bytes_max = 8 << 10, .page_revisions_max = 5}});
  ModelStore model;
  std::vector<std::unique_ptr<Client>> clients;
  for (int i = 0; i < 4; ++i) clients.push_back(std::make_unique<Client>(&store.state(), &model));

  for (int step = 0; step < 4000 && !::testing::Test::HasFailure(); ++step) {
    if (requests.OneIn(3)) {
      const auto request = requests.Txn(model.revision());
      if (CheckTxn(request, 128).ok()) {
        model.Txn(request);
        store.Apply(request);
      }
    } else {
      const auto request = requests.Put();
      model.Put(request);
      store.Apply(request);
    }
    Client& client = *clients[static_cast<size_t>(requests.Below(4))];
    if (requests.OneIn(20)) client.Create(RandomWatch(&requests, model.revision()));
    if (requests.OneIn(80)) client.CancelOne(&requests);
    if (requests.OneIn(10)) client.RequestProgress();
    if (requests.OneIn(30)) client.ProgressTick();
    // The last client hardly ever reads, so that its watchers are blocked.
    if (&client != clients.back().get() || requests.OneIn(40)) client.Consume(requests.Below(60));
    if (requests.OneIn(3)) store.executor().RunOne();
    if (requests.OneIn(4)) store.store().CompactionStep();
    if (requests.OneIn(30)) {
      ASSERT_TRUE(store.state().Commit().ok());
    }
    if (requests.OneIn(200)) {
      const int64_t revision = model.revision() - requests.Below(100);
      ASSERT_EQ(model.Compact(revision), store.Compact(revision).ok());
    }
  }
  for (bool busy = true; busy;) {
    busy = store.executor().RunUntilIdle() > 0;
    for (const auto& client : clients) {
      // A consumer is told when there is something after there was nothing.
      if (client->ready()) busy |= client->Consume(10);
    }
  }
  const WatchableStore::Counts counts = store.state().watchable().counts();
  EXPECT_EQ(counts.unsynced, 0u);
  EXPECT_EQ(counts.blocked, 0u);
  int compacted = 0;
  int progress_answers = 0;
  for (const auto& client : clients) {
    client->RequestProgress();
    client->Consume(10);
    client->CheckComplete();
    compacted += client->compacted_watches();
    progress_answers += client->progress_answers();
  }
  EXPECT_GT(compacted, 0);
  EXPECT_GT(progress_answers, 0);
}

INSTANTIATE_TEST_SUITE_P(Engines, WatchRandomTest, ::testing::Values(EngineUnderTest::kMemory, EngineUnderTest::kLmdb),
                         EngineName);

}  // namespace
}  // namespace tidemark::mvcc
