#include "store/kv/write_buffer.h"

#include <utility>

#include "absl/container/inlined_vector.h"
#include "base/check.h"
#include "base/status.h"

namespace tidemark::kv {
namespace {

// Whether `batch` says anything about the key; if so, *value is what it says (null: deleted).
bool FindIn(const WriteBatch& batch, Table table, absl::string_view key, Bytes* value) {
  const WriteBatch::Changes& changes = batch.changes(table);
  // Committed revisions lie below everything that waits: the common read stops here.
  if (changes.empty() || key < changes.begin()->first) return false;
  const auto found = changes.find(key);
  if (found == changes.end()) return false;
  *value = found->second;
  return true;
}

bool BelowEnd(absl::string_view key, absl::string_view to) { return to.empty() || key < to; }

// What one step of a scan holds.
class StepSize {
 public:
  // False when this entry is the step's last.
  bool Add(absl::string_view key, size_t value_bytes) {
    bytes_ += key.size() + value_bytes;
    return ++entries_ < kSnapshotEntriesMax && bytes_ < kScanStepBytesMax;
  }

 private:
  int entries_ = 0;
  size_t bytes_ = 0;
};

std::string KeyBehind(absl::string_view key) { return std::string(key) + '\0'; }

// Lays the batch's changes of [from, *end) over `chunk`, but one step's worth at most; *end comes down to where it
// stopped.
void Overlay(const WriteBatch& batch, Table table, absl::string_view from, WriteBatch::Changes* chunk,
             std::string* end) {
  const WriteBatch::Changes& changes = batch.changes(table);
  StepSize size;
  for (auto it = changes.lower_bound(from); it != changes.end() && BelowEnd(it->first, *end); ++it) {
    chunk->insert_or_assign(it->first, it->second);
    if (size.Add(it->first, it->second == nullptr ? 0 : it->second->size())) continue;
    *end = KeyBehind(it->first);
    return;
  }
}

}  // namespace

void WriteBuffer::BeginEntry() {
  MutexLock lock(&mu_);
  TM_CHECK(!entry_open_);
  entry_open_ = true;
}

void WriteBuffer::EndEntry() {
  MutexLock lock(&mu_);
  TM_CHECK(entry_open_);
  entry_open_ = false;
  entry_ended_.SignalAll();
}

void WriteBuffer::Put(Table table, absl::string_view key, Bytes value) {
  MutexLock lock(&mu_);
  active_.Put(table, key, std::move(value));
}

void WriteBuffer::Delete(Table table, absl::string_view key) {
  MutexLock lock(&mu_);
  active_.Delete(table, key);
}

void WriteBuffer::DeleteAll(Table table, absl::Span<const std::string> keys) {
  MutexLock lock(&mu_);
  for (const std::string& key : keys) active_.Delete(table, key);
}

bool WriteBuffer::FindWaitingLocked(Table table, absl::string_view key, Bytes* value) const {
  return FindIn(active_, table, key, value) || (frozen_ != nullptr && FindIn(*frozen_, table, key, value));
}

Bytes WriteBuffer::Get(Table table, absl::string_view key) const {
  {
    MutexLock lock(&mu_);
    Bytes value;
    if (FindWaitingLocked(table, key, &value)) return value;
  }
  // What waits in no batch now is in every snapshot from here on.
  const auto snapshot = engine_->NewSnapshot();
  const std::optional<absl::string_view> value = snapshot->Get(table, key);
  return value.has_value() ? MakeBytes(std::string(*value)) : nullptr;
}

void WriteBuffer::GetMany(Table table, absl::Span<const absl::string_view> keys, ValueVisitor visit) const {
  for (size_t begin = 0; begin < keys.size(); begin += kSnapshotEntriesMax) {
    const auto step = keys.subspan(begin, kSnapshotEntriesMax);
    // Inlined, since most reads want one key.
    absl::InlinedVector<Bytes, 1> waiting(step.size());
    absl::InlinedVector<bool, 1> known(step.size());
    {
      MutexLock lock(&mu_);
      for (size_t i = 0; i < step.size(); ++i) known[i] = FindWaitingLocked(table, step[i], &waiting[i]);
    }
    const auto snapshot = engine_->NewSnapshot();
    for (size_t i = 0; i < step.size(); ++i) {
      std::optional<absl::string_view> value;
      if (!known[i]) {
        value = snapshot->Get(table, step[i]);
      } else if (waiting[i] != nullptr) {
        value = *waiting[i];
      }
      if (!visit(begin + i, value)) return;
    }
  }
}

void WriteBuffer::Scan(Table table, absl::string_view from, absl::string_view to, KvSnapshot::Visitor visit) const {
  std::optional<std::string> next(from);
  while (next.has_value()) {
    WriteBatch::Changes chunk;
    next = ReadChunk(table, *next, to, &chunk);
    for (const auto& [key, value] : chunk) {
      if (value != nullptr && !visit(key, *value)) return;
    }
  }
}

std::optional<std::string> WriteBuffer::ReadChunk(Table table, absl::string_view from, absl::string_view to,
                                                  WriteBatch::Changes* chunk) const {
  // What waits is taken before the snapshot: if it is committed in between, it is in both, and nothing is missed.
  WriteBatch::Changes waiting;
  std::string waiting_end(to);
  {
    MutexLock lock(&mu_);
    if (frozen_ != nullptr) Overlay(*frozen_, table, from, &waiting, &waiting_end);
    Overlay(active_, table, from, &waiting, &waiting_end);
  }
  std::string end = waiting_end;
  StepSize size;
  engine_->NewSnapshot()->Scan(table, from, waiting_end, [&](absl::string_view key, absl::string_view value) {
    chunk->insert_or_assign(chunk->end(), std::string(key), MakeBytes(std::string(value)));
    if (size.Add(key, value.size())) return true;
    end = KeyBehind(key);
    return false;
  });
  // Waiting changes behind the chunk belong to a later one.
  for (auto it = waiting.begin(); it != waiting.end() && BelowEnd(it->first, end); ++it) {
    chunk->insert_or_assign(it->first, std::move(it->second));
  }
  if (end == to) return std::nullopt;
  return end;
}

WriteBuffer::BatchPtr WriteBuffer::Freeze() {
  MutexLock lock(&mu_);
  while (entry_open_) entry_ended_.Wait(&mu_);
  if (active_.empty()) return nullptr;
  frozen_ = std::make_shared<const WriteBatch>(std::move(active_));
  active_ = WriteBatch();
  return frozen_;
}

absl::Status WriteBuffer::Commit() {
  MutexLock commit_lock(&commit_mu_);
  TM_RETURN_IF_ERROR(status());
  BatchPtr batch = Freeze();
  if (batch == nullptr) return absl::OkStatus();
  const absl::Status committed = engine_->Commit(*batch);
  {
    MutexLock lock(&mu_);
    // After a failure the batch stays readable: what was acknowledged must not vanish before the process ends.
    if (committed.ok()) {
      frozen_ = nullptr;
    } else {
      failed_ = committed;
    }
  }
  return committed;  // the batch is freed here, without the lock
}

absl::Status WriteBuffer::status() const {
  MutexLock lock(&mu_);
  return failed_;
}

bool WriteBuffer::CommitDue() const {
  MutexLock lock(&mu_);
  return active_.ops() >= kCommitOpsMax || active_.size_bytes() >= kCommitBytesMax;
}

bool WriteBuffer::empty() const {
  MutexLock lock(&mu_);
  return active_.empty() && frozen_ == nullptr;
}

}  // namespace tidemark::kv
