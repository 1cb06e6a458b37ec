// The seed of a random test: TIDEMARK_SEED replays one; without it each run has its own.
//
//   const uint64_t seed = TestSeed();
//   SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
//
// Thread-safety: thread-safe.
// Errors:        a TIDEMARK_SEED that is no number fails a check: it would replay nothing.
#ifndef TIDEMARK_BASE_TEST_SEED_H_
#define TIDEMARK_BASE_TEST_SEED_H_

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <random>

#include "absl/strings/numbers.h"
#include "base/check.h"

namespace tidemark {

// The seed to replay, if there is one.
inline std::optional<uint64_t> GivenTestSeed() {
  const char* const text = std::getenv("TIDEMARK_SEED");
  if (text == nullptr) return std::nullopt;
  uint64_t seed = 0;
  TM_CHECK(absl::SimpleAtoi(text, &seed)) << "TIDEMARK_SEED=" << text;
  return seed;
}

inline uint64_t TestSeed() {
  const std::optional<uint64_t> given = GivenTestSeed();
  return given.has_value() ? *given : std::random_device()();
}

}  // namespace tidemark

#endif  // TIDEMARK_BASE_TEST_SEED_H_
