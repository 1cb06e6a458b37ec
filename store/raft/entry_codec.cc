#include "store/raft/entry_codec.h"

#include <cstdint>
#include <limits>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"
#include "store/raft/little_endian.h"

namespace tidemark::raft {

void AppendOperation(absl::string_view operation, std::string* entry) {
  TM_CHECK(operation.size() <= std::numeric_limits<uint32_t>::max()) << operation.size();
  char length[sizeof(uint32_t)];
  StoreLittleEndian(static_cast<uint32_t>(operation.size()), length);
  entry->append(length, sizeof(length));
  entry->append(operation.data(), operation.size());
}

absl::StatusOr<std::vector<absl::string_view>> SplitEntry(absl::string_view entry) {
  std::vector<absl::string_view> operations;
  while (!entry.empty()) {
    if (entry.size() < sizeof(uint32_t)) return MakeError(ErrorKind::kCorrupt, "log entry ends inside a length");
    const uint32_t length = LoadLittleEndian<uint32_t>(entry.data());
    entry.remove_prefix(sizeof(uint32_t));
    if (length > entry.size()) {
      return MakeError(ErrorKind::kCorrupt,
                       absl::StrCat("log entry has ", entry.size(), " bytes left for an operation of ", length));
    }
    operations.push_back(entry.substr(0, length));
    entry.remove_prefix(length);
  }
  return operations;
}

}  // namespace tidemark::raft
