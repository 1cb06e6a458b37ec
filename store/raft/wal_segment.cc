#include "store/raft/wal_segment.h"

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::raft {
namespace {

absl::Status Corrupt(uint64_t offset, absl::string_view what) {
  return MakeError(ErrorKind::kCorrupt, absl::StrCat("at ", offset, ": ", what));
}

// Whether `record` is well formed and may stand where it does.
absl::Status CheckRecord(size_t offset, const WalPosition& position, const WalRecord& record) {
  const bool is_entry = record.type == WalRecordType::kEntry;
  if (offset == 0 && record.type != WalRecordType::kMetadata) return Corrupt(offset, "no metadata at the head");
  if (record.index < LogIndex(1) || (record.count > 0) != is_entry) return Corrupt(offset, "wrong index or count");
  if (!position.started) return absl::OkStatus();
  const WalRecord& before = position.before;
  if (record.index != position.last.Next()) {
    return Corrupt(offset, absl::StrCat("index ", record.index.value(), ", expected ", position.last.Next().value()));
  }
  if (record.term < before.term) {
    return Corrupt(offset, absl::StrCat("term ", record.term, " after term ", before.term));
  }
  if (record.write != before.NextWrite()) {
    return Corrupt(offset, absl::StrCat("write ", record.write, ", expected ", before.NextWrite()));
  }
  return absl::OkStatus();
}

absl::Status TakeIdentity(size_t offset, const WalRecord& record, WalPosition* position) {
  const absl::StatusOr<LogIdentity> identity = DecodeWalMetadata(record.payload);
  if (!identity.ok()) return Corrupt(offset, identity.status().message());
  const bool same =
      identity->cluster_id == position->identity.cluster_id && identity->member_id == position->identity.member_id;
  if (position->started && !same) return Corrupt(offset, "the file of another member");
  position->identity = *identity;
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<WalSegmentEnds> ReadWalSegment(absl::string_view contents, uint64_t sequence, bool is_last,
                                              LogIndex after, const WalVisitor& visit, WalPosition* position) {
  WalSegmentEnds ends;
  WalRecord record;
  WalParse parse = WalParse::kZeros;
  size_t next = 0;
  while (!ends.closed && (parse = ParseWalRecord(contents, sequence, ends.end, &record, &next)) == WalParse::kRecord) {
    TM_RETURN_IF_ERROR(CheckRecord(ends.end, *position, record));
    const LogIndex last(record.index.value() + record.count - 1);
    if (record.type == WalRecordType::kMetadata) TM_RETURN_IF_ERROR(TakeIdentity(ends.end, record, position));
    if (record.type == WalRecordType::kEntry && visit != nullptr && last > after) {
      TM_RETURN_IF_ERROR(visit(record.index, record.term, record.payload));
    }
    if (ends.end == 0) ends.before = last;
    if (ends.end == 0 || record.write != position->before.write) ends.last_write_at = ends.end;
    ends.closed = record.type == WalRecordType::kEnd;
    position->started = true;
    position->last = last;
    position->before = record;
    position->before.payload = absl::string_view();
    ends.end = next;
  }
  if (ends.end == 0) return Corrupt(0, "the head cannot be read");
  if (ends.closed) return ends;
  if (!is_last) return Corrupt(ends.end, "a record cannot be read, and segments follow");
  ends.torn = parse == WalParse::kBad;
  if (ends.torn && ProvesDamage(contents, sequence, ends.end, position->before)) {
    return Corrupt(ends.end, "a record cannot be read, and later ones can");
  }
  return ends;
}

}  // namespace tidemark::raft
