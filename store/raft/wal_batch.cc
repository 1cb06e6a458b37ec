#include "store/raft/wal_batch.h"

#include "base/check.h"
#include "store/raft/entry_codec.h"
#include "store/raft/replicated_log.h"
#include "store/raft/wal_format.h"

namespace tidemark::raft {

void WalBatch::BeginEntry(LogIndex index, Term term) {
  TM_CHECK(empty() || index == last().Next()) << index << " after " << last();
  EndEntry();
  starts_.push_back({buffer_.size(), index, term, 0});
  buffer_.append(kWalHeaderBytes, '\0');
}

void WalBatch::AddOperation(absl::string_view operation) {
  TM_CHECK(payload_bytes_.size() < starts_.size() && starts_.back().count < kEntryOperationsMax);
  ++starts_.back().count;
  AppendOperation(operation, &buffer_);
}

void WalBatch::Clear() {
  buffer_.clear();
  starts_.clear();
  payload_bytes_.clear();
}

size_t WalBatch::entry_bytes() const {
  return payload_bytes_.size() < starts_.size() ? buffer_.size() - starts_.back().at - kWalHeaderBytes : 0;
}

size_t WalBatch::bytes() const {
  if (payload_bytes_.size() == starts_.size()) return buffer_.size();
  return starts_.back().at + WalRecordBytes(entry_bytes());
}

absl::string_view WalBatch::Seal(uint32_t write, uint64_t sequence) {
  TM_CHECK(!empty());
  EndEntry();
  for (size_t i = 0; i < starts_.size(); ++i) {
    WalRecord fields;
    fields.type = WalRecordType::kEntry;
    fields.ends_write = i + 1 == starts_.size();
    fields.write = write;
    TM_CHECK(starts_[i].count > 0);
    fields.count = starts_[i].count;
    fields.index = starts_[i].index;
    fields.term = starts_[i].term;
    SealWalRecord(fields, sequence, payload_bytes_[i], &buffer_[starts_[i].at]);
  }
  return buffer_;
}

void WalBatch::EndEntry() {
  if (payload_bytes_.size() == starts_.size()) return;
  payload_bytes_.push_back(entry_bytes());
  buffer_.resize(starts_.back().at + WalRecordBytes(payload_bytes_.back()), '\0');
}

}  // namespace tidemark::raft
