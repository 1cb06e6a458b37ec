#include "net/body_skipper.h"

#include <algorithm>

#include "absl/strings/ascii.h"

namespace tidemark::net {
namespace {

// 2^32 and more: far above any limit, and no overflow.
constexpr int kSizeDigitsMax = 10;

int SizeDigit(unsigned char c) { return absl::ascii_isdigit(c) ? c - '0' : absl::ascii_tolower(c) - 'a' + 10; }

}  // namespace

BodySkipper::BodySkipper(const Head& head, uint64_t bytes_max)
    : bytes_max_(bytes_max), chunked_(head.chunked), left_(head.chunked ? 0 : head.content_length) {
  if (chunked_) return;
  if (left_ == 0) state_ = State::kDone;
  if (left_ > bytes_max_) Refuse(413, "the body is too big");
}

BodySkipper::State BodySkipper::Skip(absl::string_view bytes, size_t* taken) {
  size_t at = 0;
  while (state_ == State::kNeedMore && at < bytes.size()) {
    if (!chunked_ || part_ == Part::kData) {
      at += SkipData(bytes.size() - at);
    } else {
      // A body in chunks of one byte would cost many times its size.
      if (++framing_bytes_ > bytes_max_) Refuse(413, "the body's framing is too big");
      OnChunkedByte(static_cast<unsigned char>(bytes[at++]));
    }
  }
  *taken = at;
  return state_;
}

size_t BodySkipper::SkipData(size_t available) {
  const size_t taken = static_cast<size_t>(std::min<uint64_t>(available, left_));
  left_ -= taken;
  if (left_ == 0) {
    part_ = Part::kDataCr;
    if (!chunked_) state_ = State::kDone;
  }
  return taken;
}

void BodySkipper::OnChunkedByte(unsigned char c) {
  if (state_ == State::kRefused) return;
  switch (part_) {
    case Part::kSize:
      return OnSizeByte(c);
    case Part::kExtension:
      if (c == '\r') {
        part_ = Part::kSizeLf;
      } else if (absl::ascii_iscntrl(c) && c != '\t') {
        Refuse(400, "a chunk's size line is malformed");
      }
      return;
    case Part::kSizeLf:
      Expect(c, '\n', left_ == 0 ? Part::kTrailerStart : Part::kData);
      data_bytes_ += left_;
      if (data_bytes_ > bytes_max_) Refuse(413, "the body is too big");
      return;
    case Part::kDataCr:
      return Expect(c, '\r', Part::kDataLf);
    case Part::kDataLf:
      size_digits_ = 0;
      return Expect(c, '\n', Part::kSize);
    case Part::kTrailerStart:
      part_ = c == '\r' ? Part::kEndLf : Part::kTrailer;
      if (c == '\n' || c == 0) Refuse(400, "a trailer is malformed");
      return;
    case Part::kTrailer:
      if (c == '\r') part_ = Part::kTrailerLf;
      if (c == '\n' || c == 0) Refuse(400, "a trailer is malformed");
      return;
    case Part::kTrailerLf:
      return Expect(c, '\n', Part::kTrailerStart);
    case Part::kEndLf:
      Expect(c, '\n', Part::kEndLf);
      if (state_ == State::kNeedMore) state_ = State::kDone;
      return;
    case Part::kData:
      return;
  }
}

void BodySkipper::OnSizeByte(unsigned char c) {
  if (absl::ascii_isxdigit(c) && size_digits_ < kSizeDigitsMax) {
    ++size_digits_;
    left_ = left_ * 16 + static_cast<uint64_t>(SizeDigit(c));
  } else if (size_digits_ > 0 && c == '\r') {
    part_ = Part::kSizeLf;
  } else if (size_digits_ > 0 && c == ';') {
    part_ = Part::kExtension;
  } else {
    Refuse(400, "a chunk's size line is malformed");
  }
}

void BodySkipper::Expect(unsigned char c, unsigned char expected, Part next) {
  if (c != expected) return Refuse(400, "a chunk is malformed");
  part_ = next;
}

void BodySkipper::Refuse(int status, absl::string_view reason) {
  if (state_ == State::kRefused) return;
  refusal_ = {status, reason};
  state_ = State::kRefused;
}

}  // namespace tidemark::net
