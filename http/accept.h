// Negotiation: from a request to the form of its answer, or to the 406 that refuses it.
//
//   ApiStatusOr<Negotiation> negotiation = Negotiate(request, AnswerVerb::kList, resource);
//   if (!negotiation.ok()) return responder->Fail(negotiation.status());
//   // ... read ...
//   if (negotiation->late_refusal) return responder->Fail(*negotiation->late_refusal);
//
// Thread-safety: pure functions.
// Source:        kube-apiserver 1.36.3: apiserver's endpoints/handlers, apimachinery.
#ifndef TIDEMARK_HTTP_ACCEPT_H_
#define TIDEMARK_HTTP_ACCEPT_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"
#include "config/resource.h"
#include "http/answer_form.h"
#include "http/status.h"
#include "net/exchange.h"

namespace tidemark::http {

enum class AnswerVerb { kGet, kList, kWatch };

struct Negotiation {
  AnswerForm form;
  // What to answer instead, once everything else about the request was found to be right and the object or list was found: an
  // includeObject that is none, a list asked for as one PartialObjectMetadata, a watch in YAML.
  std::optional<ApiStatus> late_refusal;
};

// Of reads of a resource. Custom resources have no protobuf but for the metadata-only shapes.
ApiStatusOr<Negotiation> Negotiate(const net::Request& request, AnswerVerb verb, const config::Resource& resource);

// Content-Type of an answer in this encoding; a watch in YAML does not exist.
absl::string_view ContentTypeOf(AnswerForm::Encoding encoding, bool watch = false);

struct DocumentForm {
  AnswerForm::Encoding encoding = AnswerForm::Encoding::kJson;
  bool aggregated = false;  // apidiscovery.k8s.io/v2, APIGroupDiscoveryList
  bool indent = false;

  // The aggregated form is named with its type: clients know by that what they got.
  std::string ContentType() const;
};
// Of discovery documents. `may_aggregate`: of /api and /apis. `routed`: of those that stand behind a route, which refuses what
// names no served type in words of its own; /apis, /apis/GROUP and the documents of custom resources do not.
ApiStatusOr<DocumentForm> NegotiateDocument(const net::Request& request, bool may_aggregate, bool routed);

struct StatusForm {
  AnswerForm::Encoding encoding = AnswerForm::Encoding::kJson;
  bool indent = false;

  friend bool operator==(const StatusForm&, const StatusForm&) = default;
};
// Of errors, of any resource: an Accept that nothing can satisfy gets indented JSON.
StatusForm NegotiateStatus(const net::Request& request);

// `pretty` in the query decides; without it people's tools get indented JSON.
bool PrefersIndent(const net::Request& request);

// Of /version, which is JSON to everybody who names that, whatever else is asked for.
std::optional<ApiStatus> RefuseUnlessJsonIsNamed(const net::Request& request);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_ACCEPT_H_
