// Responder answers one request in kube-apiserver's manner: in the form that was asked for, indented and compressed where the
// client wants that, with a Status for what went wrong, and the metrics that count both.
//
// Thread-safety: thread-compatible; handed from the worker that took the request to the one that answers it.
// Ownership:     shares the exchange; a responder that goes away unused leaves the answer to the server (500).
#ifndef TIDEMARK_HTTP_RESPONDER_H_
#define TIDEMARK_HTTP_RESPONDER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "base/clock.h"
#include "http/answer_form.h"
#include "http/server_document.h"
#include "http/status.h"
#include "metrics/http_metrics.h"
#include "net/exchange.h"

namespace tidemark::http {

inline constexpr absl::string_view kJsonType = "application/json";
inline constexpr absl::string_view kTextType = "text/plain; charset=utf-8";

class Responder {
 public:
  using Headers = std::vector<std::pair<std::string, std::string>>;

  Responder(std::shared_ptr<net::Exchange> exchange, metrics::HttpMetrics* metrics, metrics::RequestSeries* series,
            const Clock& clock);
  ~Responder();
  Responder(const Responder&) = delete;
  Responder& operator=(const Responder&) = delete;

  const net::Request& request() const { return exchange_->request(); }
  metrics::RequestSeries* series() const { return series_; }
  net::Waker waker() const { return exchange_->waker(); }
  // Whether nobody reads the answer any more, as far as is known.
  bool ClientGone() const { return exchange_->ClientGone(); }

  // A Warning header of the answer, whatever that will be; empty: none.
  void set_warning(absl::string_view warning) { warning_ = std::string(warning); }

  // Kept until the answer's last byte, or until there will be none: what the answer is made from. Called before answering.
  void Hold(std::shared_ptr<const void> held) { held_ = std::move(held); }

  // Each of these answers, once.
  // A body as it is, compressed if it is large.
  void Whole(std::string body, absl::string_view content_type, Headers headers);
  void Text(int status, std::string text, absl::string_view content_type = kTextType);
  // Bytes that live as long as what is held: see Hold.
  void Borrowed(absl::string_view body, absl::string_view content_type, Headers headers);
  // `headers`: the ETag among them.
  void NotModified(Headers headers);
  // An answer without a body: 301, 404 or 406 of documents that are no Kubernetes objects.
  void Empty(int status, Headers headers);
  void Fail(const ApiStatus& status);
  // What the server makes of an object itself.
  void Document(const ServerDocument& document, const AnswerForm& form);
  // One object, or a table of it: JSON without its last newline, or an envelope.
  void Object(const AnswerForm& form, std::string body, Headers headers);
  // A list. `length`: of its compact form, when known. REQUIRES: not in YAML (http/yaml_lists.h).
  void Stream(const AnswerForm& form, std::unique_ptr<net::BodySource> source, std::optional<uint64_t> length,
              Headers headers);
  void WatchStream(const AnswerForm& form, std::unique_ptr<net::BodySource> source);

 private:
  void Count(int status);
  net::ResponseHead Head(int status, absl::string_view content_type, Headers headers = {}) const;

  const std::shared_ptr<net::Exchange> exchange_;
  metrics::HttpMetrics* const metrics_;
  metrics::RequestSeries* const series_;
  const Clock& clock_;
  const absl::Time start_;
  std::string warning_;
  std::shared_ptr<const void> held_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_RESPONDER_H_
