// YamlLists answers lists in YAML. Each is made whole before its head is sent, since what YAML cannot say is answered 500, as
// kube-apiserver does. A short one is written at once. A longer one waits for an executor of its own, which writes one at a time:
// hundreds of MB and seconds of a processor are taken once, and the workers go on with other clients.
//
//   lists.Answer(form, std::move(source), {}, std::move(responder));
//
// Thread-safety: thread-safe.
// Ownership:     the executor owns what waits, and that shares its responder. It is stopped while the responders' metrics are still
//                there; what has not been written by then is left to the HTTP server (500), whose connections have ended.
// Errors:        answered 429 when kWaitingMax lists wait; 500 for more than 64 MiB of JSON, and for what YamlWriter refuses.
// Cost:          a list that waits takes 1 MiB and pins its snapshot. Once its connection has ended it is not written any more.
#ifndef TIDEMARK_HTTP_YAML_LISTS_H_
#define TIDEMARK_HTTP_YAML_LISTS_H_

#include <memory>

#include "base/executor.h"
#include "base/mutex.h"
#include "http/answer_form.h"
#include "http/responder.h"
#include "metrics/http_metrics.h"
#include "net/exchange.h"

namespace tidemark::http {

class YamlLists {
 public:
  // The one that is being written does not count. The longest take 2 s each: whoever comes last is still answered within the
  // minute after which kube-apiserver gives a request up.
  static constexpr int kWaitingMax = 16;

  YamlLists(Executor* executor, metrics::HttpMetrics* metrics) : executor_(executor), metrics_(metrics) {}

  // REQUIRES: a source that never waits.
  void Answer(const AnswerForm& form, std::unique_ptr<net::BodySource> source, Responder::Headers headers,
              std::shared_ptr<Responder> responder);

 private:
  class Place;

  // nullptr when all are taken.
  std::unique_ptr<Place> TakePlace();

  Executor* const executor_;
  metrics::HttpMetrics* const metrics_;
  Mutex mu_;
  int waiting_ ABSL_GUARDED_BY(mu_) = 0;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_YAML_LISTS_H_
