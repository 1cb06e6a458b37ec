#include "store/server/member.h"

#include <optional>
#include <random>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/executor.h"
#include "base/log.h"
#include "base/status.h"
#include "store/kv/lmdb_engine.h"
#include "store/mvcc/compactor.h"
#include "store/mvcc/state_machine.h"
#include "store/raft/file_env.h"
#include "store/raft/single_log.h"
#include "store/server/cluster_service.h"
#include "store/server/committer.h"
#include "store/server/grpc_server.h"
#include "store/server/kv_service.h"
#include "store/server/lease_service.h"
#include "store/server/maintenance_service.h"
#include "store/server/quota.h"
#include "store/server/range_stream.h"
#include "store/server/upkeep.h"
#include "store/server/watch_service.h"

namespace tidemark::store {
namespace {

// Ranges and hashes side by side; they compete for the same cores as everything else.
constexpr int kReadThreads = 2;
// After a start every lease has its full time again and this on top, as with a new leader (etcd's election timeout).
constexpr absl::Duration kLeaseExtension = absl::Seconds(1);

uint64_t RandomId() {
  std::random_device random;
  uint64_t id = 0;
  while (id == 0) id = uint64_t{random()} << 32 | random();
  return id;
}

std::vector<std::string> Texts(const std::vector<config::Address>& addresses) {
  std::vector<std::string> texts;
  for (const config::Address& address : addresses) texts.push_back(address.ToString());
  return texts;
}

// An address that is advertised as it was to be listened on is shown with the port that it got.
std::vector<config::Address> AdvertisedUrls(const config::StoreOptions& options,
                                            const std::vector<config::Address>& listening) {
  std::vector<config::Address> urls = options.advertise_client_urls;
  for (config::Address& url : urls) {
    for (size_t i = 0; i < options.listen_client_urls.size(); ++i) {
      if (url.ToString() == options.listen_client_urls[i].ToString()) url = listening[i];
    }
  }
  return urls;
}

mvcc::StateMachineOptions StateOptions(const config::StoreOptions& options) {
  mvcc::StateMachineOptions state;
  state.txn_ops_max = static_cast<int>(options.max_txn_ops);
  return state;
}

std::optional<CompactionSchedule> ScheduleOf(const config::StoreOptions& options) {
  if (options.compaction_mode == config::CompactionMode::kOff) return std::nullopt;
  return CompactionSchedule(options.compaction_mode, options.compaction_period, options.compaction_revisions,
                            RealClock().Now());
}

}  // namespace

// In the order of construction; Stop goes backwards.
struct Member::Parts {
  explicit Parts(const config::StoreOptions& options, metrics::StoreMetrics metrics)
      : options(options), metrics(std::move(metrics)) {}

  absl::Status OpenState();
  absl::Status OpenLog();
  void MakeServices();
  absl::Status Listen();
  void Stop();

  const config::StoreOptions options;
  metrics::StoreMetrics metrics;
  bool stopped = false;

  std::unique_ptr<raft::DirectoryLock> lock;
  std::unique_ptr<kv::KvEngine> engine;
  LoopThread watch_sync{"watch-sync"};
  std::unique_ptr<mvcc::StateMachine> state;
  std::unique_ptr<raft::ReplicatedLog> log;
  std::optional<HeaderSource> header;
  std::optional<Proposer> proposer;
  std::optional<Quota> quota;
  LoopThread commit_thread{"commit"};
  std::optional<Committer> committer;
  LoopThread upkeep_thread{"upkeep"};
  std::optional<mvcc::Compactor> compactor;
  std::optional<Upkeep> upkeep;
  std::optional<ReadPool> read_pool;
  LoopThread watch_send{"watch-send"};
  std::optional<KvService> kv;
  std::optional<RangeStream> range_stream;
  std::optional<WatchService> watch;
  std::optional<LeaseService> lease;
  std::optional<MaintenanceService> maintenance;
  std::optional<ClusterService> cluster;
  GrpcServer server;
};

absl::Status Member::Parts::OpenState() {
  raft::FileEnv& env = raft::PosixFileEnv();
  TM_RETURN_IF_ERROR(env.CreateDirectory(options.data_dir));
  TM_ASSIGN_OR_RETURN(lock, env.LockDirectory(options.data_dir));
  TM_ASSIGN_OR_RETURN(engine, kv::OpenLmdbEngine(absl::StrCat(options.data_dir, "/state")));
  TM_ASSIGN_OR_RETURN(state, mvcc::StateMachine::Open(engine.get(), &watch_sync, &RealClock(), StateOptions(options)));
  return absl::OkStatus();
}

absl::Status Member::Parts::OpenLog() {
  raft::SingleLogOptions log_options;
  log_options.env = &raft::PosixFileEnv();
  log_options.directory = absl::StrCat(options.data_dir, "/wal");
  log_options.if_new = {RandomId(), RandomId()};
  log_options.sync_duration = metrics.wal_sync_duration;
  log_options.written_bytes = metrics.wal_bytes;
  TM_ASSIGN_OR_RETURN(log, raft::SingleLog::Open(log_options));
  const raft::LogStatus status = log->Status();
  header.emplace(status.identity);
  header->SetTerm(status.term);
  proposer.emplace(state.get(), log.get(), &*header, metrics);
  compactor.emplace(&state->store(), &upkeep_thread);
  proposer->set_on_compaction([this] { compactor->Wake(); });
  TM_RETURN_IF_ERROR(
      log->Start(raft::LogIndex(state->applied_index()), [this](auto operations) { proposer->Apply(operations); }));
  state->lessor().Promote(kLeaseExtension);
  return absl::OkStatus();
}

void Member::Parts::MakeServices() {
  quota.emplace(state.get(), &*proposer, header->identity().member_id, options.quota_backend_bytes);
  committer.emplace(state.get(), log.get(), &commit_thread, &metrics);
  read_pool.emplace("read", kReadThreads);
  ServiceParts parts;
  parts.state = state.get();
  parts.log = log.get();
  parts.proposer = &*proposer;
  parts.header = &*header;
  parts.read_pool = &*read_pool;
  parts.quota = &*quota;
  parts.metrics = &metrics;
  parts.request_bytes_max = options.max_request_bytes;
  parts.txn_ops_max = static_cast<int>(options.max_txn_ops);
  proposer->set_post_answers([this](auto answers) { server.Post(std::move(answers)); });
  kv.emplace(parts, &*compactor);
  range_stream.emplace(parts);
  watch.emplace(parts, &watch_send,
                WatchServiceOptions{options.watch_progress_notify_interval,
                                    static_cast<size_t>(options.max_request_bytes + kFrameBytes)});
  lease.emplace(parts);
  maintenance.emplace(parts, engine.get());
  cluster.emplace(parts, MemberInfo{options.name, Texts(options.initial_advertise_peer_urls),
                                    [this] { return Texts(AdvertisedUrls(options, server.listening())); }});
  upkeep.emplace(parts, &upkeep_thread, ScheduleOf(options));
}

absl::Status Member::Parts::Listen() {
  kv->AddTo(&server);
  range_stream->AddTo(&server);
  watch->AddTo(&server);
  lease->AddTo(&server);
  maintenance->AddTo(&server);
  cluster->AddTo(&server);
  GrpcServerOptions server_options;
  server_options.listen = options.listen_client_urls;
  server_options.tls = options.client_tls;
  server_options.client_cert_auth = options.client_cert_auth;
  server_options.request_bytes_max = options.max_request_bytes;
  server_options.concurrent_streams_max = options.max_concurrent_streams;
  TM_RETURN_IF_ERROR(server.Start(server_options));
  return absl::OkStatus();
}

void Member::Parts::Stop() {
  if (std::exchange(stopped, true)) return;
  upkeep_thread.Stop();
  server.Shutdown();
  if (read_pool.has_value()) read_pool->Stop();
  if (log != nullptr) log->Stop();
  server.WaitPosted();  // the answers of the log's last batches, some of which begin to wait for the compactor
  compactor.reset();    // with the calls that wait for it
  server.Join();
  watch_send.Stop();
  commit_thread.Stop();
  if (committer.has_value()) (void)committer->Commit();
  watch_sync.Stop();
}

Member::Member(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

absl::StatusOr<std::unique_ptr<Member>> Member::Start(const config::StoreOptions& options,
                                                      metrics::StoreMetrics metrics) {
  std::unique_ptr<Member> member(new Member(std::make_unique<Parts>(options, std::move(metrics))));
  Parts& parts = *member->parts_;
  TM_RETURN_IF_ERROR(parts.OpenState());
  TM_RETURN_IF_ERROR(parts.OpenLog());
  parts.MakeServices();
  TM_RETURN_IF_ERROR(parts.Listen());
  parts.committer->Start();
  parts.compactor->Wake();
  parts.upkeep->Start();
  parts.watch->StartTicking();
  return member;
}

Member::~Member() { Stop(); }

void Member::Stop() { parts_->Stop(); }

const std::vector<config::Address>& Member::listen_urls() const { return parts_->server.listening(); }

std::shared_ptr<grpc::Channel> Member::InProcessChannel() { return parts_->server.InProcessChannel(); }

uint64_t Member::cluster_id() const { return parts_->header->identity().cluster_id; }

uint64_t Member::member_id() const { return parts_->header->identity().member_id; }

absl::Status Member::health() const {
  TM_RETURN_IF_ERROR(parts_->log->Status().failure);
  return parts_->state->health();
}

}  // namespace tidemark::store
