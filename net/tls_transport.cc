#include "net/tls_transport.h"

#include <openssl/err.h>
#include <openssl/ssl.h>

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "net/limits.h"

namespace tidemark::net {
namespace {

// Go's server says the same.
constexpr absl::string_view kHttpAnswer =
    "HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n";

Transport* SocketOf(BIO* bio) { return static_cast<Transport*>(BIO_get_data(bio)); }

int ReadSocket(BIO* bio, char* out, size_t size, size_t* got) {
  BIO_clear_retry_flags(bio);
  const Transfer transfer = SocketOf(bio)->Read(out, size);
  *got = transfer.bytes;
  if (transfer.bytes > 0) return 1;
  if (transfer.state == Transfer::State::kWouldBlock) BIO_set_retry_read(bio);
  if (transfer.state == Transfer::State::kEnd) BIO_set_flags(bio, BIO_FLAGS_IN_EOF);
  return 0;
}

int WriteSocket(BIO* bio, const char* bytes, size_t size, size_t* taken) {
  BIO_clear_retry_flags(bio);
  const iovec part = {const_cast<char*>(bytes), size};
  const Transfer transfer = SocketOf(bio)->Write(&part, 1);
  *taken = transfer.bytes;
  if (transfer.bytes > 0) return 1;
  if (transfer.state == Transfer::State::kWouldBlock) BIO_set_retry_write(bio);
  return 0;
}

long ControlSocket(BIO* bio, int command, long, void*) {
  if (command == BIO_CTRL_EOF) return BIO_test_flags(bio, BIO_FLAGS_IN_EOF) != 0;
  return command == BIO_CTRL_FLUSH;  // nothing is kept back
}

const BIO_METHOD* SocketMethod() {
  static const BIO_METHOD* const method = [] {
    BIO_METHOD* const made = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "transport");
    TM_CHECK(made != nullptr && BIO_meth_set_read_ex(made, ReadSocket) == 1 &&
             BIO_meth_set_write_ex(made, WriteSocket) == 1 && BIO_meth_set_ctrl(made, ControlSocket) == 1)
        << "out of memory";
    return made;
  }();
  return method;
}

// The slices of one Write as the records that they become.
class RecordCutter {
 public:
  RecordCutter(const iovec* parts, int count) : parts_(parts), count_(count) { SkipEmpty(); }

  bool done() const { return at_ == count_; }
  // The next kTlsRecordBytes, or as many as there are: after a write that had to wait OpenSSL wants to be given the same
  // bytes again, and at least as many. Valid until the next call.
  absl::string_view Next() const {
    const absl::string_view front = Rest(at_, offset_);
    if (front.size() >= kTlsRecordBytes || at_ + 1 == count_) return front.substr(0, kTlsRecordBytes);
    thread_local const std::unique_ptr<char[]> record(new char[kTlsRecordBytes]);
    size_t size = 0;
    for (int i = at_; i < count_ && size < kTlsRecordBytes; ++i) {
      const absl::string_view piece = Rest(i, i == at_ ? offset_ : 0).substr(0, kTlsRecordBytes - size);
      if (!piece.empty()) std::memcpy(record.get() + size, piece.data(), piece.size());
      size += piece.size();
    }
    return {record.get(), size};
  }
  void Take(size_t bytes) {
    while (bytes > 0) {
      const size_t here = std::min(bytes, parts_[at_].iov_len - offset_);
      offset_ += here;
      bytes -= here;
      SkipEmpty();
    }
  }

 private:
  absl::string_view Rest(int part, size_t offset) const {
    return {static_cast<const char*>(parts_[part].iov_base) + offset, parts_[part].iov_len - offset};
  }
  void SkipEmpty() {
    while (at_ < count_ && offset_ == parts_[at_].iov_len) {
      ++at_;
      offset_ = 0;
    }
  }

  const iovec* const parts_;
  const int count_;
  int at_ = 0;
  size_t offset_ = 0;  // in parts_[at_]
};

}  // namespace

void TlsTransport::FreeSsl::operator()(ssl_st* ssl) const { SSL_free(ssl); }

TlsTransport::TlsTransport(std::unique_ptr<Transport> socket, std::shared_ptr<TlsContext> context, std::string peer)
    : socket_(std::move(socket)), context_(std::move(context)), peer_(std::move(peer)) {}

TlsTransport::~TlsTransport() { Close(false); }

bool TlsTransport::Begin() {
  if (closed_) return false;
  if (ssl_ != nullptr) return true;
  generation_ = context_->current();
  ssl_.reset(SSL_new(generation_.get()));
  BIO* const bio = BIO_new(SocketMethod());
  TM_CHECK(ssl_ != nullptr && bio != nullptr) << "out of memory";
  BIO_set_data(bio, socket_.get());
  BIO_set_init(bio, 1);
  SSL_set_bio(ssl_.get(), bio, bio);
  SSL_set_accept_state(ssl_.get());
  return true;
}

Transfer TlsTransport::Read(char* out, size_t size) {
  if (input_end_.has_value()) return {0, *input_end_};
  if (!Begin()) return {0, Transfer::State::kBroken};
  read_wants_room_ = false;
  size_t total = 0;
  // Until the socket has no more: the loop will not tell again of what lies in OpenSSL's buffer.
  while (total < size) {
    ERR_clear_error();
    size_t got = 0;
    if (SSL_read_ex(ssl_.get(), out + total, size - total, &got) == 1) {
      established_ = true;
      total += got;
      continue;
    }
    read_wants_room_ = SSL_want_write(ssl_.get());
    const Transfer::State state = StateAfterFailure();
    if (state != Transfer::State::kWouldBlock) input_end_ = state;
    return {total, total > 0 ? Transfer::State::kOpen : state};
  }
  return {total, Transfer::State::kOpen};
}

Transfer TlsTransport::Write(const iovec* parts, int count) {
  if (!Begin() || failed_) return {0, Transfer::State::kBroken};
  Transfer total;
  for (RecordCutter records(parts, count); !records.done();) {
    const absl::string_view record = records.Next();
    ERR_clear_error();
    size_t taken = 0;
    if (SSL_write_ex(ssl_.get(), record.data(), record.size(), &taken) != 1) {
      total.state = StateAfterFailure();
      if (total.state == Transfer::State::kEnd) total.state = Transfer::State::kBroken;
      return total;
    }
    established_ = true;
    total.bytes += taken;
    records.Take(taken);
  }
  return total;
}

Transfer::State TlsTransport::StateAfterFailure() {
  switch (SSL_get_error(ssl_.get(), 0)) {
    case SSL_ERROR_WANT_READ:
    case SSL_ERROR_WANT_WRITE:
      established_ = established_ || SSL_is_init_finished(ssl_.get());
      return Transfer::State::kWouldBlock;
    case SSL_ERROR_ZERO_RETURN:
      return Transfer::State::kEnd;
    case SSL_ERROR_SSL:
      if (!established_ && !failed_) OnFailedHandshake();
      break;
    default:
      break;
  }
  failed_ = true;
  ERR_clear_error();
  return Transfer::State::kBroken;
}

void TlsTransport::OnFailedHandshake() {
  const unsigned long error = ERR_peek_last_error();
  const char* const reason = ERR_reason_error_string(error);
  context_->NoteFailedHandshake(peer_, reason != nullptr ? reason : "OpenSSL gives no reason");
  if (ERR_GET_REASON(error) != SSL_R_HTTP_REQUEST) return;
  const iovec part = {const_cast<char*>(kHttpAnswer.data()), kHttpAnswer.size()};
  socket_->Write(&part, 1);
  socket_->FinishWriting();
  // Closing while bytes are unread would destroy the answer on its way; a head of usual size has come.
  char discarded[4096];
  socket_->Read(discarded, sizeof(discarded));
}

void TlsTransport::SendCloseNotify() {
  if (!established_ || failed_ || ssl_ == nullptr || std::exchange(said_close_, true)) return;
  ERR_clear_error();
  SSL_shutdown(ssl_.get());
  ERR_clear_error();
}

void TlsTransport::FinishWriting() {
  SendCloseNotify();
  socket_->FinishWriting();
}

void TlsTransport::Close(bool reset) {
  if (std::exchange(closed_, true)) return;
  // Without it the client knows that what it has is not all.
  if (!reset) SendCloseNotify();
  ssl_.reset();
  generation_.reset();
  socket_->Close(reset);
}

}  // namespace tidemark::net
