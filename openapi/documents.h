// Documents are the OpenAPI documents of all that is served at one moment: OpenAPI 3, one for each group version and their index,
// and OpenAPI 2, one of all. Both are made when they are first asked for, since most servers are never asked.
//
//   const auto documents = std::make_shared<Documents>(resources, &Gzipped);
//   const GroupDocuments& groups = documents->groups().Make();   // where tens of milliseconds do no harm
//
// Thread-safety: thread-safe.
// Ownership:     shares the resources; what is made lives as long as this.
// Cost:          the groups some 15 ms, OpenAPI 2 50 ms for Kubernetes' own resources, and 30 us for each KB of custom ones'
//                schemas; some MB of memory each. Compression 10 ns per byte.
// Source:        kube-apiserver 1.36.3's /openapi/v2 and /openapi/v3.
#ifndef TIDEMARK_OPENAPI_DOCUMENTS_H_
#define TIDEMARK_OPENAPI_DOCUMENTS_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "config/resource.h"
#include "openapi/made_once.h"

namespace tidemark::openapi {

using Resources = std::vector<std::shared_ptr<const config::Resource>>;

// Makes what is sent to clients that take it compressed; empty when that is not worth it.
using Compress = std::function<std::string(const std::string&)>;

struct Body {
  std::string bytes;
  std::string compressed;  // may be empty
};

struct Document {
  Body json;
  std::string hash;
};

class GroupDocuments {
 public:
  GroupDocuments(const Resources& resources, const Compress& compress);

  // {"paths":{"apis/apps/v1":{"serverRelativeURL":"/openapi/v3/apis/apps/v1?hash=..."}}}
  const std::string& index() const { return index_; }
  // "apis/apps/v1"; nullptr when it is not served.
  const Document* Find(absl::string_view path) const;

 private:
  std::map<std::string, Document, std::less<>> by_path_;
  std::string index_;
};

struct Swagger {
  Swagger(const Resources& resources, const Compress& compress);

  Document document;
  Body protobuf;  // of the same
};

class Documents {
 public:
  explicit Documents(Resources resources, Compress compress = nullptr);

  // Whether there is a document "apis/apps/v1": known before it is made.
  bool Has(absl::string_view path) const;
  MadeOnce<GroupDocuments>& groups() { return groups_; }
  MadeOnce<Swagger>& swagger() { return swagger_; }

 private:
  const Resources resources_;
  const Compress compress_;
  MadeOnce<GroupDocuments> groups_;
  MadeOnce<Swagger> swagger_;
};

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_DOCUMENTS_H_
