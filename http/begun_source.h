// BegunSource gives bytes that are there already, and then the rest of a source, if there is one.
//
// Thread-safety: thread-compatible.
// Ownership:     owns both; the bytes are freed when they have been taken.
// Errors:        none of its own: what the source says (kAbort) passes through.
#ifndef TIDEMARK_HTTP_BEGUN_SOURCE_H_
#define TIDEMARK_HTTP_BEGUN_SOURCE_H_

#include <cstddef>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "net/exchange.h"

namespace tidemark::http {

class BegunSource : public net::BodySource {
 public:
  // All there is.
  explicit BegunSource(std::string all) : BegunSource(std::move(all), State::kEnd, nullptr) {}
  // What was pulled from the source, and what it said last. REQUIRES: not kWait.
  BegunSource(std::string begin, State state, std::unique_ptr<net::BodySource> source)
      : begin_(std::move(begin)), state_(state), source_(std::move(source)) {}

  State Pull(size_t max_bytes, std::vector<absl::string_view>* slices) override;
  size_t held_bytes() const override { return begin_.capacity() + (source_ != nullptr ? source_->held_bytes() : 0); }
  void Drain() override {
    if (source_ != nullptr) source_->Drain();
  }

 private:
  std::string begin_;
  const State state_;
  const std::unique_ptr<net::BodySource> source_;
  size_t given_ = 0;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_BEGUN_SOURCE_H_
