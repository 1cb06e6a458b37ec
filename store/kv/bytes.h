// Bytes is a string of bytes that several parts keep at once: the batch that waits for its commit, the
// watch history, a reader.
//
// Thread-safety: immutable.
#ifndef TIDEMARK_STORE_KV_BYTES_H_
#define TIDEMARK_STORE_KV_BYTES_H_

#include <memory>
#include <string>
#include <utility>

namespace tidemark::kv {

using Bytes = std::shared_ptr<const std::string>;

inline Bytes MakeBytes(std::string bytes) { return std::make_shared<const std::string>(std::move(bytes)); }

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_BYTES_H_
