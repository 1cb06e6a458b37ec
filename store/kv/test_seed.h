// The seed of a random test: TIDEMARK_SEED replays one; without it each run has its own.
//
//   const uint32_t seed = TestSeed();
//   SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_STORE_KV_TEST_SEED_H_
#define TIDEMARK_STORE_KV_TEST_SEED_H_

#include <cstdint>
#include <cstdlib>
#include <random>

namespace tidemark::kv {

inline uint32_t TestSeed() {
  const char* const seed = std::getenv("TIDEMARK_SEED");
  return seed == nullptr ? std::random_device()() : static_cast<uint32_t>(std::strtoul(seed, nullptr, 10));
}

}  // namespace tidemark::kv

#endif  // TIDEMARK_STORE_KV_TEST_SEED_H_
