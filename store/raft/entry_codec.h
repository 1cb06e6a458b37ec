// The payload of a log entry: its operations, one after the other.
//
//   entry     = operation*
//   operation = length:u32le bytes[length]
//
// example, operations "a" and "":  01 00 00 00 61  00 00 00 00
//
// Thread-safety: pure.
// Errors:        kCorrupt when the lengths do not fill the payload exactly.
#ifndef TIDEMARK_STORE_RAFT_ENTRY_CODEC_H_
#define TIDEMARK_STORE_RAFT_ENTRY_CODEC_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::raft {

void AppendOperation(absl::string_view operation, std::string* entry);
// The views point into `entry`.
absl::StatusOr<std::vector<absl::string_view>> SplitEntry(absl::string_view entry);

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_ENTRY_CODEC_H_
