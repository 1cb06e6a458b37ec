// MemoryEngine is the in-memory twin of LmdbEngine: the same behaviour, no disk, and faults on demand.
//
// Fault model: a commit is atomic and fails whole, or it takes effect and is reported as failed (the machine died
// before the answer). A crash is a restart on the same MemoryEngine: what was committed is there, the rest is gone.
//
// Thread-safety, errors, invariants: kv_engine.h.
#ifndef TIDEMARK_STORE_KV_MEMORY_ENGINE_H_
#define TIDEMARK_STORE_KV_MEMORY_ENGINE_H_

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "base/mutex.h"
#include "store/kv/kv_engine.h"

namespace tidemark::kv {

class MemoryEngine : public KvEngine {
 public:
  MemoryEngine();

  absl::Status Commit(const WriteBatch& batch) override;
  std::unique_ptr<KvSnapshot> NewSnapshot() override;
  SizeFigures Sizes() override;

  // The next commit fails; `takes_effect` says whether its changes are there after a restart.
  void FailNextCommit(bool takes_effect);
  // What a restart does: a failed commit no longer refuses later ones. REQUIRES: no snapshot is open.
  void Restart();
  int64_t commits() const;

 private:
  friend class MemorySnapshot;

  using Tables = std::array<std::map<std::string, Bytes, std::less<>>, kTableCount>;

  enum class Fault : uint8_t { kNone, kLost, kKept };

  mutable Mutex mu_;
  int64_t open_snapshots_ ABSL_GUARDED_BY(mu_) = 0;
  // Replaced, never changed, while a snapshot shares it.
  std::shared_ptr<Tables> tables_ ABSL_GUARDED_BY(mu_);
  Fault fault_ ABSL_GUARDED_BY(mu_) = Fault::kNone;
  absl::Status failed_ ABSL_GUARDED_BY(mu_);
  int64_t commits_ ABSL_GUARDED_BY(mu_) = 0;
  int64_t size_bytes_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_MEMORY_ENGINE_H_
