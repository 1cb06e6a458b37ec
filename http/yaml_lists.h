// YamlLists answers lists in YAML. Each is made whole before its head is sent, since what YAML cannot say is answered 500, as
// kube-apiserver does. A short one is written at once. A longer one takes the slow lane, so that hundreds of MB are held once.
//
//   lists.Answer(form, std::move(source), {}, std::move(responder));
//
// Thread-safety: thread-safe.
// Ownership:     what waits in the lane shares its responder. The lane's executor is stopped while the responders' metrics are
//                still there; what has not been written by then is left to the HTTP server (500), whose connections have ended.
// Errors:        answered 429 when the lane is full; 500 for more than 64 MiB of JSON, and for what YamlWriter refuses.
// Cost:          a list that waits takes 1 MiB and pins its snapshot. Once its connection has ended it is not written any more.
#ifndef TIDEMARK_HTTP_YAML_LISTS_H_
#define TIDEMARK_HTTP_YAML_LISTS_H_

#include <memory>

#include "http/answer_form.h"
#include "http/responder.h"
#include "http/slow_lane.h"
#include "net/exchange.h"

namespace tidemark::http {

class YamlLists {
 public:
  explicit YamlLists(SlowLane* lane) : lane_(lane) {}

  // REQUIRES: a source that never waits.
  void Answer(const AnswerForm& form, std::unique_ptr<net::BodySource> source, Responder::Headers headers,
              std::shared_ptr<Responder> responder);

 private:
  SlowLane* const lane_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_YAML_LISTS_H_
