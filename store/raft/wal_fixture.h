// WalTest opens, fills and reads write-ahead logs on a disk in memory, for the tests of Wal.
#ifndef TIDEMARK_STORE_RAFT_WAL_FIXTURE_H_
#define TIDEMARK_STORE_RAFT_WAL_FIXTURE_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/test_seed.h"
#include "gtest/gtest.h"
#include "store/raft/entry_codec.h"
#include "store/raft/memory_file_env.h"
#include "store/raft/wal.h"

namespace tidemark::raft {

inline constexpr char kDirectory[] = "/wal";
inline constexpr LogIdentity kIdentity = {11, 22};

// TIDEMARK_SEED, or 1.
inline uint64_t Seed() { return GivenTestSeed().value_or(1); }

class WalTest : public ::testing::Test {
 protected:
  absl::StatusOr<std::unique_ptr<Wal>> TryOpen(MemoryFileEnv* env) {
    WalOptions options;
    options.env = env;
    options.directory = kDirectory;
    options.segment_bytes = segment_bytes_;
    options.first_segment_bytes = segment_bytes_;
    return Wal::Open(options, kIdentity);
  }

  // Opens, in term 1.
  std::unique_ptr<Wal> OpenOrDie() {
    auto wal = TryOpen(disk_.get());
    EXPECT_TRUE(wal.ok()) << wal.status();
    if (!wal.ok()) return nullptr;
    if ((*wal)->term() == 0) {
      EXPECT_TRUE((*wal)->RaiseTerm(1).ok());
    }
    return *std::move(wal);
  }

  // One write: an entry for each element, its operations separated by commas.
  static absl::Status Append(Wal* wal, const std::vector<std::vector<std::string>>& entries) {
    WalBatch batch;
    LogIndex next = wal->last().Next();
    for (const std::vector<std::string>& operations : entries) {
      batch.BeginEntry(next, wal->term());
      for (const std::string& operation : operations) batch.AddOperation(operation);
      next = next.Plus(operations.size());
    }
    return wal->Append(&batch);
  }

  // "index:operation" for every operation above `after`.
  static std::vector<std::string> Operations(Wal* wal, uint64_t after = 0) {
    std::vector<std::string> seen;
    const absl::Status status = wal->Replay(LogIndex(after), [&](LogIndex first, Term, absl::string_view entry) {
      const auto operations = SplitEntry(entry);
      if (!operations.ok()) return operations.status();
      for (const absl::string_view operation : *operations) {
        if (first.value() > after) seen.push_back(absl::StrCat(first.value(), ":", operation));
        first = first.Next();
      }
      return absl::OkStatus();
    });
    EXPECT_TRUE(status.ok()) << status;
    return seen;
  }

  std::string Path(int sequence) { return absl::StrCat(kDirectory, "/000000000000000", sequence, ".wal"); }

  uint64_t segment_bytes_ = 1024;
  std::unique_ptr<MemoryFileEnv> disk_ = std::make_unique<MemoryFileEnv>();
};

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_WAL_FIXTURE_H_
