#include "net/answer_writer.h"

#include <algorithm>
#include <cstdio>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/log.h"

namespace tidemark::net {
namespace {

// Around a chunk: its line, and the end of it. No fewer than there are.
constexpr size_t kChunkBytes = 22;

bool HasNoBody(int status) { return status == 204 || status == 304; }

Framing FramingOf(const Answer& answer, const AnswerForm& form) {
  Framing framing{.close = form.close, .keep_alive = form.http10 && !form.close};
  if (HasNoBody(answer.head.status)) {
    framing.body = Framing::Body::kNone;
  } else if (answer.source == nullptr) {
    framing.length = answer.body.size();
  } else if (answer.length.has_value()) {
    framing.length = *answer.length;
  } else if (!form.http10) {
    framing.body = Framing::Body::kChunked;
  } else {
    framing.body = Framing::Body::kClose;
    framing.close = true;
    framing.keep_alive = false;
  }
  return framing;
}

}  // namespace

void AnswerWriter::Start(Answer answer, const AnswerForm& form, absl::Time now) {
  TM_CHECK(outbox_.empty() && source_ == nullptr && !head_waits_);
  const Framing framing = FramingOf(answer, form);
  head_ = FormatResponseHead(answer.head, framing, now);
  head_waits_ = true;
  body_ = framing.body;
  length_left_ = framing.length;
  woken_ = drained_ = false;
  if (form.head_only || framing.body == Framing::Body::kNone) return;
  whole_body_ = std::move(answer.body);
  source_ = std::move(answer.source);
  source_state_ = BodySource::State::kMore;
}

AnswerWriter::State AnswerWriter::Advance(Transport* transport, size_t* budget, size_t pull_bytes,
                                          std::vector<absl::string_view>* small) {
  if (head_waits_ && source_ == nullptr) {
    head_waits_ = false;
    const absl::string_view parts[] = {head_, whole_body_};
    if (const auto stop = Account(outbox_.Send(transport, parts), budget)) return *stop;
  }
  while (true) {
    if (!outbox_.empty()) {
      if (const auto stop = Account(outbox_.Send(transport, {}), budget)) return *stop;
      std::string().swap(whole_body_);
    }
    if (source_state_ == BodySource::State::kEnd) source_ = nullptr;
    if (source_ == nullptr) {
      Abandon();
      return State::kDone;
    }
    if (source_state_ == BodySource::State::kWait && !woken_) return Wait();
    if (*budget == 0) return State::kMore;
    if (const auto stop = PullOnce(transport, budget, pull_bytes, small)) return *stop;
  }
}

AnswerWriter::State AnswerWriter::Wait() {
  std::string().swap(head_);
  std::string().swap(whole_body_);
  source_->Release();
  return State::kWaiting;
}

AnswerWriter::State AnswerWriter::Sent(const Transfer& transfer, absl::string_view bytes) {
  size_t no_budget = 0;
  if (transfer.bytes < bytes.size()) {
    whole_body_ = std::string(bytes.substr(transfer.bytes));
    outbox_.Keep(whole_body_);
    source_->Release();  // of what it gave the rest is here
  }
  if (const auto stop = Account(transfer, &no_budget)) return *stop;
  return Wait();
}

std::optional<AnswerWriter::State> AnswerWriter::PullOnce(Transport* transport, size_t* budget, size_t pull_bytes,
                                                          std::vector<absl::string_view>* small) {
  thread_local std::vector<absl::string_view> pulled, parts;
  pulled.clear();
  parts.clear();
  woken_ = false;
  source_state_ = source_->Pull(pull_bytes, &pulled);
  uint64_t bytes = 0;
  for (const absl::string_view slice : pulled) bytes += slice.size();
  const bool end = source_state_ == BodySource::State::kEnd;
  if (source_state_ == BodySource::State::kAbort || !FitsLength(bytes, end)) return State::kAborted;

  if (std::exchange(head_waits_, false)) parts.push_back(head_);
  const bool chunk = body_ == Framing::Body::kChunked && bytes > 0;
  if (chunk) {
    const int length =
        std::snprintf(chunk_line_, sizeof(chunk_line_), "%llx\r\n", static_cast<unsigned long long>(bytes));
    parts.emplace_back(chunk_line_, static_cast<size_t>(length));
  }
  parts.insert(parts.end(), pulled.begin(), pulled.end());
  if (chunk) parts.push_back("\r\n");
  if (end && body_ == Framing::Body::kChunked) parts.push_back("0\r\n\r\n");
  // A source that gives nothing again and again must not hold a worker.
  *budget -= std::min<size_t>(*budget, 1);
  const size_t framed = bytes + head_.size() + kChunkBytes;
  if (small != nullptr && source_state_ == BodySource::State::kWait && bytes > 0 && framed <= kGatheredBytesMax) {
    *small = parts;
    return State::kReady;
  }
  return Account(outbox_.Send(transport, parts), budget);
}

bool AnswerWriter::FitsLength(uint64_t bytes, bool end) {
  if (body_ != Framing::Body::kLength) return true;
  if (bytes > length_left_ || (end && bytes < length_left_)) {
    Log(LogLevel::kError, "a streamed answer is not as long as it said", {{"left", length_left_}, {"given", bytes}});
    return false;
  }
  length_left_ -= bytes;
  return true;
}

std::optional<AnswerWriter::State> AnswerWriter::Account(const Transfer& transfer, size_t* budget) {
  sent_bytes_ += transfer.bytes;
  *budget -= std::min(*budget, transfer.bytes);
  if (transfer.state == Transfer::State::kBroken) return State::kBroken;
  if (transfer.state == Transfer::State::kWouldBlock) return State::kBlocked;
  return std::nullopt;
}

void AnswerWriter::Drain() {
  if (source_ == nullptr || source_state_ == BodySource::State::kEnd || std::exchange(drained_, true)) return;
  source_->Drain();
  woken_ = true;
}

void AnswerWriter::Abandon() {
  outbox_.Clear();
  head_waits_ = false;
  source_ = nullptr;
  std::string().swap(head_);
  std::string().swap(whole_body_);
}

}  // namespace tidemark::net
