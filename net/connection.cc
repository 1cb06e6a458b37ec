#include "net/connection.h"

#include <sys/epoll.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/heap.h"
#include "base/log.h"
#include "net/connection_exchange.h"

namespace tidemark::net {
namespace {

// Whenever one of the two sums has changed.
void ReturnMemoryAfterBurst(ServerCore* core) {
  const size_t held = core->unread_bytes.load() + core->unsent_bytes.load();
  if (held > kBurstBytes) {
    core->after_burst.store(true);
  } else if (held < kBurstBytes / 4 && core->after_burst.load() && core->after_burst.exchange(false)) {
    core->workers.Post(&ReturnFreedMemory);
  }
}

}  // namespace

Connection::Connection(std::shared_ptr<ServerCore> core, std::unique_ptr<Transport> transport, std::string peer)
    : core_(std::move(core)), peer_(std::move(peer)), transport_(std::move(transport)), requests_(core_->limits) {
  SetLimit(Limit::kFirstByte);
}

Connection::~Connection() { delete answer_.load(); }

void Connection::Signal(uint32_t events) {
  if (events_.fetch_or(events) == 0) core_->workers.Push(shared_from_this());
}

void Connection::Answered(std::unique_ptr<Answer> answer) {
  TM_CHECK(answer_.exchange(answer.release()) == nullptr);
  Signal(kAnswered);
}

void Connection::Wake(uint64_t exchange_number) {
  if (Serves(exchange_number)) Signal(kWoken);
}

void Connection::OnReady(uint32_t epoll_events) {
  uint32_t events = 0;
  if (epoll_events & EPOLLIN) events |= kReadable;
  if (epoll_events & EPOLLOUT) events |= kWritable;
  if (epoll_events & EPOLLRDHUP) events |= kPeerFinished | kReadable;
  if (epoll_events & (EPOLLHUP | EPOLLERR)) events |= kBroken;
  Signal(events);
}

void Connection::Run(SendBatch* batch) {
  budget_ = kBytesPerTurnMax;
  yield_ = false;
  uint32_t events = events_.exchange(kRunning);
  // The next events of a stream are as short as what waits in the batch; anything else may take long.
  if (events != kWoken || state_ != State::kWriting) batch->Flush();
  while (true) {
    Step(events, batch);
    const bool goes_on_when_sent = batched_;
    if (kBytesPerTurnMax - budget_ > kShortTurnBytes) batch->Flush();
    // Then nothing here is this turn's any more: OnSent may have ended it, and another worker may have begun the next.
    if (goes_on_when_sent) return;
    if (yield_) return Yield();
    uint32_t expected = kRunning;
    if (events_.compare_exchange_strong(expected, 0)) return;
    events = events_.exchange(kRunning);
  }
}

void Connection::Yield() {
  // events_ is never 0 in between, so that nobody else queues this turn.
  events_.fetch_or(kYielded);
  events_.fetch_and(~kRunning);
  core_->workers.Push(shared_from_this());
}

void Connection::OnSent(const Transfer& transfer, absl::string_view bytes) {
  batched_ = false;
  const uint64_t before = writer_.sent_bytes();
  const AnswerWriter::State state = writer_.Sent(transfer, bytes);
  CountSent(before);
  OnAdvanced(state);
  uint32_t expected = kRunning;
  if (events_.compare_exchange_strong(expected, 0)) return;
  // What has happened meanwhile may take long, and others of the batch have not been told yet. It keeps events_ from being 0.
  events_.fetch_and(~kRunning);
  core_->workers.Push(shared_from_this());
}

void Connection::Step(uint32_t events, SendBatch* batch) {
  if ((events & kReadable) || ((events & kWritable) && transport_->read_wants_room())) readable_ = true;
  if (events & kPeerFinished) peer_finished_ = true;
  if (events & kBroken) OnBroken();
  if (events & kCut) Close(nullptr, true);
  if (events & kAnswered) TakeAnswer();
  if (events & kWoken) writer_.Wake();
  if (events & kDrain) writer_.Drain();
  if (events & kDeadline) CheckDeadline();
  if (state_ == State::kWriting) AdvanceAnswer(batch);
  if (state_ == State::kReading && !yield_) {
    batch->Flush();  // a handler may take long
    ReadRequests();
  }
  if (state_ == State::kReading && !yield_ && core_->draining.load()) Close(nullptr, false);
  if (state_ == State::kLingering) DiscardInput();
}

// Both directions at their end are a hang-up too. While lingering that is how it should end: what is unread is still
// read, or closing would reset the connection; a true break shows in the read.
void Connection::OnBroken() {
  if (state_ != State::kLingering) return Close(&core_->metrics.closed_by_client, false);
  readable_ = true;
}

void Connection::ReadRequests() {
  while (state_ == State::kReading) {
    switch (requests_.Next()) {
      case RequestReader::State::kNeedHead:
        if (!CountUnread()) return RefuseUnread();
        SetLimit(requests_.mid_request() ? Limit::kHead : served_before_ ? Limit::kIdle : Limit::kFirstByte);
        if (!ReadSome()) return;
        break;
      case RequestReader::State::kWantContinue:
        SendContinue();
        break;
      case RequestReader::State::kNeedBody:
        SetLimit(Limit::kBody);
        if (!ReadSome()) return;
        break;
      case RequestReader::State::kRefused:
        return Refuse(requests_.refusal());
      case RequestReader::State::kRequest:
        BeginExchange(requests_.TakeHead());
        return;
    }
  }
}

bool Connection::ReadSome() {
  if (!readable_) return false;
  thread_local const std::unique_ptr<char[]> buffer(new char[kReadBytes]);
  const Transfer got = transport_->Read(buffer.get(), kReadBytes);
  switch (got.state) {
    case Transfer::State::kWouldBlock:
      readable_ = false;
      return false;
    case Transfer::State::kEnd:
    case Transfer::State::kBroken:
      Close(&core_->metrics.closed_by_client, false);
      return false;
    case Transfer::State::kOpen:
      break;
  }
  // A short read has emptied the socket, and the next byte is a new event; but the end of the stream
  // may have been told already.
  if (got.bytes < kReadBytes && !peer_finished_ && !transport_->holds_input()) readable_ = false;
  core_->metrics.received_bytes.Increment(static_cast<double>(got.bytes));
  requests_.Append({buffer.get(), got.bytes});
  return true;
}

bool Connection::CountUnread() {
  const size_t bytes = requests_.unread_bytes();
  if (bytes == counted_unread_bytes_) return true;
  // Modulo 2^64: a difference below zero is right too.
  const size_t total = core_->unread_bytes.fetch_add(bytes - counted_unread_bytes_) + bytes - counted_unread_bytes_;
  const bool grew = bytes > counted_unread_bytes_;
  counted_unread_bytes_ = bytes;
  ReturnMemoryAfterBurst(core_.get());
  if (!grew || total <= core_->limits.unread_bytes_max) return true;
  if (uint64_t held_back = 0; core_->unread_gate.Open(core_->clock.Now(), &held_back)) {
    Log(LogLevel::kWarning, "too many bytes of unfinished requests, refusing some",
        {{"unread_bytes_max", core_->limits.unread_bytes_max}, {"suppressed", held_back}});
  }
  return false;
}

void Connection::BeginExchange(Head head) {
  http10_ = head.minor_version == 0;
  head_only_ = head.method == "HEAD";
  keep_alive_ = head.keep_alive;
  served_before_ = true;
  // What was read behind this request waits for as long as its answer takes.
  if (!CountUnread()) return RefuseUnread();
  budget_ -= std::min(budget_, kRequestCost);
  std::optional<Request> request = core_->parser.Parse(std::move(head), peer_);
  if (!request.has_value()) return Refuse({400, "the request cannot be understood"});
  core_->metrics.requests.Increment();
  state_ = State::kHandling;
  SetLimit(Limit::kNone);
  const uint64_t number = exchange_number_.fetch_add(1) + 1;
  auto exchange = std::make_shared<ConnectionExchange>(shared_from_this(), *std::move(request), number);
  if (core_->exchanges.load(std::memory_order_relaxed) > core_->limits.exchanges_max) {
    if (uint64_t held_back = 0; core_->exchanges_gate.Open(core_->clock.Now(), &held_back)) {
      Log(LogLevel::kWarning, "too many unanswered requests, refusing more",
          {{"exchanges_max", core_->limits.exchanges_max}, {"suppressed", held_back}});
    }
    exchange->Reply({.status = 503, .content_type = "text/plain", .headers = {{"Retry-After", "1"}}},
                    "too many requests wait\n");
    return;
  }
  core_->handler->Handle(std::move(exchange));
}

void Connection::TakeAnswer() {
  const std::unique_ptr<Answer> answer(answer_.exchange(nullptr));
  if (answer == nullptr || state_ != State::kHandling) return;
  const bool close = !keep_alive_ || core_->draining.load();
  if (!HasRoomFor(*answer)) {
    *answer = {.head = {.status = 503, .content_type = "text/plain", .headers = {{"Retry-After", "1"}}},
               .body = "too many answers wait for their readers\n"};
  }
  StartAnswer(std::move(*answer), {.head_only = head_only_, .http10 = http10_, .close = close});
}

bool Connection::HasRoomFor(const Answer& answer) {
  const size_t made = answer.source != nullptr ? answer.source->held_bytes() : answer.body.size();
  const size_t bytes = head_only_ ? 0 : made;
  if (bytes <= kSmallAnswerBytesMax || core_->unsent_bytes.load() + bytes <= core_->limits.unsent_bytes_max)
    return true;
  if (uint64_t held_back = 0; core_->unsent_gate.Open(core_->clock.Now(), &held_back)) {
    Log(LogLevel::kWarning, "too many answers wait for their readers, refusing big ones",
        {{"unsent_bytes_max", core_->limits.unsent_bytes_max}, {"suppressed", held_back}});
  }
  return false;
}

// Modulo 2^64: a difference below zero is right too.
void Connection::CountUnsent(size_t bytes) {
  if (bytes == counted_unsent_bytes_) return;
  core_->unsent_bytes.fetch_add(bytes - counted_unsent_bytes_);
  core_->metrics.unsent_bytes.Add(static_cast<double>(bytes) - static_cast<double>(counted_unsent_bytes_));
  counted_unsent_bytes_ = bytes;
  ReturnMemoryAfterBurst(core_.get());
}

size_t Connection::PullBytes() const {
  return core_->unsent_bytes.load(std::memory_order_relaxed) > UnsentBytesPlenty(core_->limits.unsent_bytes_max)
             ? kScarcePullBytes
             : kPullBytes;
}

void Connection::StartAnswer(Answer answer, const AnswerForm& form) {
  close_after_ = form.close;
  state_ = State::kWriting;
  writer_.Start(std::move(answer), form, core_->clock.Now());
  if (core_->draining.load()) writer_.Drain();
}

void Connection::Refuse(const Refusal& refusal) {
  core_->metrics.refused_heads.Increment();
  Answer answer{.head = {.status = refusal.status, .content_type = "text/plain; charset=utf-8"}};
  answer.body = absl::StrCat(refusal.status, " ", ReasonPhrase(refusal.status), ": ", refusal.reason, "\n");
  SetLimit(Limit::kNone);
  StartAnswer(std::move(answer), {.close = true});
  AdvanceAnswer(nullptr);
}

void Connection::RefuseUnread() { Refuse({503, "too many bytes of unfinished requests wait"}); }

// Between two answers the socket takes these few bytes, or the client does not read at all.
void Connection::SendContinue() {
  static constexpr absl::string_view kContinue = "HTTP/1.1 100 Continue\r\n\r\n";
  const iovec part = {const_cast<char*>(kContinue.data()), kContinue.size()};
  if (transport_->Write(&part, 1).bytes != kContinue.size()) Close(&core_->metrics.closed_by_client, false);
}

void Connection::AdvanceAnswer(SendBatch* batch) {
  const int fd = batch != nullptr && batch->open() && !batch->full() ? transport_->batch_fd() : -1;
  const uint64_t before = writer_.sent_bytes();
  thread_local std::vector<absl::string_view> small;
  const AnswerWriter::State state =
      writer_.Advance(transport_.get(), &budget_, PullBytes(), fd >= 0 ? &small : nullptr);
  CountSent(before);
  if (state == AnswerWriter::State::kReady) {
    batched_ = true;
    return batch->Add(fd, small, shared_from_this());
  }
  OnAdvanced(state);
}

void Connection::CountSent(uint64_t sent_bytes_before) {
  if (writer_.sent_bytes() == sent_bytes_before) return;
  core_->metrics.sent_bytes.Increment(static_cast<double>(writer_.sent_bytes() - sent_bytes_before));
}

void Connection::OnAdvanced(AnswerWriter::State state) {
  // What a turn makes and sends at once is not counted: no more of it lives than there are workers.
  CountUnsent(writer_.held_bytes());
  switch (state) {
    case AnswerWriter::State::kDone:
      return OnAnswerSent();
    case AnswerWriter::State::kBlocked:
      return OnBlocked();
    case AnswerWriter::State::kMore:
    case AnswerWriter::State::kReady:  // is the batch's
      yield_ = true;
      return;
    case AnswerWriter::State::kWaiting:
      // Who sends no more and has nothing to read is gone, as far as one can know.
      if (peer_finished_) return Close(&core_->metrics.closed_by_client, false);
      if (!std::exchange(counted_waiting_, true)) core_->metrics.waiting_streams.Add(1);
      return SetLimit(Limit::kNone);
    case AnswerWriter::State::kAborted:
      return Close(&core_->metrics.closed_error, true);
    case AnswerWriter::State::kBroken:
      return Close(&core_->metrics.closed_by_client, false);
  }
}

void Connection::OnBlocked() {
  if (limit_ == Limit::kWrite) return;
  window_start_bytes_ = writer_.sent_bytes();
  SetLimit(Limit::kWrite);
}

void Connection::OnAnswerSent() {
  if (std::exchange(counted_waiting_, false)) core_->metrics.waiting_streams.Add(-1);
  SetLimit(Limit::kNone);
  if (close_after_ || writer_.close_delimited() || core_->draining.load()) return Linger();
  state_ = State::kReading;
  // The next request may lie in the buffer already; a client with many of them shares the worker.
  if (budget_ == 0) yield_ = true;
}

// Closing while the client's bytes are unread would reset the connection, and destroy the answer on its way.
void Connection::Linger() {
  if (!readable_ && !requests_.mid_request()) return Close(nullptr, false);
  state_ = State::kLingering;
  requests_ = RequestReader(core_->limits);  // what has come is not looked at any more
  CountUnread();
  SetLimit(Limit::kLinger);
  transport_->FinishWriting();
}

void Connection::DiscardInput() {
  while (readable_ && state_ == State::kLingering) {
    char discarded[4096];
    const Transfer got = transport_->Read(discarded, sizeof(discarded));
    if (got.state == Transfer::State::kWouldBlock) {
      readable_ = false;
      return;
    }
    core_->metrics.received_bytes.Increment(static_cast<double>(got.bytes));
    lingered_bytes_ += got.bytes;
    if (got.state != Transfer::State::kOpen || lingered_bytes_ > core_->limits.body_bytes_max) Close(nullptr, false);
  }
}

void Connection::Close(metrics::Counter* reason, bool reset) {
  if (state_ == State::kClosed) return;
  state_ = State::kClosed;
  exchange_number_.fetch_add(1);  // wakers call in vain from here on
  writer_.Abandon();
  requests_ = RequestReader(core_->limits);
  CountUnread();
  CountUnsent(0);
  {
    MutexLock lock(&core_->mu);
    core_->by_address.Remove(peer_);
    if (--core_->connections == 0) core_->ended.SignalAll();
  }
  if (std::exchange(counted_waiting_, false)) core_->metrics.waiting_streams.Add(-1);
  if (reason != nullptr) reason->Increment();
  core_->metrics.connections.Add(-1);
  // Last: who sees the end finds it counted. The server's Stop still waits for this turn.
  transport_->Close(reset);
  core_->loop.Remove(this);
}

}  // namespace tidemark::net
