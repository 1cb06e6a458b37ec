// OpenApiHandler answers /openapi/v2 and /openapi/v3: in JSON, the older one also as protobuf, which is how kubectl before 1.27
// reads it. Documents are made when the first client asks for them, in the slow lane, and who comes meanwhile waits for the same;
// from then on they are there until what is served changes.
//
// Thread-safety: thread-safe.
// Ownership:     an answer shares its documents until its last byte.
// Errors:        429 when the lane is full; 404 and 406 without a body, as kube-apiserver gives them.
// Cost:          nothing by the document's size but what the socket takes: it is neither copied nor compressed anew.
// Limits:        who waits is an unanswered exchange: ServerLimits::exchanges_max.
// Source:        kube-apiserver 1.36.3: types, ETags, and the hash in the query, which lets clients keep a document for a year.
#ifndef TIDEMARK_HTTP_OPENAPI_HANDLER_H_
#define TIDEMARK_HTTP_OPENAPI_HANDLER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "http/responder.h"
#include "http/slow_lane.h"
#include "openapi/documents.h"

namespace tidemark::http {

class OpenApiHandler {
 public:
  OpenApiHandler(SlowLane* lane, const Clock& clock) : lane_(lane), clock_(clock) {}

  // `path`: what follows /openapi/.
  void Answer(absl::string_view path, const std::shared_ptr<openapi::Documents>& documents,
              std::shared_ptr<Responder> responder);

 private:
  using DocumentsPtr = std::shared_ptr<openapi::Documents>;
  using ResponderPtr = std::shared_ptr<Responder>;

  void AnswerSwagger(const DocumentsPtr& documents, ResponderPtr responder);
  void AnswerGroup(const std::string& path, const DocumentsPtr& documents, ResponderPtr responder);

  SlowLane* const lane_;
  const Clock& clock_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_OPENAPI_HANDLER_H_
