// AcceptHeader is the Accept header of a request, read as kube-apiserver reads it: twice, by two parsers that differ.
//
// Thread-safety: immutable; points into the header.
// Source:        go-restful 3 for the first look, munnerz/goautoneg for the second.
#ifndef TIDEMARK_HTTP_ACCEPT_HEADER_H_
#define TIDEMARK_HTTP_ACCEPT_HEADER_H_

#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace tidemark::http {

// One clause: "application/json;as=Table;v=v1;q=0.5".
struct AcceptClause {
  absl::string_view type;                                                   // "application"
  absl::string_view subtype;                                                // "json"
  std::vector<std::pair<absl::string_view, absl::string_view>> parameters;  // but for q
  double quality = 1;

  bool Has(absl::string_view name) const;  // `as==` is there, and empty
  // The last one of that name; empty when there is none.
  absl::string_view Parameter(absl::string_view name) const;
  bool Matches(absl::string_view other_type, absl::string_view other_subtype) const;
};

class AcceptHeader {
 public:
  explicit AcceptHeader(absl::string_view header);

  // No header at all, which leaves the form to the server.
  bool empty() const { return header_.empty(); }
  // In the order of preference.
  const std::vector<AcceptClause>& clauses() const { return clauses_; }
  // The first look: whether one of these types, or */*, is named, whatever its parameters.
  bool Names(absl::Span<const absl::string_view> types) const;

 private:
  const absl::string_view header_;
  std::vector<AcceptClause> clauses_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_ACCEPT_HEADER_H_
