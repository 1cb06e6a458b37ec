#include "base/crc32c.h"

#include <array>
#include <cstring>

namespace tidemark {
namespace {

constexpr uint32_t kPolynomial = 0x82f63b78;  // Castagnoli, bits reversed

constexpr std::array<uint32_t, 256> MakeTable() {
  std::array<uint32_t, 256> table{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t crc = i;
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? kPolynomial : 0);
    table[i] = crc;
  }
  return table;
}

constexpr std::array<uint32_t, 256> kTable = MakeTable();

#if defined(__x86_64__)
__attribute__((target("sse4.2"))) uint32_t Crc32cByInstruction(absl::string_view bytes, uint32_t before) {
  uint64_t crc = ~before;
  const char* at = bytes.data();
  size_t left = bytes.size();
  for (; left >= sizeof(uint64_t); left -= sizeof(uint64_t), at += sizeof(uint64_t)) {
    uint64_t word = 0;
    memcpy(&word, at, sizeof(word));
    crc = __builtin_ia32_crc32di(crc, word);
  }
  uint32_t narrow = static_cast<uint32_t>(crc);
  for (; left > 0; --left, ++at) narrow = __builtin_ia32_crc32qi(narrow, static_cast<uint8_t>(*at));
  return ~narrow;
}

bool HasInstruction() {
  static const bool has = __builtin_cpu_supports("sse4.2") != 0;
  return has;
}
#endif

}  // namespace

namespace internal {

uint32_t Crc32cByTable(absl::string_view bytes, uint32_t before) {
  uint32_t crc = ~before;
  for (const char byte : bytes) crc = (crc >> 8) ^ kTable[(crc ^ static_cast<uint8_t>(byte)) & 0xff];
  return ~crc;
}

}  // namespace internal

uint32_t Crc32c(absl::string_view bytes, uint32_t before) {
#if defined(__x86_64__)
  if (HasInstruction()) return Crc32cByInstruction(bytes, before);
#endif
  return internal::Crc32cByTable(bytes, before);
}

}  // namespace tidemark
