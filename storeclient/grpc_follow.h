// GrpcFollow drives one Follower over gRPC: it makes the calls and streams that the follower asks for, tells it what came of them,
// and calls the observer.
//
// Thread-safety: RequestProgress, Recheck, LeaveTooOld and Stop are thread-safe; all else is confined to its loop.
// Ownership:     shared with the calls under way. Loop, endpoints, guard, identity and the log of outages outlive it.
#ifndef TIDEMARK_STORECLIENT_GRPC_FOLLOW_H_
#define TIDEMARK_STORECLIENT_GRPC_FOLLOW_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/mutex.h"
#include "metrics/store_client_metrics.h"
#include "storeclient/endpoint_guard.h"
#include "storeclient/endpoints.h"
#include "storeclient/follower.h"
#include "storeclient/grpc_call.h"
#include "storeclient/grpc_loop.h"
#include "storeclient/grpc_watch.h"
#include "storeclient/outage_log.h"
#include "storeclient/store_client.h"
#include "storeclient/store_identity.h"

namespace tidemark::storeclient {

// What all follows of one client share.
struct GrpcFollowContext {
  const Endpoints* endpoints;
  EndpointGuard* guard;
  StoreIdentity* identity;
  OutageLog* outages;
  metrics::StoreClientMetrics metrics;
  // The store went back: the other follows should look, too.
  std::function<void(const absl::Status& reason)> on_rewound;
  // A member has another version than before: the other follows should look whether they may stay.
  std::function<void()> on_versions_changed;
};

class GrpcFollow : private GrpcWatch::Listener, public std::enable_shared_from_this<GrpcFollow> {
 public:
  // The longest that a page of PageSizer::kPageBytesAim takes on a slow line.
  static constexpr absl::Duration kPageTimeout = absl::Seconds(60);
  // A read of one header, and of a member's version.
  static constexpr absl::Duration kCheckTimeout = absl::Seconds(5);

  // `id` is unique in the client; it also spreads the follows over the endpoints.
  static std::shared_ptr<GrpcFollow> Start(const GrpcFollowContext* context, GrpcLoop* loop, uint64_t id,
                                           FollowOptions options, FollowObserver* observer);
  ~GrpcFollow() override = default;

  void RequestProgress();
  void Recheck(const absl::Status& reason);
  // Gives up a watch on a member that is too old, if there are others.
  void LeaveTooOld();
  // Waits for a running call of the observer; none comes afterwards.
  void Stop();

 private:
  GrpcFollow(const GrpcFollowContext* context, GrpcLoop* loop, uint64_t id, FollowOptions options,
             FollowObserver* observer);

  // Gives the follower an input, then does what it says.
  template <typename Input>
  void Feed(Input input);
  void Apply(const FollowAction& action);
  void ArmTimer();
  void StopOnLoop();

  void ReadPage(const FollowAction& action);
  void ReadStore();
  void CheckVersionAndOpen(Revision start);
  void OpenWatch(Revision start);
  void CloseWatch();
  void ChangeEndpoint();
  void OnVersion(uint64_t opening, Revision start, const absl::Status& status, absl::string_view bytes);
  void OnWatchMessage(const WatchView& message, size_t bytes) override;
  void OnWatchEnd(const absl::Status& status) override;
  void OnRewound(const absl::Status& reason);
  // Whether the watch's progress can be believed.
  bool ProgressTrusted() const;

  void Call(std::shared_ptr<grpc::Channel> channel, const char* method, const std::string& request,
            absl::Duration timeout, std::function<void(GrpcFollow*, const absl::Status&, absl::string_view)> done);
  void NoteOutage(const absl::Status& reason);
  void NoteRecovery(const char* how);
  void CountStats();

  const Endpoint& endpoint() const { return (*context_->endpoints)[endpoint_]; }

  const GrpcFollowContext* const context_;
  GrpcLoop* const loop_;
  const uint64_t id_;
  const FollowOptions options_;
  FollowObserver* const observer_;
  std::atomic<bool> progress_posted_{false};  // a task for RequestProgress is on its way
  Mutex stop_mu_;
  CondVar stop_changed_;
  bool stop_done_ ABSL_GUARDED_BY(stop_mu_) = false;

  // Confined to loop_.
  Follower follower_;
  Follower::Actions actions_;
  size_t endpoint_;
  std::shared_ptr<GrpcWatch> watch_;
  bool opened_on_too_old_ = false;  // what is said of the member's version since then may be said of its successor
  std::shared_ptr<GrpcCall> call_;  // the one under way
  uint64_t calls_ = 0;              // made so far: the answer of any but the last is not wanted
  RangeView page_;                  // of the answer at hand
  uint64_t opening_ = 0;            // counts the watches asked for: a version that comes late is for an earlier one
  uint64_t epoch_ = 0;              // of the store that the observer has seen; 0: none yet
  uint64_t check_epoch_ = 0;        // when the read under way began
  std::set<absl::Time> timers_;     // tasks are posted for then: for a later time than the earliest none is needed
  bool lost_ = false;               // the log of outages was told
  bool stopped_ = false;
  Follower::Stats counted_;  // what the metrics have
  metrics::StoreClientMetrics metrics_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_GRPC_FOLLOW_H_
