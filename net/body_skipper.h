// BodySkipper reads a request's body and drops it, so that the connection stays in step: this server takes no body, and
// answers a write only after it.
//
//   chunked = *( size [ ";" ext ] CRLF data CRLF ) "0" [ ";" ext ] CRLF *( trailer CRLF ) CRLF
//
// Thread-safety: thread-compatible; pure.
// Errors:        a Refusal: 400 for broken framing, 413 for a body over its limit.
// Invariants:    the verdict does not depend on how the bytes were split.
#ifndef TIDEMARK_NET_BODY_SKIPPER_H_
#define TIDEMARK_NET_BODY_SKIPPER_H_

#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "net/head_reader.h"

namespace tidemark::net {

class BodySkipper {
 public:
  enum class State { kNeedMore, kDone, kRefused };

  // The body that follows `head`. A Content-Length over the limit is refused before a byte of it has come.
  BodySkipper(const Head& head, uint64_t bytes_max);

  // Takes bytes of the body from the front of `bytes`, and tells how many were its own.
  State Skip(absl::string_view bytes, size_t* taken);
  State state() const { return state_; }
  // REQUIRES: state() is kRefused.
  const Refusal& refusal() const { return refusal_; }

 private:
  enum class Part { kSize, kExtension, kSizeLf, kData, kDataCr, kDataLf, kTrailerStart, kTrailer, kTrailerLf, kEndLf };

  size_t SkipData(size_t available);
  void OnChunkedByte(unsigned char c);
  void OnSizeByte(unsigned char c);
  void Expect(unsigned char c, unsigned char expected, Part next);
  void Refuse(int status, absl::string_view reason);

  const uint64_t bytes_max_;
  const bool chunked_;
  State state_ = State::kNeedMore;
  Part part_ = Part::kSize;
  uint64_t left_ = 0;        // data bytes of the body, or of this chunk
  uint64_t data_bytes_ = 0;  // of all chunks so far
  uint64_t framing_bytes_ = 0;
  int size_digits_ = 0;
  Refusal refusal_;
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_BODY_SKIPPER_H_
