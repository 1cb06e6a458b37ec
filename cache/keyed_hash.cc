#include "cache/keyed_hash.h"

#include <bit>
#include <cstring>
#include <random>

namespace tidemark::cache {
namespace {

struct State {
  uint64_t a, b, c, d;

  void Round() {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b;
    a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
  void Take(uint64_t word) {
    d ^= word;
    Round();
    a ^= word;
  }
};

}  // namespace

KeyedHash KeyedHash::Random() {
  std::random_device device;
  const auto word = [&device] { return uint64_t{device()} << 32 | device(); };
  const uint64_t key0 = word();
  return KeyedHash(key0, word());
}

uint64_t KeyedHash::operator()(absl::string_view text) const {
  State state = {key0_ ^ 0x736f6d6570736575u, key1_ ^ 0x646f72616e646f6du, key0_ ^ 0x6c7967656e657261u,
                 key1_ ^ 0x7465646279746573u};
  const char* next = text.data();
  size_t left = text.size();
  for (; left >= 8; left -= 8, next += 8) {
    uint64_t word;
    std::memcpy(&word, next, 8);
    state.Take(word);
  }
  uint64_t last = uint64_t{text.size()} << 56;
  for (size_t i = 0; i < left; ++i) last |= uint64_t{static_cast<uint8_t>(next[i])} << (8 * i);
  state.Take(last);
  state.c ^= 0xff;
  for (int i = 0; i < 3; ++i) state.Round();
  return state.a ^ state.b ^ state.c ^ state.d;
}

}  // namespace tidemark::cache
