#include "storeclient/grpc_store_client.h"

#include <grpcpp/channel.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/mutex.h"
#include "base/status.h"
#include "storeclient/endpoint_guard.h"
#include "storeclient/endpoints.h"
#include "storeclient/grpc_call.h"
#include "storeclient/grpc_follow.h"
#include "storeclient/grpc_loop.h"
#include "storeclient/grpc_requests.h"
#include "storeclient/messages.h"
#include "storeclient/outage_log.h"
#include "storeclient/store_identity.h"
#include "storeclient/wire.h"

namespace tidemark::storeclient {
namespace {

std::vector<std::string> NamesOf(const Endpoints& endpoints) {
  std::vector<std::string> names;
  for (const Endpoint& endpoint : endpoints) names.push_back(endpoint.name);
  return names;
}

RangeResult ToResult(const RangeView& view) {
  RangeResult result;
  result.store_revision = view.header.revision;
  result.count = view.count;
  result.more = view.more;
  result.kvs.reserve(view.kvs.size());
  for (const KeyValueView& kv : view.kvs) {
    result.kvs.push_back({std::string(kv.key), std::string(kv.value), kv.create_revision, kv.mod_revision});
  }
  return result;
}

// What the endpoints say of their versions; shared with the calls.
class VersionAnswers {
 public:
  VersionAnswers(size_t endpoints, size_t expected)
      : versions_(endpoints, absl::UnknownError("not asked: the guard is off")), missing_(expected) {}

  void Set(size_t endpoint, absl::StatusOr<std::string> version) {
    MutexLock lock(&mu_);
    versions_[endpoint] = std::move(version);
    --missing_;
    answered_.Signal();
  }
  std::vector<absl::StatusOr<std::string>> WaitForAll() {
    MutexLock lock(&mu_);
    while (missing_ > 0) answered_.Wait(&mu_);
    return versions_;
  }

 private:
  Mutex mu_;
  CondVar answered_;
  std::vector<absl::StatusOr<std::string>> versions_ ABSL_GUARDED_BY(mu_);
  size_t missing_ ABSL_GUARDED_BY(mu_);
};

}  // namespace

// The parts in the order of their making.
class GrpcStoreClient::Core {
 public:
  Core(Endpoints made, const GrpcStoreClientOptions& options)
      : endpoints(std::move(made)),
        guard(NamesOf(endpoints), options.guard_mode, options.metrics.endpoints_refused),
        guard_off(options.guard_mode == GuardMode::kOff),
        revision_request(HeaderRequestBytes(options.revision_key)),
        revision_loop("store-revision"),
        range_loop("store-range"),
        outages(std::make_shared<OutageLog>(&revision_loop)),
        context{.endpoints = &endpoints,
                .guard = &guard,
                .identity = &identity,
                .outages = outages.get(),
                .metrics = options.metrics,
                .on_rewound = [this](const absl::Status& reason) { RecheckAll(reason); },
                .on_versions_changed = [this] { LeaveTooOldAll(); }},
        revision_reads(&revision_loop, &endpoints, &Endpoint::revision, options.metrics.revision_read),
        range_reads(&range_loop, &endpoints, &Endpoint::bulk, options.metrics.get) {
    for (int i = 0; i < std::max(options.watch_threads, 1); ++i) {
      watch_loops.push_back(std::make_unique<GrpcLoop>(absl::StrCat("store-watch-", i)));
    }
  }

  ~Core() {
    {
      MutexLock lock(&mu);
      TM_CHECK(follows.empty()) << "a client is destroyed before its handles";
    }
    revision_reads.Stop();
    range_reads.Stop();
    revision_loop.Stop();
    range_loop.Stop();
    for (const auto& loop : watch_loops) loop->Stop();
  }

  uint64_t AddFollow(FollowOptions options, FollowObserver* observer) {
    MutexLock lock(&mu);
    const uint64_t id = next_id++;
    GrpcLoop* const loop = watch_loops[id % watch_loops.size()].get();
    follows.emplace(id, GrpcFollow::Start(&context, loop, id, std::move(options), observer));
    return id;
  }

  std::shared_ptr<GrpcFollow> TakeFollow(uint64_t id) {
    MutexLock lock(&mu);
    return std::move(follows.extract(id).mapped());
  }

  std::shared_ptr<GrpcFollow> FindFollow(uint64_t id) {
    MutexLock lock(&mu);
    return follows.at(id);
  }

  void RecheckAll(const absl::Status& reason) {
    MutexLock lock(&mu);
    for (const auto& [id, follow] : follows) follow->Recheck(reason);
  }

  void LeaveTooOldAll() {
    MutexLock lock(&mu);
    for (const auto& [id, follow] : follows) follow->LeaveTooOld();
  }

  // A lower term alone has to be in two reads before it is believed; `again`: this is the second, and comes after a pause.
  void ReadRevision(absl::Time deadline, bool again, RevisionCallback done) {
    const StoreIdentity::Known known = identity.Now();
    revision_reads.SendAfter(again ? kTermDoubtPause : absl::ZeroDuration(), kRangeMethod, revision_request, deadline,
                             [this, known, deadline, again, done = std::move(done)](const absl::Status& status,
                                                                                    absl::string_view bytes) mutable {
                               RangeView view;
                               const absl::Status read = status.ok() ? ParseRange(bytes, &view) : status;
                               if (!read.ok()) return done(read);
                               if (!again && StoreIdentity::OnlyTermIsLower(known, view.header)) {
                                 return ReadRevision(deadline, true, std::move(done));
                               }
                               done(CheckRevision(known, view.header));
                             });
  }

  absl::StatusOr<Revision> CheckRevision(const StoreIdentity::Known& known, const StoreHeader& seen) {
    const absl::Status same = identity.Check(known, seen);
    if (!same.ok()) RecheckAll(same);
    TM_RETURN_IF_ERROR(same);
    if (!identity.HasStale()) return seen.revision;
    return MakeError(ErrorKind::kRewound, "the store went back, and not everything old has been dropped yet");
  }

  const Endpoints endpoints;
  EndpointGuard guard;
  const bool guard_off;
  const std::string revision_request;
  StoreIdentity identity;
  GrpcLoop revision_loop;
  GrpcLoop range_loop;
  const std::shared_ptr<OutageLog> outages;
  const GrpcFollowContext context;
  std::vector<std::unique_ptr<GrpcLoop>> watch_loops;
  GrpcRequests revision_reads;
  GrpcRequests range_reads;

  Mutex mu;
  uint64_t next_id ABSL_GUARDED_BY(mu) = 1;
  std::map<uint64_t, std::shared_ptr<GrpcFollow>> follows ABSL_GUARDED_BY(mu);
};

class GrpcStoreClient::Handle : public FollowHandle {
 public:
  Handle(Core* core, uint64_t id) : core_(core), id_(id), follow_(core->FindFollow(id)) {}
  ~Handle() override {
    core_->TakeFollow(id_);
    follow_->Stop();
  }
  void RequestProgress() override { follow_->RequestProgress(); }

 private:
  Core* const core_;
  const uint64_t id_;
  const std::shared_ptr<GrpcFollow> follow_;
};

absl::StatusOr<std::unique_ptr<GrpcStoreClient>> GrpcStoreClient::Create(const GrpcStoreClientOptions& options) {
  TM_ASSIGN_OR_RETURN(Endpoints endpoints, MakeEndpoints(options.store));
  if (options.revision_key.empty()) return absl::InvalidArgumentError("the key read for the store's revision is empty");
  return std::unique_ptr<GrpcStoreClient>(new GrpcStoreClient(std::make_unique<Core>(std::move(endpoints), options)));
}

GrpcStoreClient::GrpcStoreClient(std::unique_ptr<Core> core) : core_(std::move(core)) {}
GrpcStoreClient::~GrpcStoreClient() = default;

GuardDecision GrpcStoreClient::CheckVersions(absl::Time deadline) {
  const size_t count = core_->endpoints.size();
  const auto answers = std::make_shared<VersionAnswers>(count, core_->guard_off ? 0 : count);
  for (size_t i = 0; !core_->guard_off && i < count; ++i) {
    const Endpoint& endpoint = core_->endpoints[i];
    // A store that is just starting is waited for.
    const GrpcCallOptions options{.loop = &core_->revision_loop,
                                  .channel = endpoint.watch,
                                  .endpoint = endpoint.name,
                                  .method = kStatusMethod,
                                  .deadline = absl::Now() + (deadline - core_->revision_loop.clock().Now()),
                                  .wait_for_ready = true};
    GrpcCall::Start(options, "", [answers, i](const absl::Status& status, absl::string_view bytes) {
      answers->Set(i, status.ok() ? ParseStatusVersion(bytes) : status);
    });
  }
  return core_->guard.Start(answers->WaitForAll(), core_->revision_loop.clock().Now());
}

void GrpcStoreClient::ReadRevision(absl::Time deadline, RevisionCallback done) {
  core_->ReadRevision(deadline, false, std::move(done));
}

void GrpcStoreClient::Range(const RangeRequest& request, absl::Time deadline, RangeCallback done) {
  core_->range_reads.Send(kRangeMethod, RangeRequestBytes(request), deadline,
                          [done = std::move(done)](const absl::Status& status, absl::string_view bytes) mutable {
                            RangeView view;
                            const absl::Status read = status.ok() ? ParseRange(bytes, &view) : status;
                            if (!read.ok()) return done(read);
                            done(ToResult(view));
                          });
}

std::unique_ptr<FollowHandle> GrpcStoreClient::Follow(FollowOptions options, FollowObserver* observer) {
  TM_CHECK(!options.prefix.empty()) << options.name;
  return std::make_unique<Handle>(core_.get(), core_->AddFollow(std::move(options), observer));
}

bool GrpcStoreClient::ProgressTrusted() const { return core_->guard.ProgressTrusted(); }

}  // namespace tidemark::storeclient
