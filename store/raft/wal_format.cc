#include "store/raft/wal_format.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/crc32c.h"
#include "base/status.h"
#include "store/raft/little_endian.h"

namespace tidemark::raft {
namespace {

constexpr char kMagic[] = {'T', 'M', 'W', 'L'};

// Where the fields of a header stand.
constexpr size_t kLengthAt = 0;
constexpr size_t kCrcAt = 4;
constexpr size_t kIndexAt = 8;
constexpr size_t kTermAt = 16;
constexpr size_t kWriteAt = 24;
constexpr size_t kTypeAt = 28;
constexpr size_t kFlagsAt = 29;
constexpr size_t kCountAt = 30;
constexpr uint8_t kEndsWrite = 1;

// How far behind a damaged record, in writes and in operations, a later one is looked for: a segment holds fewer.
constexpr uint64_t kPlausibleDistance = uint64_t{1} << 26;
// How often, on average, a byte may be part of a checksum then.
constexpr size_t kDamageScanFactor = 4;

uint32_t RecordCrc(uint64_t sequence, const char* record, size_t payload_bytes) {
  char salt[sizeof(sequence)];
  StoreLittleEndian(sequence, salt);
  const uint32_t crc =
      Crc32c(absl::string_view(record + kLengthAt, kCrcAt), Crc32c(absl::string_view(salt, sizeof(salt))));
  return Crc32c(absl::string_view(record + kIndexAt, kWalHeaderBytes - kIndexAt + payload_bytes), crc);
}

bool AllZero(absl::string_view bytes) { return bytes.find_first_not_of('\0') == absl::string_view::npos; }

}  // namespace

size_t WalRecordBytes(size_t payload_bytes) {
  return (kWalHeaderBytes + payload_bytes + kWalAlignment - 1) / kWalAlignment * kWalAlignment;
}

void SealWalRecord(const WalRecord& fields, uint64_t sequence, size_t payload_bytes, char* record) {
  TM_CHECK(payload_bytes <= UINT32_MAX) << payload_bytes;
  StoreLittleEndian(static_cast<uint32_t>(payload_bytes), record + kLengthAt);
  StoreLittleEndian(fields.index.value(), record + kIndexAt);
  StoreLittleEndian(fields.term, record + kTermAt);
  StoreLittleEndian(fields.write, record + kWriteAt);
  record[kTypeAt] = static_cast<char>(fields.type);
  record[kFlagsAt] = static_cast<char>(fields.ends_write ? kEndsWrite : 0);
  StoreLittleEndian(fields.count, record + kCountAt);
  StoreLittleEndian(RecordCrc(sequence, record, payload_bytes), record + kCrcAt);
}

void AppendWalRecord(const WalRecord& record, uint64_t sequence, std::string* out) {
  const size_t at = out->size();
  out->append(kWalHeaderBytes, '\0');
  out->append(record.payload.data(), record.payload.size());
  out->append(WalRecordBytes(record.payload.size()) - kWalHeaderBytes - record.payload.size(), '\0');
  SealWalRecord(record, sequence, record.payload.size(), &(*out)[at]);
}

std::string EncodeWalMetadata(const LogIdentity& identity) {
  std::string payload(kWalMetadataBytes, '\0');
  memcpy(&payload[0], kMagic, sizeof(kMagic));
  StoreLittleEndian(kWalFormat, &payload[4]);
  StoreLittleEndian(identity.cluster_id, &payload[8]);
  StoreLittleEndian(identity.member_id, &payload[16]);
  return payload;
}

absl::StatusOr<LogIdentity> DecodeWalMetadata(absl::string_view payload) {
  if (payload.size() != kWalMetadataBytes || memcmp(payload.data(), kMagic, sizeof(kMagic)) != 0) {
    return MakeError(ErrorKind::kCorrupt, "no write-ahead log of this program");
  }
  const uint32_t format = LoadLittleEndian<uint32_t>(payload.data() + 4);
  if (format != kWalFormat) {
    return MakeError(ErrorKind::kCorrupt,
                     absl::StrCat("write-ahead log of format ", format, "; this program reads ", kWalFormat));
  }
  return LogIdentity{LoadLittleEndian<uint64_t>(payload.data() + 8), LoadLittleEndian<uint64_t>(payload.data() + 16)};
}

WalParse ParseWalRecord(absl::string_view segment, uint64_t sequence, size_t offset, WalRecord* record, size_t* next) {
  const absl::string_view rest = segment.substr(std::min(offset, segment.size()));
  if (rest.size() < kWalHeaderBytes) return AllZero(rest) ? WalParse::kZeros : WalParse::kBad;
  const char* const header = rest.data();
  const size_t length = LoadLittleEndian<uint32_t>(header + kLengthAt);
  const uint8_t type = static_cast<uint8_t>(header[kTypeAt]);
  const uint8_t flags = static_cast<uint8_t>(header[kFlagsAt]);
  if (type == 0) return AllZero(rest) ? WalParse::kZeros : WalParse::kBad;
  if (type > static_cast<uint8_t>(WalRecordType::kEnd) || flags > kEndsWrite) return WalParse::kBad;
  // The pad may be missing where a file was cut at its very end: then nothing of the record's own is.
  if (length > rest.size() - kWalHeaderBytes) return WalParse::kBad;
  if (RecordCrc(sequence, header, length) != LoadLittleEndian<uint32_t>(header + kCrcAt)) return WalParse::kBad;
  record->type = static_cast<WalRecordType>(type);
  record->ends_write = flags == kEndsWrite;
  record->write = LoadLittleEndian<uint32_t>(header + kWriteAt);
  record->count = LoadLittleEndian<uint16_t>(header + kCountAt);
  record->index = LogIndex(LoadLittleEndian<uint64_t>(header + kIndexAt));
  record->term = LoadLittleEndian<uint64_t>(header + kTermAt);
  record->payload = rest.substr(kWalHeaderBytes, length);
  *next = offset + WalRecordBytes(length);
  return WalParse::kRecord;
}

bool ProvesDamage(absl::string_view segment, uint64_t sequence, size_t offset, const WalRecord& before) {
  const uint32_t torn = before.NextWrite();
  // Whatever stands there may be a client's bytes: only what could follow soon is worth a checksum, and only so many.
  size_t checksum_bytes_left = kDamageScanFactor * segment.size();
  WalRecord record;
  size_t next = 0;
  for (size_t at = offset + kWalAlignment; at + kWalHeaderBytes <= segment.size(); at += kWalAlignment) {
    const char* const header = segment.data() + at;
    const uint32_t ahead = LoadLittleEndian<uint32_t>(header + kWriteAt) - torn;
    const uint64_t further = LoadLittleEndian<uint64_t>(header + kIndexAt) - before.index.value();
    if (header[kTypeAt] == 0 || ahead == 0 || ahead > kPlausibleDistance || further > kPlausibleDistance) continue;
    const size_t length = LoadLittleEndian<uint32_t>(header + kLengthAt);
    if (length > checksum_bytes_left) continue;
    checksum_bytes_left -= length;
    if (ParseWalRecord(segment, sequence, at, &record, &next) == WalParse::kRecord) return true;
  }
  return false;
}

}  // namespace tidemark::raft
