// TestEtcdClient is the in-memory client as an etcd is: a read below the compaction fails without saying where that is.
//
// Thread-safety: thread-safe.
// Ownership:     the real client outlives it.
#ifndef TIDEMARK_CACHE_TEST_ETCD_CLIENT_H_
#define TIDEMARK_CACHE_TEST_ETCD_CLIENT_H_

#include <memory>
#include <utility>

#include "base/status.h"
#include "storeclient/memory_store_client.h"

namespace tidemark::cache {

class TestEtcdClient : public storeclient::StoreClient {
 public:
  explicit TestEtcdClient(storeclient::MemoryStoreClient* real) : real_(real) {}

  void ReadRevision(absl::Time deadline, RevisionCallback done) override {
    real_->ReadRevision(deadline, std::move(done));
  }
  void Range(const storeclient::RangeRequest& request, absl::Time deadline, RangeCallback done) override {
    real_->Range(request, deadline, [done = std::move(done)](absl::StatusOr<storeclient::RangeResult> result) mutable {
      if (IsCompacted(result.status())) result = MakeError(ErrorKind::kCompacted, result.status().message());
      done(std::move(result));
    });
  }
  std::unique_ptr<storeclient::FollowHandle> Follow(storeclient::FollowOptions options,
                                                    storeclient::FollowObserver* observer) override {
    return real_->Follow(std::move(options), observer);
  }
  bool ProgressTrusted() const override { return real_->ProgressTrusted(); }

 private:
  storeclient::MemoryStoreClient* const real_;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_TEST_ETCD_CLIENT_H_
