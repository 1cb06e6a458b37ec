// ConnectionExchange is the Exchange that a Connection hands to the handler.
//
// Thread-safety: thread-safe.
// Ownership:     holds its connection; the connection does not hold it, so that the request's memory goes as soon as
//                the handler lets go of it, be the answer still on its way.
#ifndef TIDEMARK_NET_CONNECTION_EXCHANGE_H_
#define TIDEMARK_NET_CONNECTION_EXCHANGE_H_

#include <atomic>
#include <memory>
#include <string>

#include "net/connection.h"
#include "net/exchange.h"

namespace tidemark::net {

class ConnectionExchange : public Exchange {
 public:
  ConnectionExchange(std::shared_ptr<Connection> connection, Request request, uint64_t number);
  ~ConnectionExchange() override;

  const Request& request() const override { return request_; }
  void Reply(ResponseHead head, std::string body) override;
  void Reply(ResponseHead head, std::unique_ptr<BodySource> source, std::optional<uint64_t> length) override;
  Waker waker() override;
  bool ClientGone() const override { return !connection_->Serves(number_); }

 private:
  void Send(std::unique_ptr<Answer> answer);

  const std::shared_ptr<Connection> connection_;
  const Request request_;
  const uint64_t number_;
  std::atomic<bool> answered_{false};
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_CONNECTION_EXCHANGE_H_
