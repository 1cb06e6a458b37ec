// WriteBatch is a set of changes to the tables that an engine commits as one.
//
// Thread-safety: thread-compatible.
// Ownership:     shares values, so that a batch may be read by many while it waits.
// Cost:          O(log n) for each change.
#ifndef TIDEMARK_STORE_KV_WRITE_BATCH_H_
#define TIDEMARK_STORE_KV_WRITE_BATCH_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/container/btree_map.h"
#include "absl/strings/string_view.h"
#include "store/kv/bytes.h"

namespace tidemark::kv {

// The tables of the store's state. Append only: the number is on disk by name (TableName).
enum class Table : uint8_t {
  kKey,    // revision -> change (store/mvcc/mvcc_store.h)
  kMeta,   // applied index, revision, compaction
  kLease,  // lease id -> grant
  kAlarm,  // active alarms
};
inline constexpr int kTableCount = 4;
inline constexpr std::array<Table, kTableCount> kTables = {Table::kKey, Table::kMeta, Table::kLease, Table::kAlarm};

absl::string_view TableName(Table table);

class WriteBatch {
 public:
  // A null value deletes the key; deleting what is not there is no error. The last change of a key counts.
  using Changes = absl::btree_map<std::string, Bytes, std::less<>>;

  // REQUIRES: key is not empty and at most kKeyBytesMax long; value is not null.
  void Put(Table table, absl::string_view key, Bytes value) { Set(table, key, std::move(value)); }
  void Delete(Table table, absl::string_view key) { Set(table, key, nullptr); }

  const Changes& changes(Table table) const { return tables_[static_cast<size_t>(table)]; }
  bool empty() const { return ops_ == 0; }
  // Changes made, also those that a later one of the same key replaced.
  size_t ops() const { return ops_; }
  // Keys and values of changes made.
  size_t size_bytes() const { return size_bytes_; }

 private:
  void Set(Table table, absl::string_view key, Bytes value);

  std::array<Changes, kTableCount> tables_;
  size_t ops_ = 0;
  size_t size_bytes_ = 0;
};

// LMDB's limit as Debian builds it; our keys are far shorter.
inline constexpr size_t kKeyBytesMax = 511;

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_WRITE_BATCH_H_
