#include "storeclient/store_writer.h"

#include <grpcpp/channel.h>

#include <algorithm>
#include <set>
#include <utility>

#include "base/mutex.h"
#include "base/status.h"
#include "storeclient/endpoints.h"
#include "storeclient/grpc_loop.h"
#include "storeclient/grpc_requests.h"
#include "storeclient/messages.h"

namespace tidemark::storeclient {

class StoreWriter::Core {
 public:
  Core(Endpoints made, int in_flight_max)
      : endpoints_(std::move(made)),
        in_flight_max_(static_cast<size_t>(std::max(in_flight_max, 1))),
        loop_("store-writer"),
        requests_(&loop_, &endpoints_, &Endpoint::bulk, {}) {}

  ~Core() {
    // Whoever wants to know how it ended has called Flush.
    (void)WaitForAll();
    requests_.Stop();
    loop_.Stop();
  }

  // Waits for room; the first failure, if there was any.
  absl::Status Begin(const std::string& key) {
    MutexLock lock(&mu_);
    while (in_flight_.size() >= in_flight_max_ || in_flight_.count(key) > 0) ended_.Wait(&mu_);
    if (!failure_.ok()) return failure_;
    in_flight_.insert(key);
    return absl::OkStatus();
  }

  void Send(const char* method, const std::string& key, std::string request, int64_t bytes) {
    requests_.Send(method, std::move(request), loop_.clock().Now() + kWriteDeadline,
                   [this, key, bytes](const absl::Status& status, absl::string_view) { End(key, bytes, status); });
  }

  absl::Status WaitForAll() {
    MutexLock lock(&mu_);
    while (!in_flight_.empty()) ended_.Wait(&mu_);
    return failure_;
  }

  Progress progress() {
    MutexLock lock(&mu_);
    return progress_;
  }

 private:
  void End(const std::string& key, int64_t bytes, const absl::Status& status) {
    MutexLock lock(&mu_);
    if (status.ok()) {
      ++progress_.writes;
      progress_.bytes += bytes;
    } else {
      failure_.Update(status);
    }
    in_flight_.erase(key);
    ended_.SignalAll();
  }

  const Endpoints endpoints_;
  const size_t in_flight_max_;
  GrpcLoop loop_;
  GrpcRequests requests_;
  Mutex mu_;
  CondVar ended_;
  std::set<std::string> in_flight_ ABSL_GUARDED_BY(mu_);  // the keys of the writes under way
  absl::Status failure_ ABSL_GUARDED_BY(mu_);             // the first
  Progress progress_ ABSL_GUARDED_BY(mu_);
};

absl::StatusOr<std::unique_ptr<StoreWriter>> StoreWriter::Create(const StoreWriterOptions& options) {
  TM_ASSIGN_OR_RETURN(Endpoints endpoints, MakeEndpoints(options.store));
  return std::unique_ptr<StoreWriter>(
      new StoreWriter(std::make_unique<Core>(std::move(endpoints), options.in_flight_max)));
}

StoreWriter::StoreWriter(std::unique_ptr<Core> core) : core_(std::move(core)) {}
StoreWriter::~StoreWriter() = default;

absl::Status StoreWriter::Write(const char* method, absl::string_view key, std::string request, int64_t bytes) {
  const std::string owned_key(key);
  TM_RETURN_IF_ERROR(core_->Begin(owned_key));
  core_->Send(method, owned_key, std::move(request), bytes);
  if (on_progress_) on_progress_(core_->progress());
  return absl::OkStatus();
}

absl::Status StoreWriter::Put(absl::string_view key, absl::string_view value) {
  return Write(kPutMethod, key, PutRequestBytes(key, value), static_cast<int64_t>(key.size() + value.size()));
}

absl::Status StoreWriter::Delete(absl::string_view key) {
  return Write(kDeleteMethod, key, DeleteRequestBytes(key), static_cast<int64_t>(key.size()));
}

absl::Status StoreWriter::Flush() {
  const absl::Status status = core_->WaitForAll();
  if (on_progress_) on_progress_(core_->progress());
  return status;
}

StoreWriter::Progress StoreWriter::progress() const { return core_->progress(); }

}  // namespace tidemark::storeclient
