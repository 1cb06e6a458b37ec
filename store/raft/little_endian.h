// Fixed-width integers in little-endian order, whatever the machine's.
//
// Thread-safety: pure.
#ifndef TIDEMARK_STORE_RAFT_LITTLE_ENDIAN_H_
#define TIDEMARK_STORE_RAFT_LITTLE_ENDIAN_H_

#include <cstddef>
#include <cstdint>

namespace tidemark::raft {

template <typename T>
void StoreLittleEndian(T value, char* to) {
  for (size_t i = 0; i < sizeof(T); ++i) to[i] = static_cast<char>(static_cast<uint64_t>(value) >> (8 * i));
}

template <typename T>
T LoadLittleEndian(const char* from) {
  uint64_t value = 0;
  for (size_t i = 0; i < sizeof(T); ++i) value |= static_cast<uint64_t>(static_cast<uint8_t>(from[i])) << (8 * i);
  return static_cast<T>(value);
}

}  // namespace tidemark::raft

#endif  // TIDEMARK_STORE_RAFT_LITTLE_ENDIAN_H_
