// LmdbEngine keeps the tables in one LMDB file, data.mdb in a directory of its own. The only door to
// lmdb.h is lmdb_engine.cc.
//
// Thread-safety, errors, invariants: kv_engine.h.
// Ownership:     owns the directory while it lives; a second opener is refused.
// Units:         the map starts at map_bytes_min of address space and doubles; the file grows with the data.
// Cost:          a commit of 5,000 changes is about 3 ms with its sync. A committed value of 4,080 bytes and more takes
//                whole pages.
// Source:        LMDB 0.9.24.
#ifndef TIDEMARK_STORE_KV_LMDB_ENGINE_H_
#define TIDEMARK_STORE_KV_LMDB_ENGINE_H_

#include <cstddef>
#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "store/kv/kv_engine.h"

namespace tidemark::kv {

// What the directory's files mean; another number is refused at opening.
inline constexpr int kFormatVersion = 1;

struct LmdbOptions {
  // Address space only; doubled when full, so large enough that a small store needs no second mapping.
  size_t map_bytes_min = size_t{1} << 30;
};

// Creates the directory if it is missing. kCorrupt when it holds something else, another format, or a damaged file;
// kOverloaded when another opener has it.
absl::StatusOr<std::unique_ptr<KvEngine>> OpenLmdbEngine(const std::string& directory, LmdbOptions options = {});

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_LMDB_ENGINE_H_
