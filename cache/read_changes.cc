#include "cache/read_changes.h"

#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/json_edit.h"
#include "base/json_slices.h"

namespace tidemark::cache {
namespace {

// Of objects' fields, those behind the one that is added.
constexpr absl::string_view kBehindPhase[] = {"accessModes",
                                              "capacity",
                                              "conditions",
                                              "allocatedResources",
                                              "message",
                                              "reason",
                                              "lastPhaseTransitionTime",
                                              "allocatedResourceStatuses",
                                              "currentVolumeAttributesClassName",
                                              "modifyVolumeStatus"};
constexpr absl::string_view kBehindLabels[] = {"annotations", "ownerReferences", "finalizers", "managedFields"};
constexpr absl::string_view kBehindDataSourceRef[] = {"volumeAttributesClassName"};
constexpr absl::string_view kBehindDataSource[] = {"dataSourceRef"};
constexpr absl::string_view kBehindMode[] = {"ports"};
constexpr absl::string_view kBehindClusterIps[] = {"type",
                                                   "externalIPs",
                                                   "sessionAffinity",
                                                   "loadBalancerIP",
                                                   "loadBalancerSourceRanges",
                                                   "externalName",
                                                   "externalTrafficPolicy",
                                                   "healthCheckNodePort",
                                                   "publishNotReadyAddresses",
                                                   "sessionAffinityConfig",
                                                   "ipFamilies",
                                                   "ipFamilyPolicy",
                                                   "allocateLoadBalancerNodePorts",
                                                   "loadBalancerClass",
                                                   "internalTrafficPolicy",
                                                   "trafficDistribution"};
constexpr absl::Span<const absl::string_view> kBehindFamilies =
    absl::Span<const absl::string_view>(kBehindClusterIps).subspan(11);
constexpr absl::Span<const absl::string_view> kBehindPolicy = kBehindFamilies.subspan(1);
constexpr absl::string_view kBehindTraffic[] = {"trafficDistribution"};

bool IsMissing(absl::string_view value) {
  return value.empty() || value == "null" || value == "\"\"" || value == "[]" || value == "{}";
}

// Appends `object` with its field `name` set, unless nothing has changed.
bool AppendChanged(absl::string_view object, absl::string_view name, absl::string_view before, absl::string_view now,
                   std::string* json) {
  if (before == now) return false;
  absl::StrAppend(json, WithJsonField(object, name, now));
  return true;
}

std::string PendingStatus(absl::string_view status) {
  if (!IsMissing(FindJson(status, "phase"))) return std::string(status);
  return WithJsonField(status, "phase", R"("Pending")", kBehindPhase);
}

bool ReadVolume(absl::string_view object, std::string* json) {
  const absl::string_view status = FindJson(object, "status");
  return AppendChanged(object, "status", status, PendingStatus(status), json);
}

// The two data sources of a claim say the same, unless one names another namespace.
std::string BothDataSources(absl::string_view spec) {
  const absl::string_view source = FindJson(spec, "dataSource");
  const absl::string_view reference = FindJson(spec, "dataSourceRef");
  if (!IsMissing(source) && IsMissing(reference)) {
    return WithJsonField(spec, "dataSourceRef", source, kBehindDataSourceRef);
  }
  if (IsMissing(source) && !IsMissing(reference) && IsMissing(FindJson(reference, "namespace"))) {
    return WithJsonField(spec, "dataSource", WithJsonField(reference, "namespace", ""), kBehindDataSource);
  }
  return std::string(spec);
}

bool ReadClaim(absl::string_view object, std::string* json) {
  const absl::string_view spec = FindJson(object, "spec");
  const std::string both = BothDataSources(spec);
  if (both == spec) return ReadVolume(object, json);
  const std::string changed = WithJsonField(object, "spec", both);
  if (!ReadVolume(changed, json)) absl::StrAppend(json, changed);
  return true;
}

bool ReadStatefulSet(absl::string_view object, std::string* json) {
  const absl::string_view spec = FindJson(object, "spec");
  const absl::string_view templates = FindJson(spec, "volumeClaimTemplates");
  if (IsMissing(templates)) return false;
  std::string list = "[";
  for (const absl::string_view claim : JsonElements(templates)) {
    absl::StrAppend(&list, list.size() > 1 ? "," : "", R"({"kind":"PersistentVolumeClaim","apiVersion":"v1")");
    const std::string pending = WithJsonField(claim, "status", PendingStatus(FindJson(claim, "status")));
    for (const JsonField& field : JsonFields(pending)) {
      if (field.name == "kind" || field.name == "apiVersion") continue;
      absl::StrAppend(&list, ",\"", field.name, "\":", field.value);
    }
    list.push_back('}');
  }
  return AppendChanged(object, "spec", spec, WithJsonField(spec, "volumeClaimTemplates", list + "]"), json);
}

bool ReadJob(absl::string_view object, std::string* json) {
  const absl::string_view metadata = FindJson(object, "metadata");
  const absl::string_view labels = FindJson(object, "spec.template.metadata.labels");
  if (IsMissing(labels) || !IsMissing(FindJson(metadata, "labels"))) return false;
  return AppendChanged(object, "metadata", metadata, WithJsonField(metadata, "labels", labels, kBehindLabels), json);
}

// A service from before addresses and families were lists: its one address says the family.
std::string WithAddresses(absl::string_view old_spec) {
  std::string spec(old_spec);
  const std::string address(FindJson(old_spec, "clusterIP"));
  if (IsMissing(address)) return spec;
  if (IsMissing(FindJson(spec, "clusterIPs"))) {
    spec = WithJsonField(spec, "clusterIPs", absl::StrCat("[", address, "]"), kBehindClusterIps);
  }
  // Without an address the families are the cluster's, which the store does not know.
  if (address == R"("None")" || !IsMissing(FindJson(spec, "ipFamilies"))) return spec;
  if (JsonElements(FindJson(spec, "clusterIPs")).size() != 1) return spec;
  const absl::string_view family = absl::StrContains(address, ":") ? R"(["IPv6"])" : R"(["IPv4"])";
  spec = WithJsonField(spec, "ipFamilies", family, kBehindFamilies);
  return WithJsonField(spec, "ipFamilyPolicy", R"("SingleStack")", kBehindPolicy);
}

std::string WithModes(absl::string_view status) {
  const absl::string_view balancer = FindJson(status, "loadBalancer");
  const absl::string_view addresses = FindJson(balancer, "ingress");
  if (IsMissing(addresses)) return std::string(status);
  std::string list = "[";
  for (const absl::string_view address : JsonElements(addresses)) {
    const bool lacks = !IsMissing(FindJson(address, "ip")) && IsMissing(FindJson(address, "ipMode"));
    absl::StrAppend(&list, list.size() > 1 ? "," : "",
                    lacks ? WithJsonField(address, "ipMode", R"("VIP")", kBehindMode) : address);
  }
  list.push_back(']');
  return WithJsonField(status, "loadBalancer", WithJsonField(balancer, "ingress", list));
}

bool ReadService(absl::string_view object, std::string* json) {
  const absl::string_view spec = FindJson(object, "spec");
  const absl::string_view status = FindJson(object, "status");
  const absl::string_view type = FindJson(spec, "type");
  std::string new_spec(spec);
  if (type == R"("ExternalName")") {
    new_spec = WithJsonField(spec, "internalTrafficPolicy", "");
  } else if (type == R"("ClusterIP")" || type == R"("NodePort")" || type == R"("LoadBalancer")") {
    new_spec = WithAddresses(spec);
    if (IsMissing(FindJson(new_spec, "internalTrafficPolicy"))) {
      new_spec = WithJsonField(new_spec, "internalTrafficPolicy", R"("Cluster")", kBehindTraffic);
    }
  }
  const std::string new_status = type == R"("LoadBalancer")" ? WithModes(status) : std::string(status);
  if (new_spec == spec) return AppendChanged(object, "status", status, new_status, json);
  absl::StrAppend(json, WithJsonField(WithJsonField(object, "spec", new_spec), "status", new_status));
  return true;
}

struct ChangeRow {
  absl::string_view api_version;
  absl::string_view kind;
  ReadChange change;
};

constexpr ChangeRow kChanges[] = {
    {"apiextensions.k8s.io/v1", "CustomResourceDefinition", ReadCustomResourceDefinition},
    {"apps/v1", "StatefulSet", ReadStatefulSet},
    {"batch/v1", "Job", ReadJob},
    {"v1", "PersistentVolume", ReadVolume},
    {"v1", "PersistentVolumeClaim", ReadClaim},
    {"v1", "Service", ReadService},
};

}  // namespace

ReadChange FindReadChange(absl::string_view api_version, absl::string_view kind) {
  for (const ChangeRow& row : kChanges) {
    if (row.api_version == api_version && row.kind == kind) return row.change;
  }
  return nullptr;
}

}  // namespace tidemark::cache
