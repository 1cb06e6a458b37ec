#include "net/request_reader.h"

#include <utility>

#include "base/check.h"

namespace tidemark::net {

void RequestReader::Append(absl::string_view bytes) {
  buffer_.erase(0, std::exchange(start_, 0));
  buffer_.append(bytes.data(), bytes.size());
}

RequestReader::State RequestReader::Next() {
  if (refusal_.status != 0) return State::kRefused;
  if (skipper_ == nullptr) {
    switch (head_reader_.Scan(unread())) {
      case HeadReader::State::kNeedMore:
        // A stray blank line is not the beginning of a request: alone, it leaves the connection idle.
        Consume(head_reader_.TakeSkipped());
        return State::kNeedHead;
      case HeadReader::State::kRefused:
        return Refuse(head_reader_.refusal());
      case HeadReader::State::kDone:
        break;
    }
    Consume(head_reader_.head_bytes());
    head_ = head_reader_.TakeHead();
    skipper_ = std::make_unique<BodySkipper>(head_, limits_->body_bytes_max);
    continue_wanted_ = head_.expects_continue && head_.minor_version == 1;
  }
  return ReadBody();
}

RequestReader::State RequestReader::ReadBody() {
  size_t taken = 0;
  const BodySkipper::State state = skipper_->Skip(unread(), &taken);
  Consume(taken);
  if (state == BodySkipper::State::kDone) return State::kRequest;
  if (state == BodySkipper::State::kRefused) return Refuse(skipper_->refusal());
  // A client that has begun to send waits for nothing any more.
  const bool wants_continue = std::exchange(continue_wanted_, false) && taken == 0;
  return wants_continue ? State::kWantContinue : State::kNeedBody;
}

Head RequestReader::TakeHead() {
  TM_CHECK(skipper_ != nullptr && skipper_->state() == BodySkipper::State::kDone);
  skipper_ = nullptr;
  return std::exchange(head_, Head());
}

RequestReader::State RequestReader::Refuse(const Refusal& refusal) {
  refusal_ = refusal;
  return State::kRefused;
}

void RequestReader::Consume(size_t bytes) {
  start_ += bytes;
  if (start_ < buffer_.size()) return;
  std::string().swap(buffer_);
  start_ = 0;
}

}  // namespace tidemark::net
