// Operations are what can be asked of resources, in the words of OpenAPI: a path, its methods, their parameters, bodies and
// answers. They are those of Kubernetes, writes among them: a generated client reads here and writes at the API server, and who
// writes here is told so by a 405.
//
//   for (const PathItem& item : PathsOf(resources)) ...
//
// Thread-safety: pure functions; what they return points to constants and owns the rest.
// Cost:          some microseconds for each resource.
// Source:        /openapi/v3 of kube-apiserver 1.36.3. The deprecated /watch/ paths, and what a kubelet answers (log, exec,
//                proxy), are left out.
#ifndef TIDEMARK_OPENAPI_OPERATIONS_H_
#define TIDEMARK_OPENAPI_OPERATIONS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "config/resource.h"

namespace tidemark::openapi {

struct Parameter {
  absl::string_view name;
  absl::string_view type;  // "string", "integer", "boolean"
  bool in_path = false;    // then it is required
};

enum class RequestBody {
  kNone,
  kObject,   // required
  kPatch,    // required
  kOptions,  // may be left out
};

struct Answer {
  int code = 0;
  absl::string_view description;
  bool has_body = true;
};

struct Operation {
  absl::string_view method;  // "get"
  absl::string_view action;  // "list"
  std::string id;            // "listCoreV1NamespacedPod"
  std::string tag;           // "core_v1"
  absl::Span<const Parameter> parameters;
  RequestBody body = RequestBody::kNone;
  std::string body_definition;
  std::string answer_definition;
  absl::Span<const Answer> answers;
  bool watchable = false;
  bool custom = false;  // of a custom resource: no protobuf, no strategic merge patch
  std::string group;
  std::string version;
  std::string kind;
};

struct PathItem {
  std::string path;
  std::vector<Parameter> parameters;  // of every operation
  std::vector<Operation> operations;  // in the order of OpenAPI: get, put, post, delete, patch
};

// The media types of what is sent, and of what is answered.
std::vector<absl::string_view> RequestTypes(const Operation& operation);
std::vector<absl::string_view> AnswerTypes(const Operation& operation);

// Ascending by path.
std::vector<PathItem> PathsOf(absl::Span<const config::Resource* const> resources);

// What the definition of the resource's own kind or list kind is called: "io.k8s.api.apps.v1.Deployment", or of a custom
// resource's "com.example.v1.Widget".
std::string DefinitionName(const config::Resource& resource, absl::string_view kind);

}  // namespace tidemark::openapi

#endif  // TIDEMARK_OPENAPI_OPERATIONS_H_
