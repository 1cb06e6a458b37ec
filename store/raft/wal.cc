#include "store/raft/wal.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/status.h"

namespace tidemark::raft {
namespace {

constexpr char kSuffix[] = ".wal";
constexpr char kSpareName[] = "spare.tmp";
constexpr size_t kSequenceDigits = 16;

absl::Status Corrupt(const std::string& path, uint64_t offset, absl::string_view what) {
  return MakeError(ErrorKind::kCorrupt, absl::StrCat(path, " at ", offset, ": ", what));
}

// Whether `record` may follow `before`. `first` is true for the very first record that is read.
absl::Status CheckOrder(bool first, const WalRecord& before, LogIndex last, Term term, const WalRecord& record) {
  if (first) return absl::OkStatus();
  if (record.index != last.Next()) {
    return MakeError(ErrorKind::kCorrupt,
                     absl::StrCat("index ", record.index.value(), ", expected ", last.Next().value()));
  }
  if (record.term < term) {
    return MakeError(ErrorKind::kCorrupt, absl::StrCat("term ", record.term, " after term ", term));
  }
  if (record.write != before.write + (before.ends_write ? 1 : 0)) {
    return MakeError(ErrorKind::kCorrupt, absl::StrCat("write ", record.write, " after write ", before.write));
  }
  return absl::OkStatus();
}

}  // namespace

struct Wal::ReadState {
  bool seen_any = false;  // of the whole log
  WalRecord before;       // the record read last; its payload is gone
  LogIndex last;
  Term term = 0;
};

Wal::Wal(const WalOptions& options, const LogIdentity& identity)
    : options_(options),
      identity_(identity),
      spare_(options.env, options.fill_executor, absl::StrCat(options.directory, "/", kSpareName)) {}

absl::StatusOr<std::unique_ptr<Wal>> Wal::Open(const WalOptions& options, const LogIdentity& if_new) {
  TM_CHECK(options.env != nullptr && options.segment_bytes > 0 && options.first_segment_bytes > 0);
  TM_RETURN_IF_ERROR(options.env->CreateDirectory(options.directory));
  std::unique_ptr<Wal> wal(new Wal(options, if_new));
  TM_ASSIGN_OR_RETURN(const std::deque<uint64_t> sequences, wal->ListSegments());
  if (sequences.empty()) {
    TM_RETURN_IF_ERROR(wal->BeginSegment(options.first_segment_bytes));
  } else {
    TM_RETURN_IF_ERROR(wal->Recover(sequences));
  }
  return wal;
}

std::string Wal::PathOf(uint64_t sequence) const {
  return absl::StrCat(options_.directory, "/", absl::StrFormat("%016x", sequence), kSuffix);
}

absl::StatusOr<std::deque<uint64_t>> Wal::ListSegments() {
  TM_ASSIGN_OR_RETURN(const std::vector<std::string> names, options_.env->List(options_.directory));
  std::deque<uint64_t> sequences;
  for (const std::string& name : names) {
    const std::string path = absl::StrCat(options_.directory, "/", name);
    if (name == kSpareName) {
      TM_RETURN_IF_ERROR(options_.env->Remove(path));
      continue;
    }
    uint64_t sequence = 0;
    if (name.size() != kSequenceDigits + sizeof(kSuffix) - 1 || !absl::EndsWith(name, kSuffix) ||
        !absl::SimpleHexAtoi(absl::string_view(name).substr(0, kSequenceDigits), &sequence)) {
      return MakeError(ErrorKind::kCorrupt, absl::StrCat(path, ": no file of a write-ahead log"));
    }
    if (!sequences.empty() && sequence != sequences.back() + 1) {
      return MakeError(ErrorKind::kCorrupt, absl::StrCat(path, ": a segment before it is missing"));
    }
    sequences.push_back(sequence);
  }
  return sequences;
}

absl::Status Wal::Recover(const std::deque<uint64_t>& sequences) {
  ReadState state;
  for (const uint64_t sequence : sequences) {
    const bool is_last = sequence == sequences.back();
    TM_RETURN_IF_ERROR(ReadSegment(sequence, is_last, &state, LogIndex(), nullptr));
  }
  last_ = state.last;
  term_ = state.term;
  // A write that lost its last records goes on under its own number.
  write_ = state.before.write - (state.before.ends_write ? 0 : 1);
  return absl::OkStatus();
}

absl::Status Wal::Replay(LogIndex after, const Visitor& visit) {
  ReadState state;
  for (size_t i = 0; i < segments_.size(); ++i) {
    const bool is_last = i + 1 == segments_.size();
    if (!is_last && segments_[i + 1].before <= after) continue;
    TM_RETURN_IF_ERROR(ReadSegment(segments_[i].sequence, is_last, &state, after, visit));
  }
  return absl::OkStatus();
}

absl::Status Wal::ReadSegment(uint64_t sequence, bool is_last, ReadState* state, LogIndex after, const Visitor& visit) {
  const std::string path = PathOf(sequence);
  TM_ASSIGN_OR_RETURN(std::unique_ptr<File> file, options_.env->Open(path, FileEnv::OpenMode::kExisting));
  TM_ASSIGN_OR_RETURN(const std::string contents, file->ReadAll());
  const bool recovering = visit == nullptr;
  size_t offset = 0;
  size_t next = 0;
  size_t last_write_at = 0;
  WalRecord record;
  WalParse parse = WalParse::kEnd;
  while ((parse = ParseWalRecord(contents, offset, &record, &next)) == WalParse::kRecord) {
    if (offset == 0 && record.type != WalRecordType::kMetadata) return Corrupt(path, 0, "no metadata at the head");
    if (record.index < LogIndex(1) || (record.count == 0) != (record.type == WalRecordType::kMetadata))
      return Corrupt(path, offset, "wrong index or count");
    const LogIndex last(record.index.value() + record.count - 1);
    if (absl::Status order = CheckOrder(!state->seen_any, state->before, state->last, state->term, record);
        !order.ok()) {
      return Corrupt(path, offset, order.message());
    }
    if (record.type == WalRecordType::kMetadata) {
      auto identity = DecodeWalMetadata(record.payload);
      if (!identity.ok()) return Corrupt(path, offset, identity.status().message());
      if (state->seen_any &&
          (identity->cluster_id != identity_.cluster_id || identity->member_id != identity_.member_id)) {
        return Corrupt(path, offset, "the file of another member");
      }
      identity_ = *identity;
      if (offset == 0 && recovering) segments_.push_back({sequence, LogIndex(record.index.value() - 1)});
    } else if (visit != nullptr && last > after) {
      TM_RETURN_IF_ERROR(visit(record.index, record.term, record.payload));
    }
    if (offset == 0 || record.write != state->before.write) last_write_at = offset;
    state->seen_any = true;
    state->last = last;
    state->term = record.term;
    state->before = record;
    state->before.payload = {};
    offset = next;
  }
  if (offset == 0) return Corrupt(path, 0, "the head cannot be read");
  const bool torn = parse == WalParse::kBad;
  if (torn && !is_last) return Corrupt(path, offset, "a record cannot be read, and segments follow");
  if (torn && ProvesDamage(contents, offset, state->before)) {
    return Corrupt(path, offset, "a record cannot be read, and later ones can");
  }
  if (!recovering || !is_last) return absl::OkStatus();
  if (torn) {
    Log(LogLevel::kWarning, "write-ahead log: dropped a torn tail",
        {{"file", path}, {"offset", offset}, {"last_index", state->last.value()}});
  }
  TM_RETURN_IF_ERROR(SealTail(file.get(), contents, last_write_at, offset));
  file_ = std::move(file);
  size_ = offset;
  capacity_ = contents.size();
  return absl::OkStatus();
}

// The last write may never have been synced, and after a failed sync the page cache may call clean what the disk does
// not hold: it is written once more before anybody acts on it. A torn rest is zeroed, so that it is never taken for
// what follows a new record.
absl::Status Wal::SealTail(File* file, absl::string_view contents, uint64_t last_write_at, uint64_t end) {
  std::string tail(contents.substr(last_write_at, end - last_write_at));
  const size_t last = contents.find_last_not_of('\0');
  if (last != absl::string_view::npos && last >= end) tail.resize(last + 1 - last_write_at, '\0');
  TM_RETURN_IF_ERROR(file->WriteAt(last_write_at, tail));
  return file->Sync();
}

std::string Wal::MetadataRecord(bool ends_write) const {
  const std::string payload = EncodeWalMetadata(identity_);
  std::string bytes;
  AppendWalRecord({WalRecordType::kMetadata, ends_write, write_ + 1, 0, last_.Next(), term_, payload}, &bytes);
  return bytes;
}

absl::Status Wal::BeginSegment(uint64_t bytes) {
  TM_ASSIGN_OR_RETURN(std::unique_ptr<File> file, spare_.Take(bytes));
  const std::string head = MetadataRecord(/*ends_write=*/true);
  TM_RETURN_IF_ERROR(file->WriteAt(0, head));
  TM_RETURN_IF_ERROR(file->Sync());
  const uint64_t sequence = segments_.empty() ? 1 : segments_.back().sequence + 1;
  TM_RETURN_IF_ERROR(options_.env->Rename(spare_.path(), PathOf(sequence)));
  // From here on the segment may exist after a crash.
  if (absl::Status synced = options_.env->SyncDirectory(options_.directory); !synced.ok()) return Poison(synced);
  segments_.push_back({sequence, last_});
  file_ = std::move(file);
  size_ = head.size();
  capacity_ = bytes;
  ++write_;
  return absl::OkStatus();
}

absl::Status Wal::RollIfFull(uint64_t bytes) {
  if (size_ + bytes <= capacity_) return absl::OkStatus();
  const absl::Status begun = BeginSegment(std::max<uint64_t>(options_.segment_bytes, kWalHeadBytes + bytes));
  if (begun.ok() || !failure_.ok() || KindOf(begun) == ErrorKind::kNoSpace) return begun;
  return Poison(begun);
}

absl::Status Wal::Write(absl::string_view bytes) {
  absl::Status written = file_->WriteAt(size_, bytes);
  const absl::Time start = RealClock().Now();
  if (written.ok()) written = file_->Sync();
  if (!written.ok()) return Poison(written);
  options_.sync_duration.Observe(RealClock().Now() - start);
  options_.written_bytes.Increment(static_cast<double>(bytes.size()));
  size_ += bytes.size();
  ++write_;
  if (size_ > capacity_ / 2) spare_.Prepare(options_.segment_bytes);
  return absl::OkStatus();
}

absl::Status Wal::Poison(const absl::Status& failure) {
  failure_ = absl::Status(
      absl::StatusCode::kInternal,
      absl::StrCat("write-ahead log failed, no write is accepted until the next start: ", failure.message()));
  Log(LogLevel::kError, failure_.message());
  return failure_;
}

absl::Status Wal::RaiseTerm(Term term) {
  TM_CHECK(term > term_) << term << " after " << term_;
  TM_RETURN_IF_ERROR(failure_);
  TM_RETURN_IF_ERROR(RollIfFull(kWalHeadBytes));
  const Term before = std::exchange(term_, term);
  const absl::Status written = Write(MetadataRecord(/*ends_write=*/true));
  if (!written.ok()) term_ = before;
  return written;
}

absl::Status Wal::Append(WalBatch* batch) {
  TM_CHECK(!batch->empty() && batch->first() == last_.Next()) << "last " << last_;
  TM_CHECK(batch->last_term() == term_) << batch->last_term() << " in term " << term_;
  TM_RETURN_IF_ERROR(failure_);
  TM_RETURN_IF_ERROR(RollIfFull(batch->bytes()));
  TM_RETURN_IF_ERROR(Write(batch->Seal(write_ + 1)));
  last_ = batch->last();
  return absl::OkStatus();
}

absl::Status Wal::RemoveThrough(LogIndex index) {
  while (segments_.size() > 1 && segments_[1].before <= index) {
    TM_RETURN_IF_ERROR(options_.env->Remove(PathOf(segments_.front().sequence)));
    segments_.pop_front();
    // One by one, so that a crash never leaves a hole in the sequence.
    TM_RETURN_IF_ERROR(options_.env->SyncDirectory(options_.directory));
  }
  return absl::OkStatus();
}

}  // namespace tidemark::raft
