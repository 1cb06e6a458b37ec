#include "store/kv/memory_engine.h"

#include <utility>

#include "base/check.h"
#include "base/status.h"

namespace tidemark::kv {

class MemorySnapshot : public KvSnapshot {
 public:
  MemorySnapshot(MemoryEngine* engine, std::shared_ptr<const MemoryEngine::Tables> tables)
      : engine_(engine), tables_(std::move(tables)) {}

  ~MemorySnapshot() override {
    tables_.reset();
    MutexLock lock(&engine_->mu_);
    --engine_->open_snapshots_;
  }

  std::optional<absl::string_view> Get(Table table, absl::string_view key) const override {
    const auto& entries = (*tables_)[static_cast<size_t>(table)];
    const auto found = entries.find(key);
    if (found == entries.end()) return std::nullopt;
    return absl::string_view(*found->second);
  }

  void Scan(Table table, absl::string_view from, absl::string_view to, Visitor visit) const override {
    const auto& entries = (*tables_)[static_cast<size_t>(table)];
    for (auto it = entries.lower_bound(from); it != entries.end(); ++it) {
      if (!to.empty() && it->first >= to) return;
      if (!visit(it->first, *it->second)) return;
    }
  }

 private:
  MemoryEngine* const engine_;
  std::shared_ptr<const MemoryEngine::Tables> tables_;
};

MemoryEngine::MemoryEngine() : tables_(std::make_shared<Tables>()) {}

absl::Status MemoryEngine::Commit(const WriteBatch& batch) {
  MutexLock lock(&mu_);
  if (!failed_.ok()) return failed_;
  const Fault fault = std::exchange(fault_, Fault::kNone);
  if (fault != Fault::kNone) failed_ = MakeError(ErrorKind::kCorrupt, "injected: the commit failed");
  if (fault == Fault::kLost) return failed_;
  if (open_snapshots_ > 0) tables_ = std::make_shared<Tables>(*tables_);
  for (const Table table : kTables) {
    auto& entries = (*tables_)[static_cast<size_t>(table)];
    for (const auto& [key, value] : batch.changes(table)) {
      if (const auto old = entries.find(key); old != entries.end()) {
        size_bytes_ -= static_cast<int64_t>(key.size() + old->second->size());
        entries.erase(old);
      }
      if (value == nullptr) continue;
      size_bytes_ += static_cast<int64_t>(key.size() + value->size());
      entries.emplace(key, value);
    }
  }
  ++commits_;
  return failed_;
}

std::unique_ptr<KvSnapshot> MemoryEngine::NewSnapshot() {
  MutexLock lock(&mu_);
  ++open_snapshots_;
  return std::make_unique<MemorySnapshot>(this, tables_);
}

SizeFigures MemoryEngine::Sizes() {
  MutexLock lock(&mu_);
  return {.total_bytes = size_bytes_, .in_use_bytes = size_bytes_};
}

void MemoryEngine::FailNextCommit(bool takes_effect) {
  MutexLock lock(&mu_);
  fault_ = takes_effect ? Fault::kKept : Fault::kLost;
}

void MemoryEngine::Restart() {
  MutexLock lock(&mu_);
  TM_CHECK(open_snapshots_ == 0) << open_snapshots_;
  fault_ = Fault::kNone;
  failed_ = absl::OkStatus();
}

int64_t MemoryEngine::commits() const {
  MutexLock lock(&mu_);
  return commits_;
}

}  // namespace tidemark::kv
