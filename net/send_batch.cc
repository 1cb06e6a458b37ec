#include "net/send_batch.h"

#include <liburing.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "base/check.h"

namespace tidemark::net {

struct SendBatch::Ring {
  ~Ring() { io_uring_queue_exit(&ring); }
  io_uring ring;
};

SendBatch::SendBatch(bool with_ring) : bytes_(new char[kSendsMax * kGatheredBytesMax]) {
  io_uring ring;
  if (!with_ring || io_uring_queue_init(kSendsMax, &ring, 0) != 0) return;
  auto opened = std::unique_ptr<Ring>(new Ring{ring});
  // Older kernels, and sandboxes that stand in for one, have rings that cannot send.
  io_uring_probe* const probe = io_uring_get_probe_ring(&opened->ring);
  if (probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_SEND)) ring_ = std::move(opened);
  io_uring_free_probe(probe);
}

SendBatch::~SendBatch() { TM_CHECK(empty()) << "sends that nobody was told of"; }

void SendBatch::Add(int fd, absl::Span<const absl::string_view> parts, std::shared_ptr<Sender> sender) {
  TM_CHECK(!full());
  Send& send = sends_[count_];
  char* const begin = bytes_.get() + count_ * kGatheredBytesMax;
  send.size = 0;
  for (const absl::string_view part : parts) {
    if (part.empty()) continue;
    TM_CHECK(send.size + part.size() <= kGatheredBytesMax);
    std::memcpy(begin + send.size, part.data(), part.size());
    send.size += part.size();
  }
  send.fd = fd;
  send.sender = std::move(sender);
  ++count_;
}

void SendBatch::Flush() {
  // One alone is sent as well without a ring.
  if (count_ > 1 && open()) {
    SendTogether();
  } else {
    SendOneByOne(0);
  }
  const size_t sent = std::exchange(count_, 0);
  for (size_t i = 0; i < sent; ++i) {
    Send& send = sends_[i];
    const std::shared_ptr<Sender> sender = std::move(send.sender);
    sender->OnSent(send.result, {BytesOf(i), send.size});
  }
}

void SendBatch::SendTogether() {
  io_uring* const ring = &ring_->ring;
  for (size_t i = 0; i < count_; ++i) {
    io_uring_sqe* const entry = io_uring_get_sqe(ring);
    TM_CHECK(entry != nullptr);  // the ring is empty between two batches, and as long as one
    io_uring_prep_send(entry, sends_[i].fd, BytesOf(i), sends_[i].size, kSendFlags);
    entry->user_data = i;
  }
  size_t told = 0;
  while (told < count_) {
    const int submitted = io_uring_submit_and_wait(ring, static_cast<unsigned>(count_ - told));
    told += TakeResults();
    if (submitted < 0 && submitted != -EINTR) return GiveUp(told);
  }
}

size_t SendBatch::TakeResults() {
  size_t taken = 0;
  io_uring_cqe* done = nullptr;
  while (io_uring_peek_cqe(&ring_->ring, &done) == 0) {
    Send& send = sends_[done->user_data];
    send.result = TransferOf(done->res, send.size);
    io_uring_cqe_seen(&ring_->ring, done);
    ++taken;
  }
  return taken;
}

// The kernel takes entries in order: those that it has refused are the last ones.
void SendBatch::GiveUp(size_t told) {
  const size_t taken = count_ - io_uring_sq_ready(&ring_->ring);
  // What waits for no room is done when it has been taken; anything else could be sent twice.
  TM_CHECK(told == taken) << told << " of " << taken << " sends are done";
  ring_ = nullptr;
  SendOneByOne(taken);
}

void SendBatch::SendOneByOne(size_t first) {
  for (size_t i = first; i < count_; ++i) {
    const iovec part = {const_cast<char*>(BytesOf(i)), sends_[i].size};
    sends_[i].result = SendOn(sends_[i].fd, &part, 1);
  }
}

}  // namespace tidemark::net
