// The rows of table kMeta: how far the state has come.
//
//   "position"           applied index, its term, revision: three big-endian 8-byte numbers
//   "scheduled_compact"  revision of the last compaction command
//   "finished_compact"   revision up to which the table has been compacted
//
// Thread-safety: pure.
// Errors:        a damaged row stops the process.
#ifndef TIDEMARK_STORE_MVCC_STORE_META_H_
#define TIDEMARK_STORE_MVCC_STORE_META_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "store/kv/bytes.h"

namespace tidemark::mvcc {

inline constexpr absl::string_view kPositionKey = "position";
inline constexpr absl::string_view kScheduledCompactKey = "scheduled_compact";
inline constexpr absl::string_view kFinishedCompactKey = "finished_compact";

struct Position {
  uint64_t index = 0;
  uint64_t term = 0;
  Revision revision;
};

kv::Bytes EncodePosition(const Position& position);
// The zero position for null.
Position DecodePosition(const kv::Bytes& bytes);

kv::Bytes EncodeRevision(Revision revision);
// None for null.
Revision DecodeRevision(const kv::Bytes& bytes);

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_STORE_META_H_
