// Answer catches the one answer of an asynchronous read in a test, from whatever thread it comes.
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_STORECLIENT_ANSWER_H_
#define TIDEMARK_STORECLIENT_ANSWER_H_

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include "absl/status/statusor.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "base/mutex.h"

namespace tidemark::storeclient {

template <typename Result>
class Answer {
 public:
  std::function<void(absl::StatusOr<Result>)> Callback() {
    return [state = state_](absl::StatusOr<Result> result) {
      MutexLock lock(&state->mu);
      EXPECT_FALSE(state->result.has_value()) << "answered twice";
      state->result.emplace(std::move(result));
    };
  }
  bool has() const {
    MutexLock lock(&state_->mu);
    return state_->result.has_value();
  }
  absl::StatusOr<Result> get() const {
    MutexLock lock(&state_->mu);
    return *state_->result;
  }

 private:
  struct State {
    Mutex mu;
    std::optional<absl::StatusOr<Result>> result;
  };
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

// Looks again and again at what other threads do; how long it may take says nothing about how long it should.
inline bool PollUntil(const std::function<bool()>& condition) {
  constexpr absl::Duration kGiveUp = absl::Seconds(60);
  const absl::Time end = absl::Now() + kGiveUp;
  while (!condition()) {
    if (absl::Now() > end) return false;
    absl::SleepFor(absl::Milliseconds(1));
  }
  return true;
}

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_ANSWER_H_
