// A record is one row of the revision table: its key names the change, its value is the mvccpb.KeyValue after it.
//
//   RevisionKey({5, 1}, false)  00 00 00 00 00 00 00 05 '_' 00 00 00 00 00 00 00 01
//   RevisionKey({5, 1}, true)   the same and 't': a tombstone
//
// Thread-safety: plain values and pure functions.
// Errors:        a damaged record stops the process: it is corrupt durable state.
// Source:        etcd v3 server/storage/mvcc/revision.go.
#ifndef TIDEMARK_STORE_MVCC_RECORD_H_
#define TIDEMARK_STORE_MVCC_RECORD_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "store/mvcc/change_id.h"

namespace tidemark::mvcc {

class RevisionKey {
 public:
  RevisionKey(ChangeId change, bool tombstone);
  absl::string_view view() const { return {bytes_.data(), size_}; }

 private:
  std::array<char, 18> bytes_;
  size_t size_;
};

struct DecodedRevisionKey {
  ChangeId change;
  bool tombstone = false;
};
// Stops the process when `key` is no revision key.
DecodedRevisionKey DecodeRevisionKey(absl::string_view key);

// A KeyValue; the views point into the record.
struct KeyValueRecord {
  absl::string_view key;
  int64_t create_revision = 0;
  int64_t mod_revision = 0;
  int64_t version = 0;
  absl::string_view value;
  int64_t lease = 0;
};
std::string EncodeRecord(const KeyValueRecord& record);
// Stops the process when `bytes` is no KeyValue.
KeyValueRecord DecodeRecord(absl::string_view bytes);
// The key alone, which comes first.
absl::string_view KeyOfRecord(absl::string_view bytes);

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_RECORD_H_
