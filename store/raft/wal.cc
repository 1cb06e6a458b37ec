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

// Of the error that reading the file at `path` gave.
absl::Status InFile(const std::string& path, const absl::Status& status) {
  if (KindOf(status) != ErrorKind::kCorrupt) return status;
  return MakeError(ErrorKind::kCorrupt, absl::StrCat(path, " ", status.message()));
}

}  // namespace

Wal::Wal(const WalOptions& options, const LogIdentity& identity)
    : options_(options),
      identity_(identity),
      spare_(options.env, options.fill_executor, absl::StrCat(options.directory, "/", kSpareName)) {}

absl::StatusOr<std::unique_ptr<Wal>> Wal::Open(const WalOptions& options, const LogIdentity& if_new) {
  TM_CHECK(options.env != nullptr && options.segment_bytes > 0 && options.first_segment_bytes > 0);
  TM_RETURN_IF_ERROR(options.env->CreateDirectory(options.directory));
  std::unique_ptr<Wal> wal(new Wal(options, if_new));
  TM_ASSIGN_OR_RETURN(const std::deque<uint64_t> sequences, wal->ListSegments());
  TM_RETURN_IF_ERROR(wal->Recover(sequences));
  TM_RETURN_IF_ERROR(wal->BeginSegment(options.first_segment_bytes));
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

absl::StatusOr<std::string> Wal::ReadFile(uint64_t sequence) {
  TM_ASSIGN_OR_RETURN(std::unique_ptr<File> file, options_.env->Open(PathOf(sequence), FileEnv::OpenMode::kExisting));
  return file->ReadAll();
}

absl::Status Wal::Recover(const std::deque<uint64_t>& sequences) {
  WalPosition position;
  for (const uint64_t sequence : sequences) {
    const bool is_last = sequence == sequences.back();
    TM_ASSIGN_OR_RETURN(const std::string contents, ReadFile(sequence));
    const auto ends = ReadWalSegment(contents, sequence, is_last, LogIndex(), nullptr, &position);
    if (!ends.ok()) return InFile(PathOf(sequence), ends.status());
    segments_.push_back({sequence, ends->before});
    if (is_last) TM_RETURN_IF_ERROR(CloseRecovered(segments_.back(), *ends, position));
  }
  if (position.started) identity_ = position.identity;
  last_ = position.last;
  term_ = position.before.term;
  return absl::OkStatus();
}

// The last write may never have been synced, and after a failed sync the page cache may call clean what the disk does
// not hold: it is written once more, with the end behind it, before anybody acts on it.
absl::Status Wal::CloseRecovered(const Segment& segment, const WalSegmentEnds& ends, const WalPosition& position) {
  const std::string path = PathOf(segment.sequence);
  if (ends.torn) {
    Log(LogLevel::kInfo, "write-ahead log: what follows the last whole record is dropped",
        {{"file", path}, {"offset", ends.end}, {"last_index", position.last.value()}});
  }
  // A write that lost its last records is ended under its own number.
  write_ = position.before.NextWrite() - 1;
  last_ = position.last;
  term_ = position.before.term;
  TM_ASSIGN_OR_RETURN(std::unique_ptr<File> file, options_.env->Open(path, FileEnv::OpenMode::kExisting));
  TM_ASSIGN_OR_RETURN(const std::string contents, file->ReadAll());
  std::string tail = contents.substr(ends.last_write_at, ends.end - ends.last_write_at);
  tail.resize(ends.end - ends.last_write_at, '\0');  // a file cut inside the last pad
  if (!ends.closed) {
    tail += MarkRecord(WalRecordType::kEnd, segment.sequence);
    ++write_;
  }
  TM_RETURN_IF_ERROR(file->WriteAt(ends.last_write_at, tail));
  return file->Sync();
}

absl::Status Wal::Replay(LogIndex after, const WalVisitor& visit) {
  WalPosition position;
  for (size_t i = 0; i < segments_.size(); ++i) {
    const bool is_last = i + 1 == segments_.size();
    if (!is_last && segments_[i + 1].before <= after) continue;
    const uint64_t sequence = segments_[i].sequence;
    TM_ASSIGN_OR_RETURN(const std::string contents, ReadFile(sequence));
    const auto ends = ReadWalSegment(contents, sequence, is_last, after, visit, &position);
    if (!ends.ok()) return InFile(PathOf(sequence), ends.status());
  }
  return absl::OkStatus();
}

std::string Wal::MarkRecord(WalRecordType type, uint64_t sequence) const {
  const std::string payload = type == WalRecordType::kMetadata ? EncodeWalMetadata(identity_) : std::string();
  std::string bytes;
  AppendWalRecord({type, /*ends_write=*/true, write_ + 1, /*count=*/0, last_.Next(), term_, payload}, sequence, &bytes);
  return bytes;
}

absl::Status Wal::BeginSegment(uint64_t bytes) {
  TM_ASSIGN_OR_RETURN(WalSpare::ReadyFile spare, spare_.Take(bytes));
  const uint64_t sequence = segments_.empty() ? 1 : segments_.back().sequence + 1;
  const std::string head = MarkRecord(WalRecordType::kMetadata, sequence);
  TM_RETURN_IF_ERROR(spare.file->WriteAt(0, head));
  TM_RETURN_IF_ERROR(spare.file->Sync());
  TM_RETURN_IF_ERROR(options_.env->Rename(spare_.path(), PathOf(sequence)));
  // From here on the segment may exist after a crash.
  if (absl::Status synced = options_.env->SyncDirectory(options_.directory); !synced.ok()) return Poison(synced);
  segments_.push_back({sequence, last_});
  file_ = std::move(spare.file);
  size_ = head.size();
  capacity_ = spare.bytes;
  closed_ = false;
  ++write_;
  return absl::OkStatus();
}

absl::Status Wal::MakeRoom(uint64_t bytes) {
  if (!closed_ && size_ + bytes + kWalEndBytes <= capacity_) return absl::OkStatus();
  if (!closed_) TM_RETURN_IF_ERROR(Write(MarkRecord(WalRecordType::kEnd, sequence())));
  closed_ = true;
  const absl::Status begun =
      BeginSegment(std::max<uint64_t>(options_.segment_bytes, kWalHeadBytes + bytes + kWalEndBytes));
  if (begun.ok() || !failure_.ok() || KindOf(begun) == ErrorKind::kNoSpace) return begun;
  return Poison(begun);
}

absl::Status Wal::Write(absl::string_view bytes) {
  const absl::Time start = RealClock().Now();
  absl::Status written = file_->WriteAt(size_, bytes);
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
  failure_ = absl::InternalError(
      absl::StrCat("write-ahead log failed, no write is accepted until the next start: ", failure.message()));
  Log(LogLevel::kError, failure_.message());
  return failure_;
}

absl::Status Wal::RaiseTerm(Term term) {
  TM_CHECK(term > term_) << term << " after " << term_;
  TM_RETURN_IF_ERROR(failure_);
  TM_RETURN_IF_ERROR(MakeRoom(kWalHeadBytes));
  const Term before = std::exchange(term_, term);
  const absl::Status written = Write(MarkRecord(WalRecordType::kMetadata, sequence()));
  if (!written.ok()) term_ = before;
  return written;
}

absl::Status Wal::Append(WalBatch* batch) {
  TM_CHECK(!batch->empty() && batch->first() == last_.Next()) << "last " << last_;
  TM_CHECK(batch->last_term() == term_) << batch->last_term() << " in term " << term_;
  TM_RETURN_IF_ERROR(failure_);
  TM_RETURN_IF_ERROR(MakeRoom(batch->bytes()));
  TM_RETURN_IF_ERROR(Write(batch->Seal(write_ + 1, sequence())));
  last_ = batch->last();
  return absl::OkStatus();
}

absl::Status Wal::RemoveThrough(LogIndex index) {
  while (segments_.size() > 1 && segments_[1].before <= index) {
    TM_RETURN_IF_ERROR(spare_.TakeOver(PathOf(segments_.front().sequence), options_.segment_bytes));
    segments_.pop_front();
    // One by one, so that a crash never leaves a hole in the sequence.
    TM_RETURN_IF_ERROR(options_.env->SyncDirectory(options_.directory));
  }
  return absl::OkStatus();
}

}  // namespace tidemark::raft
