// What kube-apiserver 1.36.3 serves by default and does not store.
#include "absl/strings/ascii.h"
#include "config/resource.h"

namespace tidemark::config {
namespace {

struct CreatedRow {
  absl::string_view group;
  absl::string_view kind;
  absl::string_view plural;
  bool namespaced = false;
};

constexpr CreatedRow kOnlyCreated[] = {
    {"", "Binding", "bindings", true},
    {"authentication.k8s.io", "SelfSubjectReview", "selfsubjectreviews"},
    {"authentication.k8s.io", "TokenReview", "tokenreviews"},
    {"authorization.k8s.io", "LocalSubjectAccessReview", "localsubjectaccessreviews", true},
    {"authorization.k8s.io", "SelfSubjectAccessReview", "selfsubjectaccessreviews"},
    {"authorization.k8s.io", "SelfSubjectRulesReview", "selfsubjectrulesreviews"},
    {"authorization.k8s.io", "SubjectAccessReview", "subjectaccessreviews"},
};

std::vector<Resource> MakeUnstored() {
  std::vector<Resource> rows = {{.version = "v1",
                                 .kind = "ComponentStatus",
                                 .plural = "componentstatuses",
                                 .singular = "componentstatus",
                                 .short_names = {"cs"},
                                 .namespaced = false,
                                 .verbs = {"get", "list"},
                                 .warning = "v1 ComponentStatus is deprecated in v1.19+"}};
  for (const CreatedRow& row : kOnlyCreated) {
    rows.push_back({.group = std::string(row.group),
                    .version = "v1",
                    .kind = std::string(row.kind),
                    .plural = std::string(row.plural),
                    .singular = absl::AsciiStrToLower(row.kind),
                    .namespaced = row.namespaced,
                    .verbs = {}});
  }
  return rows;
}

}  // namespace

const std::vector<Resource>& UnstoredResources() {
  static const std::vector<Resource>* const table = new std::vector<Resource>(MakeUnstored());
  return *table;
}

}  // namespace tidemark::config
