// Any bytes as the only segment of a log: opened as a log, or refused; never a crash, and what opens can be written to.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/log.h"
#include "base/status.h"
#include "store/raft/entry_codec.h"
#include "store/raft/memory_file_env.h"
#include "store/raft/wal.h"

namespace tidemark::raft {
namespace {

constexpr uint64_t kSequence = 1;

// Gives every plausible record its checksum, so that the fuzzer gets past it.
std::string WithChecksums(std::string bytes) {
  for (size_t at = 0; at + kWalHeaderBytes <= bytes.size();) {
    const size_t length =
        static_cast<uint8_t>(bytes[at]) + 256 * static_cast<size_t>(static_cast<uint8_t>(bytes[at + 1]) & 3);
    if (at + kWalHeaderBytes + length > bytes.size()) break;
    WalRecord fields;
    size_t next = 0;
    if (ParseWalRecord(bytes, kSequence, at, &fields, &next) != WalParse::kRecord) {
      fields.type = static_cast<WalRecordType>(1 + static_cast<uint8_t>(bytes[at + 28]) % 3);
      fields.ends_write = (bytes[at + 29] & 1) != 0;
      fields.write = static_cast<uint8_t>(bytes[at + 24]);
      fields.count = static_cast<uint8_t>(bytes[at + 30]);
      fields.index = LogIndex(static_cast<uint8_t>(bytes[at + 8]));
      fields.term = static_cast<uint8_t>(bytes[at + 16]);
      SealWalRecord(fields, kSequence, length, &bytes[at]);
    }
    at += WalRecordBytes(length);
  }
  return bytes;
}

void OpenAndAppend(const std::string& bytes) {
  MemoryFileEnv env;
  TM_CHECK_OK(env.CreateDirectory("/wal"));
  env.SetContents("/wal/0000000000000001.wal", bytes);
  WalOptions options;
  options.env = &env;
  options.directory = "/wal";
  options.segment_bytes = options.first_segment_bytes = 4096;
  auto wal = Wal::Open(options, {1, 2});
  if (!wal.ok()) return;
  TM_CHECK_OK((*wal)->Replay(LogIndex(), [](LogIndex, Term, absl::string_view entry) {
    (void)SplitEntry(entry);
    return absl::OkStatus();
  }));
  WalBatch batch;
  batch.BeginEntry((*wal)->last().Next(), (*wal)->term());
  batch.AddOperation("more");
  TM_CHECK_OK((*wal)->Append(&batch));
  const LogIndex last = (*wal)->last();
  wal->reset();
  wal = Wal::Open(options, {1, 2});
  TM_CHECK_OK(wal.status());
  TM_CHECK((*wal)->last() == last);
}

}  // namespace
}  // namespace tidemark::raft

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  tidemark::SetLogLevel(tidemark::LogLevel::kError);
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  tidemark::raft::OpenAndAppend(bytes);
  tidemark::raft::OpenAndAppend(tidemark::raft::WithChecksums(bytes));
  return 0;
}
