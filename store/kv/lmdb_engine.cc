#include "store/kv/lmdb_engine.h"

#include <fcntl.h>
#include <lmdb.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>
#include <vector>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/mutex.h"
#include "base/status.h"

namespace tidemark::kv {
namespace {

// LMDB's reader table; each open or pooled snapshot takes a slot. Beyond it a reader waits for another to end.
constexpr int kReadersMax = 512;
// Ended snapshots kept for renewal, which costs a tenth of a new one; about the number of threads that read at once.
constexpr size_t kPooledMax = 16;
constexpr absl::string_view kFormatTable = "format";
constexpr absl::string_view kFormatKey = "version";

absl::Status LmdbError(absl::string_view what, int code) {
  const std::string message = absl::StrCat(what, ": ", mdb_strerror(code));
  return MakeError(code == ENOSPC ? ErrorKind::kNoSpace : ErrorKind::kCorrupt, message);
}

MDB_val ToVal(absl::string_view bytes) {
  return {bytes.size(), const_cast<char*>(bytes.data())};  // LMDB does not write through it
}

absl::string_view FromVal(const MDB_val& value) { return {static_cast<const char*>(value.mv_data), value.mv_size}; }

struct CursorCloser {
  void operator()(MDB_cursor* cursor) const { mdb_cursor_close(cursor); }
};
using CursorPtr = std::unique_ptr<MDB_cursor, CursorCloser>;

CursorPtr OpenCursor(MDB_txn* txn, MDB_dbi table) {
  MDB_cursor* cursor = nullptr;
  const int code = mdb_cursor_open(txn, table, &cursor);
  TM_CHECK(code == 0) << mdb_strerror(code);
  return CursorPtr(cursor);
}

}  // namespace

class LmdbSnapshot;

class LmdbEngine : public KvEngine {
 public:
  LmdbEngine() = default;
  ~LmdbEngine() override;

  absl::Status Open(const std::string& directory, size_t map_bytes_min);

  absl::Status Commit(const WriteBatch& batch) override;
  std::unique_ptr<KvSnapshot> NewSnapshot() override;
  SizeFigures Sizes() override;

  // Takes an ended snapshot's transaction back.
  void EndSnapshot(MDB_txn* txn);
  MDB_dbi handle(Table table) const { return handles_[static_cast<size_t>(table)]; }

 private:
  absl::Status LockDirectory(const std::string& directory);
  absl::Status OpenTables();
  absl::Status CheckFormat(MDB_txn* txn);
  // Writes the batch in one transaction; MDB_MAP_FULL when the map is too small for it.
  int WriteOnce(const WriteBatch& batch);
  int WriteTable(MDB_txn* txn, MDB_dbi table, const WriteBatch::Changes& changes);
  // Doubles the map while no snapshot is open.
  int GrowMap();
  void DropPoolLocked() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  // nullptr when LMDB begins none any more; then there is, or will be, a last state.
  MDB_txn* BeginRead();
  const LmdbSnapshot* LastState();
  SizeFigures SizesOf(MDB_txn* txn) const;

  int lock_fd_ = -1;
  MDB_env* env_ = nullptr;
  std::array<MDB_dbi, kTableCount> handles_{};

  Mutex commit_mu_ ABSL_ACQUIRED_BEFORE(mu_);  // held through a commit
  absl::Status failed_ ABSL_GUARDED_BY(commit_mu_);

  mutable Mutex mu_;
  CondVar snapshot_ended_;                     // or the last state is there, or the map has grown
  bool growing_ ABSL_GUARDED_BY(mu_) = false;  // no snapshot may begin
  int open_snapshots_ ABSL_GUARDED_BY(mu_) = 0;
  std::vector<MDB_txn*> pool_ ABSL_GUARDED_BY(mu_);  // reset, ready to be renewed
  // The state before the commit that failed: if that was at the meta page, LMDB begins no transaction any more.
  std::unique_ptr<LmdbSnapshot> last_state_ ABSL_GUARDED_BY(mu_);
  Mutex last_state_mu_;  // held by the reader that looks at it
};

class LmdbSnapshot : public KvSnapshot {
 public:
  LmdbSnapshot(LmdbEngine* engine, MDB_txn* txn) : engine_(engine), txn_(txn) {}
  ~LmdbSnapshot() override { engine_->EndSnapshot(txn_); }
  MDB_txn* txn() const { return txn_; }

  std::optional<absl::string_view> Get(Table table, absl::string_view key) const override {
    MDB_val wanted = ToVal(key);
    MDB_val found;
    const int code = mdb_get(txn_, engine_->handle(table), &wanted, &found);
    if (code == MDB_NOTFOUND) return std::nullopt;
    TM_CHECK(code == 0) << TableName(table) << ": " << mdb_strerror(code);
    return FromVal(found);
  }

  void Scan(Table table, absl::string_view from, absl::string_view to, Visitor visit) const override {
    const CursorPtr cursor = OpenCursor(txn_, engine_->handle(table));
    MDB_val key = ToVal(from);
    MDB_val value;
    int code = mdb_cursor_get(cursor.get(), &key, &value, from.empty() ? MDB_FIRST : MDB_SET_RANGE);
    while (code == 0) {
      if (!to.empty() && FromVal(key) >= to) return;
      if (!visit(FromVal(key), FromVal(value))) return;
      code = mdb_cursor_get(cursor.get(), &key, &value, MDB_NEXT);
    }
    TM_CHECK(code == MDB_NOTFOUND) << TableName(table) << ": " << mdb_strerror(code);
  }

 private:
  LmdbEngine* const engine_;
  MDB_txn* const txn_;
};

// What a reader gets when only the last state is left: all readers share it, one look after the other.
class SharedSnapshot : public KvSnapshot {
 public:
  SharedSnapshot(const LmdbSnapshot* state, Mutex* mu) : state_(state), mu_(mu) {}

  std::optional<absl::string_view> Get(Table table, absl::string_view key) const override {
    MutexLock lock(mu_);
    return state_->Get(table, key);
  }

  void Scan(Table table, absl::string_view from, absl::string_view to, Visitor visit) const override {
    MutexLock lock(mu_);
    state_->Scan(table, from, to, visit);
  }

 private:
  const LmdbSnapshot* const state_;
  Mutex* const mu_;
};

LmdbEngine::~LmdbEngine() {
  std::unique_ptr<LmdbSnapshot> last_state;
  {
    MutexLock lock(&mu_);
    last_state = std::move(last_state_);
  }
  last_state.reset();
  {
    MutexLock lock(&mu_);
    TM_CHECK(open_snapshots_ == 0) << open_snapshots_;
    DropPoolLocked();
  }
  if (env_ != nullptr) mdb_env_close(env_);
  if (lock_fd_ >= 0) close(lock_fd_);
}

absl::Status LmdbEngine::LockDirectory(const std::string& directory) {
  if (mkdir(directory.c_str(), 0700) != 0 && errno != EEXIST) {
    return MakeError(ErrorKind::kCorrupt, absl::StrCat(directory, ": ", strerror(errno)));
  }
  const std::string path = directory + "/lock";
  lock_fd_ = open(path.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
  if (lock_fd_ < 0) return MakeError(ErrorKind::kCorrupt, absl::StrCat(path, ": ", strerror(errno)));
  if (flock(lock_fd_, LOCK_EX | LOCK_NB) != 0) {
    return MakeError(ErrorKind::kOverloaded, absl::StrCat(directory, " is in use by another process"));
  }
  return absl::OkStatus();
}

absl::Status LmdbEngine::Open(const std::string& directory, size_t map_bytes_min) {
  TM_RETURN_IF_ERROR(LockDirectory(directory));
  struct stat file {};
  const std::string path = directory + "/data.mdb";
  const bool exists = stat(path.c_str(), &file) == 0;
  int code = mdb_env_create(&env_);
  if (code == 0) code = mdb_env_set_maxdbs(env_, kTableCount + 1);
  if (code == 0) code = mdb_env_set_maxreaders(env_, kReadersMax);
  if (code == 0) code = mdb_env_set_mapsize(env_, std::max(map_bytes_min, 2 * static_cast<size_t>(file.st_size)));
  // NOTLS: a snapshot belongs to its object, not to the thread that took it.
  if (code == 0) code = mdb_env_open(env_, directory.c_str(), MDB_NOTLS, 0600);
  if (code != 0) return LmdbError(path, code);
  TM_RETURN_IF_ERROR(OpenTables());
  if (exists) return absl::OkStatus();
  // The new file's name has to survive a power loss as its content does.
  const int directory_fd = open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = directory_fd >= 0 && fsync(directory_fd) == 0;
  const int error = errno;
  if (directory_fd >= 0) close(directory_fd);
  return synced ? absl::OkStatus() : LmdbError(directory, error);
}

absl::Status LmdbEngine::OpenTables() {
  MDB_txn* txn = nullptr;
  int code = mdb_txn_begin(env_, nullptr, 0, &txn);
  if (code != 0) return LmdbError("begin", code);
  if (absl::Status format = CheckFormat(txn); !format.ok()) {
    mdb_txn_abort(txn);
    return format;
  }
  for (const Table table : kTables) {
    const std::string name(TableName(table));
    code = mdb_dbi_open(txn, name.c_str(), MDB_CREATE, &handles_[static_cast<size_t>(table)]);
    if (code != 0) {
      mdb_txn_abort(txn);
      return LmdbError(name, code);
    }
  }
  code = mdb_txn_commit(txn);
  return code == 0 ? absl::OkStatus() : LmdbError("commit", code);
}

absl::Status LmdbEngine::CheckFormat(MDB_txn* txn) {
  MDB_dbi main = 0;
  MDB_stat stat;
  int code = mdb_dbi_open(txn, nullptr, 0, &main);
  if (code == 0) code = mdb_stat(txn, main, &stat);
  if (code != 0) return LmdbError("format", code);
  const bool fresh = stat.ms_entries == 0;

  MDB_dbi format = 0;
  code = mdb_dbi_open(txn, std::string(kFormatTable).c_str(), fresh ? MDB_CREATE : 0, &format);
  MDB_val key = ToVal(kFormatKey);
  const std::string ours = absl::StrCat(kFormatVersion);
  MDB_val value = ToVal(ours);
  if (code == 0) code = fresh ? mdb_put(txn, format, &key, &value, 0) : mdb_get(txn, format, &key, &value);
  if (code == MDB_NOTFOUND) return MakeError(ErrorKind::kCorrupt, "the data directory holds something else");
  if (code != 0) return LmdbError("format", code);
  if (FromVal(value) == ours) return absl::OkStatus();
  return MakeError(ErrorKind::kCorrupt, absl::StrCat("the data directory has format ", FromVal(value),
                                                     ", this program reads format ", ours));
}

absl::Status LmdbEngine::Commit(const WriteBatch& batch) {
  MutexLock lock(&commit_mu_);
  if (!failed_.ok()) return failed_;
  auto before = std::make_unique<LmdbSnapshot>(this, BeginRead());  // no commit has failed: it begins
  int code = WriteOnce(batch);
  while (code == MDB_MAP_FULL) {
    before.reset();
    code = GrowMap();
    TM_CHECK(code == 0) << "the map cannot grow: " << mdb_strerror(code);  // nothing is mapped any more
    before = std::make_unique<LmdbSnapshot>(this, BeginRead());
    code = WriteOnce(batch);
  }
  if (code == 0) return absl::OkStatus();
  failed_ = LmdbError("commit", code);
  MutexLock readers(&mu_);
  last_state_ = std::move(before);
  snapshot_ended_.SignalAll();
  return failed_;
}

int LmdbEngine::WriteOnce(const WriteBatch& batch) {
  MDB_txn* txn = nullptr;
  int code = mdb_txn_begin(env_, nullptr, 0, &txn);
  if (code != 0) return code;
  for (const Table table : kTables) {
    code = WriteTable(txn, handle(table), batch.changes(table));
    if (code != 0) {
      mdb_txn_abort(txn);
      return code;
    }
  }
  return mdb_txn_commit(txn);  // frees the transaction also when it fails
}

int LmdbEngine::WriteTable(MDB_txn* txn, MDB_dbi table, const WriteBatch::Changes& changes) {
  if (changes.empty()) return 0;
  // Appending fills pages wholly; an insertion in the middle leaves them half empty.
  std::string last;
  MDB_val last_key, last_value;
  if (mdb_cursor_get(OpenCursor(txn, table).get(), &last_key, &last_value, MDB_LAST) == 0) {
    last.assign(static_cast<const char*>(last_key.mv_data), last_key.mv_size);
  }
  for (const auto& [key, value] : changes) {
    MDB_val wanted = ToVal(key);
    int code = 0;
    if (value == nullptr) {
      code = mdb_del(txn, table, &wanted, nullptr);
      if (code == MDB_NOTFOUND) code = 0;
    } else {
      MDB_val stored = ToVal(*value);
      code = mdb_put(txn, table, &wanted, &stored, key > last ? MDB_APPEND : 0);
    }
    if (code != 0) return code;
  }
  return 0;
}

int LmdbEngine::GrowMap() {
  MDB_envinfo info;
  mdb_env_info(env_, &info);
  MutexLock lock(&mu_);
  growing_ = true;
  while (open_snapshots_ > 0) snapshot_ended_.Wait(&mu_);
  DropPoolLocked();
  const int code = mdb_env_set_mapsize(env_, info.me_mapsize * 2);
  growing_ = false;
  snapshot_ended_.SignalAll();
  return code;
}

void LmdbEngine::DropPoolLocked() {
  for (MDB_txn* txn : pool_) mdb_txn_abort(txn);
  pool_.clear();
}

MDB_txn* LmdbEngine::BeginRead() {
  MutexLock lock(&mu_);
  while (growing_ || open_snapshots_ + static_cast<int>(kPooledMax) >= kReadersMax) snapshot_ended_.Wait(&mu_);
  MDB_txn* txn = nullptr;
  int code = 0;
  if (pool_.empty()) {
    code = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &txn);
  } else {
    txn = pool_.back();
    pool_.pop_back();
    code = mdb_txn_renew(txn);
    if (code != 0) mdb_txn_abort(txn);
  }
  if (code == MDB_PANIC) return nullptr;
  TM_CHECK(code == 0) << mdb_strerror(code);
  ++open_snapshots_;
  return txn;
}

const LmdbSnapshot* LmdbEngine::LastState() {
  MutexLock lock(&mu_);
  while (last_state_ == nullptr) snapshot_ended_.Wait(&mu_);
  return last_state_.get();
}

std::unique_ptr<KvSnapshot> LmdbEngine::NewSnapshot() {
  if (MDB_txn* const txn = BeginRead()) return std::make_unique<LmdbSnapshot>(this, txn);
  return std::make_unique<SharedSnapshot>(LastState(), &last_state_mu_);
}

void LmdbEngine::EndSnapshot(MDB_txn* txn) {
  MutexLock lock(&mu_);
  if (!growing_ && pool_.size() < kPooledMax) {
    mdb_txn_reset(txn);
    pool_.push_back(txn);
  } else {
    mdb_txn_abort(txn);
  }
  --open_snapshots_;
  snapshot_ended_.SignalAll();
}

SizeFigures LmdbEngine::Sizes() {
  // A snapshot keeps a growing map away.
  if (MDB_txn* const txn = BeginRead()) return SizesOf(LmdbSnapshot(this, txn).txn());
  const LmdbSnapshot* const state = LastState();
  MutexLock lock(&last_state_mu_);
  return SizesOf(state->txn());
}

SizeFigures LmdbEngine::SizesOf(MDB_txn* txn) const {
  MDB_envinfo info;
  MDB_stat stat;
  mdb_env_info(env_, &info);
  mdb_env_stat(env_, &stat);
  const int64_t page_bytes = stat.ms_psize;
  // Two meta pages, and the table of tables.
  size_t pages = 2 + stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
  for (const Table table : kTables) {
    if (mdb_stat(txn, handle(table), &stat) == 0) {
      pages += stat.ms_branch_pages + stat.ms_leaf_pages + stat.ms_overflow_pages;
    }
  }
  return {.total_bytes = static_cast<int64_t>(info.me_last_pgno + 1) * page_bytes,
          .in_use_bytes = static_cast<int64_t>(pages) * page_bytes};
}

absl::StatusOr<std::unique_ptr<KvEngine>> OpenLmdbEngine(const std::string& directory, LmdbOptions options) {
  auto engine = std::make_unique<LmdbEngine>();
  TM_RETURN_IF_ERROR(engine->Open(directory, options.map_bytes_min));
  return engine;
}

}  // namespace tidemark::kv
