// The versions that kube-apiserver 1.36.3 serves by default beside the one that it stores.
#include "config/resource.h"

namespace tidemark::config {
namespace {

// Fields of events.k8s.io/v1, and where they lie in a core event.
std::vector<SelectableField> FieldsOfOtherEvents() {
  return {{"reason", "reason"},
          {"regarding.kind", "involvedObject.kind"},
          {"regarding.namespace", "involvedObject.namespace"},
          {"regarding.name", "involvedObject.name"},
          {"regarding.uid", "involvedObject.uid", false},
          {"regarding.apiVersion", "involvedObject.apiVersion"},
          {"regarding.resourceVersion", "involvedObject.resourceVersion", false},
          {"regarding.fieldPath", "involvedObject.fieldPath"},
          {"reportingController", "reportingComponent"},
          {"type", "type"}};
}

// `row` as it is served in another version.
Resource InVersion(const Resource& row, const std::string& group, const std::string& version) {
  Resource other = row;
  other.group = group;
  other.version = version;
  other.version_number = 1;
  other.stored_group = row.MirrorGroup();
  other.stored_version = row.stored_version.empty() ? row.version : row.stored_version;
  return other;
}

}  // namespace

std::vector<Resource> OtherVersions(const std::vector<Resource>& mirrored) {
  std::vector<Resource> others;
  for (const Resource& row : mirrored) {
    if (row.custom) continue;
    if (row.GroupResource() == "events") {
      others.push_back(InVersion(row, "events.k8s.io", "v1"));
      others.back().fields = FieldsOfOtherEvents();
    } else if (row.GroupResource() == "horizontalpodautoscalers.autoscaling") {
      others.push_back(InVersion(row, row.group, "v1"));
    }
  }
  return others;
}

}  // namespace tidemark::config
