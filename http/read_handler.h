// ReadHandler answers LIST and GET: it turns what the client asked for into a freshness (ListPlan), reads the cache,
// and streams the answer from the snapshot.
//
// Thread-safety: thread-safe.
// Source:        kube-apiserver's decision tables for LIST and GET. By choice, a GET without a version is consistent
//                from memory, and a consistent read that waits in vain is answered 429 instead of from the store.
#ifndef TIDEMARK_HTTP_READ_HANDLER_H_
#define TIDEMARK_HTTP_READ_HANDLER_H_

#include <memory>
#include <string>

#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "cache/cache.h"
#include "http/accept.h"
#include "http/fresh_read.h"
#include "http/list_options.h"
#include "http/responder.h"
#include "http/router.h"
#include "http/status.h"
#include "http/yaml_lists.h"

namespace tidemark::http {

// How a LIST is served: which state, from which key, how many.
struct ListPlan {
  ReadKind read = ReadKind::kConsistent;
  uint64_t version = 0;   // for the kinds that name one
  std::string start_key;  // relative to what is listed
  int64_t limit = 0;      // 0: none
};

// `single`: the scope is one object, which is never cut into pages.
ApiStatusOr<ListPlan> PlanList(const ListOptions& options, bool single);

cache::Freshness FreshnessOf(ReadKind read);
// Where to look: the path's namespace, and one name where path or selector leave no other. The error is of
// a name that contradicts.
ApiStatusOr<cache::Scope> ScopeOf(const Route& route, const cache::Selector& selector);

class ReadHandler {
 public:
  ReadHandler(cache::Cache* cache, Poster post, YamlLists* yaml_lists, const Clock& clock)
      : cache_(cache), post_(std::move(post)), yaml_lists_(yaml_lists), clock_(clock) {}

  void List(const Route& route, const Negotiation& asked, cache::Mirror* mirror, std::shared_ptr<Responder> responder);
  void Get(const Route& route, const Negotiation& asked, cache::Mirror* mirror, std::shared_ptr<Responder> responder);

 private:
  cache::Cache* const cache_;
  const Poster post_;
  YamlLists* const yaml_lists_;
  const Clock& clock_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_READ_HANDLER_H_
