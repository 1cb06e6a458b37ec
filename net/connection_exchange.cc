#include "net/connection_exchange.h"

#include <utility>

#include "base/check.h"

namespace tidemark::net {

ConnectionExchange::ConnectionExchange(std::shared_ptr<Connection> connection, Request request, uint64_t number)
    : connection_(std::move(connection)), request_(std::move(request)), number_(number) {
  connection_->core().exchanges.fetch_add(1, std::memory_order_relaxed);
}

ConnectionExchange::~ConnectionExchange() {
  if (!answered_.load()) Reply({.status = 500, .content_type = "text/plain"}, "the request was dropped\n");
}

void ConnectionExchange::Reply(ResponseHead head, std::string body) {
  Send(std::make_unique<Answer>(Answer{.head = std::move(head), .body = std::move(body)}));
}

void ConnectionExchange::Reply(ResponseHead head, std::unique_ptr<BodySource> source, std::optional<uint64_t> length) {
  TM_CHECK(source != nullptr);
  Send(std::make_unique<Answer>(Answer{.head = std::move(head), .source = std::move(source), .length = length}));
}

Waker ConnectionExchange::waker() {
  return [connection = connection_, number = number_] { connection->Wake(number); };
}

void ConnectionExchange::Send(std::unique_ptr<Answer> answer) {
  TM_CHECK(!answered_.exchange(true)) << request_.method << " " << request_.path << " is answered twice";
  connection_->core().exchanges.fetch_sub(1, std::memory_order_relaxed);
  connection_->Answered(std::move(answer));
}

}  // namespace tidemark::net
