// WalBatch collects the entries of one write-and-sync as the bytes that go into the segment, so that an operation is
// copied once.
//
//   batch.BeginEntry(index, term);
//   batch.AddOperation(proposal->payload());
//   TM_RETURN_IF_ERROR(wal->Append(&batch));
//
// Thread-safety: thread-compatible.
// Ownership:     copies what it is given.
#ifndef TIDEMARK_STORE_RAFT_WAL_BATCH_H_
#define TIDEMARK_STORE_RAFT_WAL_BATCH_H_

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "store/raft/log_index.h"

namespace tidemark::raft {

class WalBatch {
 public:
  // `index` is that of the entry's first operation. REQUIRES: it follows what the batch holds already.
  void BeginEntry(LogIndex index, Term term);
  // REQUIRES: an entry was begun, and has less than kEntryOperationsMax.
  void AddOperation(absl::string_view operation);
  void Clear();

  bool empty() const { return starts_.empty(); }
  // REQUIRES: !empty().
  LogIndex first() const { return starts_.front().index; }
  LogIndex last() const { return LogIndex(starts_.back().index.value() + starts_.back().count - 1); }
  Term last_term() const { return starts_.back().term; }
  // Of the entry that was begun last: its payload's bytes and its operations. 0 when there is none.
  size_t entry_bytes() const;
  size_t entry_operations() const { return empty() ? 0 : starts_.back().count; }
  // Bytes that the sealed records take.
  size_t bytes() const;

  // Pads the records, fills in their headers as those of write `write` in segment `sequence`, and returns them.
  // REQUIRES: every entry has an operation.
  absl::string_view Seal(uint32_t write, uint64_t sequence);

 private:
  struct Start {
    size_t at = 0;  // of the record's header in buffer_
    LogIndex index;
    Term term = 0;
    uint16_t count = 0;
  };

  // Pads the record begun last. Idempotent.
  void EndEntry();

  std::string buffer_;
  std::vector<Start> starts_;
  std::vector<size_t> payload_bytes_;  // of all entries but one that is still open
};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_WAL_BATCH_H_
