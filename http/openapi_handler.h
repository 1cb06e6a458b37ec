// OpenApiHandler answers /openapi/v2 and /openapi/v3: in JSON, the older one also as protobuf, which is how kubectl before 1.27
// reads it. Documents are made when the first client asks for them, in the slow lane; from then on they are there until what is
// served changes.
//
// Thread-safety: thread-safe.
// Errors:        429 when the lane is full; 404 and 406 without a body, as kube-apiserver gives them.
// Cost:          a copy of the document, and its compression where the client wants that.
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
  void Answer(const std::string& path, std::shared_ptr<openapi::Documents> documents,
              std::shared_ptr<Responder> responder);

 private:
  void AnswerGroup(absl::string_view path, const openapi::GroupDocuments& groups, Responder* responder) const;
  // The version in the query is that of the document, or the client is sent to it: true when it was.
  bool Redirect(absl::string_view path, const openapi::HashedDocument& document, Responder* responder) const;

  SlowLane* const lane_;
  const Clock& clock_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_OPENAPI_HANDLER_H_
