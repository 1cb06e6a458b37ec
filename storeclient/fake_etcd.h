// FakeEtcd is the scripted store of tests: the etcd v3 services on a MemoryStore, with hooks for what a real member only does when
// something is wrong. Several members may share one store.
//
// Thread-safety: thread-safe.
// Ownership:     the store outlives its members.
#ifndef TIDEMARK_STORECLIENT_FAKE_ETCD_H_
#define TIDEMARK_STORECLIENT_FAKE_ETCD_H_

#include <grpcpp/grpcpp.h>

#include <algorithm>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/mutex.h"
#include "proto/rpc.grpc.pb.h"
#include "storeclient/memory_store.h"

namespace tidemark::storeclient {

// What the members of one cluster share.
struct FakeCluster {
  Mutex mu;
  CondVar changed;
  MemoryStore store ABSL_GUARDED_BY(mu);
  uint64_t cluster_id ABSL_GUARDED_BY(mu) = 77;
  uint64_t raft_term ABSL_GUARDED_BY(mu) = 5;
};

class FakeEtcd {
 public:
  struct Knobs {
    std::string version = "3.5.16";
    bool refuse_progress = false;
    bool hold_events = false;
    bool hang_reads = false;           // a Range is not answered
    bool hang_pages = false;           // only one that counts is
    int lower_terms = 0;               // so many Ranges show the term before
    int fail_calls = 0;                // so many calls are refused
    bool no_space = false;             // the quota is used up
    int fragment_events = 0;           // at most in one message, when the watch allows fragments; 0: all
    bool replay_before_start = false;  // events below a start in the future
  };
  struct Counts {
    int ranges = 0;
    int watches = 0;
    int progress_requests = 0;
    int statuses = 0;
    int64_t watch_start = 0;  // of the last watch
    bool has_leader = false;  // its metadata
    bool prev_kv = false;     // its request
  };

  explicit FakeEtcd(FakeCluster* cluster,
                    std::shared_ptr<grpc::ServerCredentials> credentials = grpc::InsecureServerCredentials())
      : cluster_(cluster), credentials_(std::move(credentials)), kv_(this), watch_(this), maintenance_(this) {
    Start();
  }
  ~FakeEtcd() { Stop(); }

  // On the same port as before, if there was one.
  void Start() {
    if (server_ != nullptr) return;
    grpc::ServerBuilder builder;
    builder.AddListeningPort(absl::StrCat("127.0.0.1:", port_), credentials_, &port_);
    builder.RegisterService(&kv_);
    builder.RegisterService(&watch_);
    builder.RegisterService(&maintenance_);
    builder.SetMaxReceiveMessageSize(-1);
    // As etcd: a ping each 5 s is not too many.
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MIN_RECV_PING_INTERVAL_WITHOUT_DATA_MS, 5000);
    builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
    server_ = builder.BuildAndStart();
    TM_CHECK(server_ != nullptr && port_ != 0) << "no server on port " << port_;
  }
  void Stop() {
    if (server_ == nullptr) return;
    BreakStreams();
    {
      MutexLock lock(&cluster_->mu);
      knobs_.hang_reads = knobs_.hang_pages = false;
      cluster_->changed.SignalAll();
    }
    server_->Shutdown(std::chrono::system_clock::now());
    server_->Wait();
    server_ = nullptr;
  }

  std::string url() const { return absl::StrCat("http://127.0.0.1:", port_); }
  int port() const { return port_; }
  std::shared_ptr<grpc::Channel> InProcessChannel() {
    grpc::ChannelArguments arguments;
    arguments.SetMaxReceiveMessageSize(-1);
    return server_->InProcessChannel(arguments);
  }

  template <typename Change>
  void Set(Change change) {
    MutexLock lock(&cluster_->mu);
    change(&knobs_);
    cluster_->changed.SignalAll();
    PumpAll();
  }
  Counts counts() {
    MutexLock lock(&cluster_->mu);
    return counts_;
  }
  void BreakStreams() {
    MutexLock lock(&cluster_->mu);
    for (WatchReactor* stream : streams_)
      stream->End(grpc::Status(grpc::StatusCode::UNAVAILABLE, "etcdserver: no leader"));
  }
  // On every stream, events that are held or not: as members do that are too old.
  void OvertakeWithProgress() {
    MutexLock lock(&cluster_->mu);
    for (WatchReactor* stream : streams_) {
      FillHeader(stream->responses_.emplace_back().mutable_header());
      Pump(stream);
    }
  }
  // After the cluster's store has changed.
  void Notify() {
    MutexLock lock(&cluster_->mu);
    PumpAll();
  }

 private:
  class KvService : public etcdserverpb::KV::Service {
   public:
    explicit KvService(FakeEtcd* etcd) : etcd_(etcd) {}
    grpc::Status Range(grpc::ServerContext* context, const etcdserverpb::RangeRequest* request,
                       etcdserverpb::RangeResponse* response) override {
      return etcd_->Range(context, *request, response);
    }
    grpc::Status Put(grpc::ServerContext*, const etcdserverpb::PutRequest* request,
                     etcdserverpb::PutResponse* response) override {
      return etcd_->Put(*request, response);
    }
    grpc::Status DeleteRange(grpc::ServerContext*, const etcdserverpb::DeleteRangeRequest* request,
                             etcdserverpb::DeleteRangeResponse* response) override {
      MutexLock lock(&etcd_->cluster_->mu);
      etcd_->cluster_->store.Delete(request->key());
      etcd_->FillHeader(response->mutable_header());
      etcd_->PumpAll();
      return grpc::Status::OK;
    }

   private:
    FakeEtcd* const etcd_;
  };

  // One stream with one watch.
  class WatchReactor : public grpc::ServerBidiReactor<etcdserverpb::WatchRequest, etcdserverpb::WatchResponse> {
   public:
    WatchReactor(FakeEtcd* etcd, bool has_leader) : etcd_(etcd) {
      MutexLock lock(&etcd_->cluster_->mu);
      etcd_->streams_.insert(this);
      etcd_->counts_.has_leader = has_leader;
      StartRead(&request_);
    }

    void OnReadDone(bool ok) override {
      MutexLock lock(&etcd_->cluster_->mu);
      if (!ok) return End(grpc::Status::OK);
      etcd_->OnWatchRequest(this, request_);
      if (!ended_) StartRead(&request_);
      etcd_->Pump(this);
    }
    void OnWriteDone(bool ok) override {
      MutexLock lock(&etcd_->cluster_->mu);
      writing_ = false;
      if (!ok) return End(grpc::Status::OK);
      etcd_->Pump(this);
    }
    void OnCancel() override {
      MutexLock lock(&etcd_->cluster_->mu);
      End(grpc::Status::CANCELLED);
    }
    void OnDone() override {
      {
        MutexLock lock(&etcd_->cluster_->mu);
        etcd_->streams_.erase(this);
      }
      delete this;
    }

    // With the cluster's lock held, as all below.
    void End(const grpc::Status& status) {
      if (std::exchange(ended_, true)) return;
      Finish(status);
    }

    FakeEtcd* const etcd_;
    etcdserverpb::WatchRequest request_;
    etcdserverpb::WatchResponse response_;               // being written
    std::deque<etcdserverpb::WatchResponse> responses_;  // before any event
    std::optional<etcdserverpb::WatchCreateRequest> create_;
    Revision sent_;  // everything up to here is sent, or in responses_
    bool progress_ = false;
    bool canceled_ = false;
    bool writing_ = false;
    bool ended_ = false;
  };

  class WatchService : public etcdserverpb::Watch::CallbackService {
   public:
    explicit WatchService(FakeEtcd* etcd) : etcd_(etcd) {}
    grpc::ServerBidiReactor<etcdserverpb::WatchRequest, etcdserverpb::WatchResponse>* Watch(
        grpc::CallbackServerContext* context) override {
      return new WatchReactor(etcd_, context->client_metadata().count("hasleader") > 0);
    }

   private:
    FakeEtcd* const etcd_;
  };

  class MaintenanceService : public etcdserverpb::Maintenance::Service {
   public:
    explicit MaintenanceService(FakeEtcd* etcd) : etcd_(etcd) {}
    grpc::Status Status(grpc::ServerContext*, const etcdserverpb::StatusRequest*,
                        etcdserverpb::StatusResponse* response) override {
      MutexLock lock(&etcd_->cluster_->mu);
      ++etcd_->counts_.statuses;
      response->set_version(etcd_->knobs_.version);
      etcd_->FillHeader(response->mutable_header());
      return grpc::Status::OK;
    }

   private:
    FakeEtcd* const etcd_;
  };

  void FillHeader(etcdserverpb::ResponseHeader* header) ABSL_EXCLUSIVE_LOCKS_REQUIRED(cluster_->mu) {
    header->set_cluster_id(cluster_->cluster_id);
    header->set_raft_term(cluster_->raft_term);
    header->set_revision(cluster_->store.revision().value());
  }

  static void Fill(const KeyValue& kv, mvccpb::KeyValue* message) {
    message->set_key(kv.key);
    message->set_value(kv.value);
    message->set_create_revision(kv.create_revision.value());
    message->set_mod_revision(kv.mod_revision.value());
  }

  grpc::Status Range(grpc::ServerContext* context, const etcdserverpb::RangeRequest& request,
                     etcdserverpb::RangeResponse* response) {
    MutexLock lock(&cluster_->mu);
    ++counts_.ranges;
    while ((knobs_.hang_reads || (knobs_.hang_pages && !request.count_only())) && !context->IsCancelled()) {
      cluster_->changed.WaitWithDeadline(&cluster_->mu, absl::Now() + absl::Milliseconds(20));
    }
    if (knobs_.fail_calls > 0) {
      --knobs_.fail_calls;
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "etcdserver: leader changed");
    }
    const auto range = cluster_->store.Range({.key = request.key(),
                                              .range_end = request.range_end(),
                                              .revision = Revision(request.revision()),
                                              .limit = request.limit(),
                                              .count_only = request.count_only()});
    if (!range.ok()) {
      return grpc::Status(grpc::StatusCode::OUT_OF_RANGE,
                          absl::StrCat("etcdserver: mvcc: ", std::string(range.status().message())));
    }
    FillHeader(response->mutable_header());
    if (knobs_.lower_terms > 0) {
      --knobs_.lower_terms;
      response->mutable_header()->set_raft_term(cluster_->raft_term - 1);
    }
    for (const KeyValue& kv : range->kvs) Fill(kv, response->add_kvs());
    response->set_count(range->count);
    response->set_more(range->more);
    return grpc::Status::OK;
  }

  grpc::Status Put(const etcdserverpb::PutRequest& request, etcdserverpb::PutResponse* response) {
    MutexLock lock(&cluster_->mu);
    if (knobs_.fail_calls > 0) {
      --knobs_.fail_calls;
      return grpc::Status(grpc::StatusCode::UNAVAILABLE, "etcdserver: leader changed");
    }
    if (knobs_.no_space) {
      return grpc::Status(grpc::StatusCode::RESOURCE_EXHAUSTED, "etcdserver: mvcc: database space exceeded");
    }
    cluster_->store.Put(request.key(), request.value());
    FillHeader(response->mutable_header());
    PumpAll();
    return grpc::Status::OK;
  }

  void OnWatchRequest(WatchReactor* stream, const etcdserverpb::WatchRequest& request)
      ABSL_EXCLUSIVE_LOCKS_REQUIRED(cluster_->mu) {
    if (request.has_progress_request()) {
      ++counts_.progress_requests;
      // A watch that is not in step, or waits for its start, gets no answer.
      const bool reached =
          stream->create_.has_value() && cluster_->store.revision().value() >= stream->create_->start_revision();
      if (!knobs_.refuse_progress && !knobs_.hold_events && reached) stream->progress_ = true;
    }
    if (!request.has_create_request()) return;
    ++counts_.watches;
    stream->create_ = request.create_request();
    counts_.watch_start = stream->create_->start_revision();
    counts_.prev_kv = stream->create_->prev_kv();
    stream->sent_ = Revision(stream->create_->start_revision()).Previous();
    etcdserverpb::WatchResponse created;
    FillHeader(created.mutable_header());
    created.set_created(true);
    stream->responses_.push_back(created);
    if (knobs_.replay_before_start && stream->sent_ > Revision(1)) stream->sent_ = Revision(1);
    if (!cluster_->store.CheckWatchStart(stream->sent_.Next()).ok()) {
      etcdserverpb::WatchResponse canceled;
      FillHeader(canceled.mutable_header());
      canceled.set_canceled(true);
      canceled.set_compact_revision(cluster_->store.compact_revision().value());
      stream->responses_.push_back(canceled);
      stream->canceled_ = true;
    }
  }

  void PumpAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(cluster_->mu) {
    for (WatchReactor* stream : streams_) Pump(stream);
  }

  void Pump(WatchReactor* stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(cluster_->mu) {
    if (stream->writing_ || stream->ended_ || !stream->create_.has_value()) return;
    if (stream->responses_.empty() && !stream->canceled_ && !knobs_.hold_events) NextEvents(stream);
    if (stream->responses_.empty() && stream->progress_) {
      stream->progress_ = false;
      etcdserverpb::WatchResponse progress;
      FillHeader(progress.mutable_header());
      progress.set_watch_id(-1);
      stream->responses_.push_back(progress);
    }
    if (stream->responses_.empty()) return;
    stream->response_ = std::move(stream->responses_.front());
    stream->responses_.pop_front();
    stream->writing_ = true;
    stream->StartWrite(&stream->response_);
  }

  void NextEvents(WatchReactor* stream) ABSL_EXCLUSIVE_LOCKS_REQUIRED(cluster_->mu) {
    etcdserverpb::WatchResponse response;
    const auto& create = *stream->create_;
    // etcd's own limit of one message of a lagging watch.
    for (int revisions = 0; revisions < 1000; ++revisions) {
      const MemoryStore::BatchPtr batch = cluster_->store.NextBatch(stream->sent_);
      if (batch == nullptr) break;
      stream->sent_ = batch->revision;
      for (const MemoryStore::Event& event : batch->events) {
        if (event.kv.key < create.key() || event.kv.key >= create.range_end()) continue;
        mvccpb::Event* message = response.add_events();
        if (event.type == EventView::Type::kDelete) message->set_type(mvccpb::Event::DELETE);
        Fill(event.kv, message->mutable_kv());
      }
    }
    const int size = create.fragment() && knobs_.fragment_events > 0 ? knobs_.fragment_events : response.events_size();
    for (int begin = 0; begin < response.events_size(); begin += size) {
      etcdserverpb::WatchResponse piece;
      FillHeader(piece.mutable_header());
      const int end = std::min(begin + size, response.events_size());
      for (int i = begin; i < end; ++i) *piece.add_events() = response.events(i);
      piece.set_fragment(end < response.events_size());
      stream->responses_.push_back(std::move(piece));
    }
  }

  FakeCluster* const cluster_;
  const std::shared_ptr<grpc::ServerCredentials> credentials_;
  KvService kv_;
  WatchService watch_;
  MaintenanceService maintenance_;
  int port_ = 0;
  std::unique_ptr<grpc::Server> server_;
  // Guarded by the cluster's lock.
  Knobs knobs_;
  Counts counts_;
  std::set<WatchReactor*> streams_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_FAKE_ETCD_H_
