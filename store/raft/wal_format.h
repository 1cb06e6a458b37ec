// The records of a write-ahead log segment: pure functions from records to bytes and back.
//
//   segment  = metadata record* [ end ] rest
//   record   = length:u32 crc:u32 index:u64 term:u64 write:u32 type:u8 flags:u8 count:u16 payload[length] pad
//   pad      = zero bytes up to the next multiple of 8
//   metadata = record of type 1; index: where the next entry begins; count: 0;
//              payload = "TMWL" format:u32 cluster_id:u64 member_id:u64
//   entry    = record of type 2; index: of its first operation; count: of its operations; payload: entry_codec.h
//   end      = record of type 3; index: where the next entry begins; count: 0; no payload
//   rest     = zeros, or what the file held when it was another segment
//
// Integers are little-endian. The checksum is CRC32C over the segment's sequence number (u64) and the whole record but
// for itself and the pad; so the rest of another segment is never taken for a record. Every segment but the last one is
// closed by an end. Metadata stands at the head of each segment and again wherever the term rises.
//
// `write` numbers the calls of write-and-sync, modulo 2^32; flag 1 marks the last record of one. A write starts only
// after the one before it was synced, so a record of a later write proves that an unreadable one had been synced: then
// it is damage, not a torn tail.
//
// example: segment 9, an entry of one operation, 7 of term 3, alone in write 5, payload "hi":
//   02 00 00 00  35 88 98 97  07 00 00 00 00 00 00 00  03 00 00 00 00 00 00 00
//   05 00 00 00  02  01  01 00  68 69  00 00 00 00 00 00
//
// Thread-safety: pure.
// Cost:          one pass over the bytes for the checksum.
#ifndef TIDEMARK_STORE_RAFT_WAL_FORMAT_H_
#define TIDEMARK_STORE_RAFT_WAL_FORMAT_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "store/raft/log_index.h"
#include "store/raft/replicated_log.h"

namespace tidemark::raft {

inline constexpr uint32_t kWalFormat = 1;
inline constexpr size_t kWalHeaderBytes = 32;
inline constexpr size_t kWalAlignment = 8;
inline constexpr size_t kWalMetadataBytes = 24;
// The metadata record that each segment begins with, and the end that closes it.
inline constexpr size_t kWalHeadBytes = kWalHeaderBytes + kWalMetadataBytes;
inline constexpr size_t kWalEndBytes = kWalHeaderBytes;
static_assert(kWalHeadBytes % kWalAlignment == 0 && kWalEndBytes % kWalAlignment == 0);

enum class WalRecordType : uint8_t { kMetadata = 1, kEntry = 2, kEnd = 3 };

struct WalRecord {
  WalRecordType type = WalRecordType::kEntry;
  bool ends_write = false;
  uint32_t write = 0;
  uint16_t count = 0;
  LogIndex index;
  Term term = 0;
  absl::string_view payload;

  // The write that the next record belongs to.
  uint32_t NextWrite() const { return write + (ends_write ? 1 : 0); }
};

// Header, payload and pad together.
size_t WalRecordBytes(size_t payload_bytes);
// Fills in the header of a record of segment `sequence` whose payload stands already at `record + kWalHeaderBytes`; the
// pad is the caller's.
void SealWalRecord(const WalRecord& fields, uint64_t sequence, size_t payload_bytes, char* record);
void AppendWalRecord(const WalRecord& record, uint64_t sequence, std::string* out);

std::string EncodeWalMetadata(const LogIdentity& identity);
// kCorrupt when it is none of ours or of another format.
absl::StatusOr<LogIdentity> DecodeWalMetadata(absl::string_view payload);

enum class WalParse : uint8_t {
  kRecord,
  kZeros,  // nothing but zeros follows
  kBad,
};
// Reads the record at `offset` of segment `sequence`; on kRecord `*next` is where the following one begins.
WalParse ParseWalRecord(absl::string_view segment, uint64_t sequence, size_t offset, WalRecord* record, size_t* next);

// Whether what cannot be read at `offset` had been synced once: a readable record of a later write stands behind it.
// `before` is the record in front of it.
bool ProvesDamage(absl::string_view segment, uint64_t sequence, size_t offset, const WalRecord& before);

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_WAL_FORMAT_H_
