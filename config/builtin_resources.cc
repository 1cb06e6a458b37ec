#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"
#include "base/check.h"
#include "config/resource.h"

namespace tidemark::config {
namespace {

enum Scope { kNamespaced, kCluster };

// The singular name is the kind in lower case. Lists are separated by commas. events.k8s.io is a second name for the core
// events (other_versions.cc); what is not stored has a table of its own (unstored_resources.cc).
struct ResourceRow {
  absl::string_view group;
  absl::string_view version;
  absl::string_view kind;
  absl::string_view plural;
  Scope scope;
  absl::string_view short_names = "";
  absl::string_view categories = "";
  absl::string_view prefix = "";          // empty: the plural
  absl::string_view stored_version = "";  // of the same group; empty: the served one
};

constexpr ResourceRow kResources[] = {
    {"", "v1", "ConfigMap", "configmaps", kNamespaced, "cm"},
    {"", "v1", "Endpoints", "endpoints", kNamespaced, "ep", "", "services/endpoints"},
    {"", "v1", "Event", "events", kNamespaced, "ev"},
    {"", "v1", "LimitRange", "limitranges", kNamespaced, "limits"},
    {"", "v1", "Namespace", "namespaces", kCluster, "ns"},
    {"", "v1", "Node", "nodes", kCluster, "no", "", "minions"},
    {"", "v1", "PersistentVolumeClaim", "persistentvolumeclaims", kNamespaced, "pvc"},
    {"", "v1", "PersistentVolume", "persistentvolumes", kCluster, "pv"},
    {"", "v1", "Pod", "pods", kNamespaced, "po", "all"},
    {"", "v1", "PodTemplate", "podtemplates", kNamespaced},
    {"", "v1", "ReplicationController", "replicationcontrollers", kNamespaced, "rc", "all", "controllers"},
    {"", "v1", "ResourceQuota", "resourcequotas", kNamespaced, "quota"},
    {"", "v1", "Secret", "secrets", kNamespaced},
    {"", "v1", "ServiceAccount", "serviceaccounts", kNamespaced, "sa"},
    {"", "v1", "Service", "services", kNamespaced, "svc", "all", "services/specs"},
    {"admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicy", "mutatingadmissionpolicies", kCluster, "",
     "api-extensions", "", "v1beta1"},
    {"admissionregistration.k8s.io", "v1", "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings",
     kCluster, "", "api-extensions", "", "v1beta1"},
    {"admissionregistration.k8s.io", "v1", "MutatingWebhookConfiguration", "mutatingwebhookconfigurations", kCluster,
     "", "api-extensions"},
    {"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicy", "validatingadmissionpolicies", kCluster, "",
     "api-extensions"},
    {"admissionregistration.k8s.io", "v1", "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings",
     kCluster, "", "api-extensions"},
    {"admissionregistration.k8s.io", "v1", "ValidatingWebhookConfiguration", "validatingwebhookconfigurations",
     kCluster, "", "api-extensions"},
    {"apiextensions.k8s.io", "v1", "CustomResourceDefinition", "customresourcedefinitions", kCluster, "crd,crds",
     "api-extensions", "apiextensions.k8s.io/customresourcedefinitions"},
    {"apiregistration.k8s.io", "v1", "APIService", "apiservices", kCluster, "", "api-extensions",
     "apiregistration.k8s.io/apiservices"},
    {"apps", "v1", "ControllerRevision", "controllerrevisions", kNamespaced},
    {"apps", "v1", "DaemonSet", "daemonsets", kNamespaced, "ds", "all"},
    {"apps", "v1", "Deployment", "deployments", kNamespaced, "deploy", "all"},
    {"apps", "v1", "ReplicaSet", "replicasets", kNamespaced, "rs", "all"},
    {"apps", "v1", "StatefulSet", "statefulsets", kNamespaced, "sts", "all"},
    {"autoscaling", "v2", "HorizontalPodAutoscaler", "horizontalpodautoscalers", kNamespaced, "hpa", "all"},
    {"batch", "v1", "CronJob", "cronjobs", kNamespaced, "cj", "all"},
    {"batch", "v1", "Job", "jobs", kNamespaced, "", "all"},
    {"certificates.k8s.io", "v1", "CertificateSigningRequest", "certificatesigningrequests", kCluster, "csr"},
    {"coordination.k8s.io", "v1", "Lease", "leases", kNamespaced},
    {"discovery.k8s.io", "v1", "EndpointSlice", "endpointslices", kNamespaced},
    {"flowcontrol.apiserver.k8s.io", "v1", "FlowSchema", "flowschemas", kCluster},
    {"flowcontrol.apiserver.k8s.io", "v1", "PriorityLevelConfiguration", "prioritylevelconfigurations", kCluster},
    {"networking.k8s.io", "v1", "IngressClass", "ingressclasses", kCluster},
    {"networking.k8s.io", "v1", "Ingress", "ingresses", kNamespaced, "ing", "", "ingress"},
    {"networking.k8s.io", "v1", "IPAddress", "ipaddresses", kCluster, "ip"},
    {"networking.k8s.io", "v1", "NetworkPolicy", "networkpolicies", kNamespaced, "netpol"},
    {"networking.k8s.io", "v1", "ServiceCIDR", "servicecidrs", kCluster},
    {"node.k8s.io", "v1", "RuntimeClass", "runtimeclasses", kCluster},
    {"policy", "v1", "PodDisruptionBudget", "poddisruptionbudgets", kNamespaced, "pdb"},
    {"rbac.authorization.k8s.io", "v1", "ClusterRoleBinding", "clusterrolebindings", kCluster},
    {"rbac.authorization.k8s.io", "v1", "ClusterRole", "clusterroles", kCluster},
    {"rbac.authorization.k8s.io", "v1", "RoleBinding", "rolebindings", kNamespaced},
    {"rbac.authorization.k8s.io", "v1", "Role", "roles", kNamespaced},
    {"resource.k8s.io", "v1", "DeviceClass", "deviceclasses", kCluster},
    {"resource.k8s.io", "v1", "ResourceClaim", "resourceclaims", kNamespaced},
    {"resource.k8s.io", "v1", "ResourceClaimTemplate", "resourceclaimtemplates", kNamespaced},
    {"resource.k8s.io", "v1", "ResourceSlice", "resourceslices", kCluster},
    {"scheduling.k8s.io", "v1", "PriorityClass", "priorityclasses", kCluster, "pc"},
    {"storage.k8s.io", "v1", "CSIDriver", "csidrivers", kCluster},
    {"storage.k8s.io", "v1", "CSINode", "csinodes", kCluster},
    {"storage.k8s.io", "v1", "CSIStorageCapacity", "csistoragecapacities", kNamespaced},
    {"storage.k8s.io", "v1", "StorageClass", "storageclasses", kCluster, "sc"},
    {"storage.k8s.io", "v1", "VolumeAttachment", "volumeattachments", kCluster},
    {"storage.k8s.io", "v1", "VolumeAttributesClass", "volumeattributesclasses", kCluster, "vac"},
};

struct FieldRow {
  absl::string_view group;
  absl::string_view plural;
  UnknownFieldError error;
  std::vector<SelectableField> fields;
};

// Booleans and numbers that are left out of the stored object when they are zero compare as that zero.
const std::vector<FieldRow>& Fields() {
  static const std::vector<FieldRow>* const rows = new std::vector<FieldRow>{
      {"",
       "pods",
       UnknownFieldError::kNotSupported,
       {{"spec.nodeName", "spec.nodeName"},
        {"spec.host", "spec.nodeName", false},  // the old name of spec.nodeName, answered by its index
        {"spec.restartPolicy", "spec.restartPolicy"},
        {"spec.schedulerName", "spec.schedulerName"},
        {"spec.serviceAccountName", "spec.serviceAccountName"},
        {"spec.hostNetwork", "spec.hostNetwork", true, "false"},
        {"status.phase", "status.phase"},
        {"status.podIP", "status.podIP"},
        {"status.podIPs", "", false},  // accepted, and always ""
        {"status.nominatedNodeName", "status.nominatedNodeName"}}},
      {"", "nodes", UnknownFieldError::kNotSupported, {{"spec.unschedulable", "spec.unschedulable", true, "false"}}},
      {"",
       "events",
       UnknownFieldError::kNotSupported,
       {{"involvedObject.kind", "involvedObject.kind"},
        {"involvedObject.namespace", "involvedObject.namespace"},
        {"involvedObject.name", "involvedObject.name"},
        {"involvedObject.uid", "involvedObject.uid", false},
        {"involvedObject.apiVersion", "involvedObject.apiVersion"},
        {"involvedObject.resourceVersion", "involvedObject.resourceVersion", false},
        {"involvedObject.fieldPath", "involvedObject.fieldPath"},
        {"reason", "reason"},
        {"reportingComponent", "reportingComponent"},
        {"source", "source.component", true, "", "reportingComponent"},
        {"type", "type"}}},
      {"", "namespaces", UnknownFieldError::kNotSupported, {{"status.phase", "status.phase"}}},
      {"", "secrets", UnknownFieldError::kNotSupported, {{"type", "type"}}},
      {"",
       "services",
       UnknownFieldError::kNotSupported,
       {{"spec.clusterIP", "spec.clusterIP"}, {"spec.type", "spec.type"}}},
      {"",
       "replicationcontrollers",
       UnknownFieldError::kNotSupported,
       {{"status.replicas", "status.replicas", true, "0"}}},
      {"batch", "jobs", UnknownFieldError::kForKind, {{"status.successful", "status.succeeded", true, "0"}}},
      {"certificates.k8s.io",
       "certificatesigningrequests",
       UnknownFieldError::kNotSupported,
       {{"spec.signerName", "spec.signerName"}}},
      {"resource.k8s.io",
       "resourceslices",
       UnknownFieldError::kForGroupKind,
       {{"spec.nodeName", "spec.nodeName"}, {"spec.driver", "spec.driver"}}},
  };
  return *rows;
}

struct SubresourceRow {
  absl::string_view group;
  absl::string_view plural;
  absl::string_view name;
  absl::string_view kind;
  absl::string_view verbs;
};

constexpr SubresourceRow kSubresources[] = {
    {"", "namespaces", "finalize", "Namespace", "update"},
    {"", "namespaces", "status", "Namespace", "get,patch,update"},
    {"", "nodes", "proxy", "NodeProxyOptions", "create,delete,get,patch,update"},
    {"", "nodes", "status", "Node", "get,patch,update"},
    {"", "persistentvolumeclaims", "status", "PersistentVolumeClaim", "get,patch,update"},
    {"", "persistentvolumes", "status", "PersistentVolume", "get,patch,update"},
    {"", "pods", "attach", "PodAttachOptions", "create,get"},
    {"", "pods", "binding", "Binding", "create"},
    {"", "pods", "ephemeralcontainers", "Pod", "get,patch,update"},
    {"", "pods", "eviction", "Eviction", "create"},
    {"", "pods", "exec", "PodExecOptions", "create,get"},
    {"", "pods", "log", "Pod", "get"},
    {"", "pods", "portforward", "PodPortForwardOptions", "create,get"},
    {"", "pods", "proxy", "PodProxyOptions", "create,delete,get,patch,update"},
    {"", "pods", "resize", "Pod", "get,patch,update"},
    {"", "pods", "status", "Pod", "get,patch,update"},
    {"", "replicationcontrollers", "scale", "Scale", "get,patch,update"},
    {"", "replicationcontrollers", "status", "ReplicationController", "get,patch,update"},
    {"", "resourcequotas", "status", "ResourceQuota", "get,patch,update"},
    {"", "serviceaccounts", "token", "TokenRequest", "create"},
    {"", "services", "proxy", "ServiceProxyOptions", "create,delete,get,patch,update"},
    {"", "services", "status", "Service", "get,patch,update"},
    {"admissionregistration.k8s.io", "validatingadmissionpolicies", "status", "ValidatingAdmissionPolicy",
     "get,patch,update"},
    {"apiextensions.k8s.io", "customresourcedefinitions", "status", "CustomResourceDefinition", "get,patch,update"},
    {"apiregistration.k8s.io", "apiservices", "status", "APIService", "get,patch,update"},
    {"apps", "daemonsets", "status", "DaemonSet", "get,patch,update"},
    {"apps", "deployments", "scale", "Scale", "get,patch,update"},
    {"apps", "deployments", "status", "Deployment", "get,patch,update"},
    {"apps", "replicasets", "scale", "Scale", "get,patch,update"},
    {"apps", "replicasets", "status", "ReplicaSet", "get,patch,update"},
    {"apps", "statefulsets", "scale", "Scale", "get,patch,update"},
    {"apps", "statefulsets", "status", "StatefulSet", "get,patch,update"},
    {"autoscaling", "horizontalpodautoscalers", "status", "HorizontalPodAutoscaler", "get,patch,update"},
    {"batch", "cronjobs", "status", "CronJob", "get,patch,update"},
    {"batch", "jobs", "status", "Job", "get,patch,update"},
    {"certificates.k8s.io", "certificatesigningrequests", "approval", "CertificateSigningRequest", "get,patch,update"},
    {"certificates.k8s.io", "certificatesigningrequests", "status", "CertificateSigningRequest", "get,patch,update"},
    {"flowcontrol.apiserver.k8s.io", "flowschemas", "status", "FlowSchema", "get,patch,update"},
    {"flowcontrol.apiserver.k8s.io", "prioritylevelconfigurations", "status", "PriorityLevelConfiguration",
     "get,patch,update"},
    {"networking.k8s.io", "ingresses", "status", "Ingress", "get,patch,update"},
    {"networking.k8s.io", "servicecidrs", "status", "ServiceCIDR", "get,patch,update"},
    {"policy", "poddisruptionbudgets", "status", "PodDisruptionBudget", "get,patch,update"},
    {"resource.k8s.io", "resourceclaims", "status", "ResourceClaim", "get,patch,update"},
    {"storage.k8s.io", "volumeattachments", "status", "VolumeAttachment", "get,patch,update"},
};

std::vector<std::string> SplitList(absl::string_view list) { return absl::StrSplit(list, ',', absl::SkipEmpty()); }

Resource MakeResource(const ResourceRow& row) {
  Resource resource;
  resource.group = std::string(row.group);
  resource.version = std::string(row.version);
  if (!row.stored_version.empty()) {
    resource.stored_group = resource.group;
    resource.stored_version = std::string(row.stored_version);
  }
  resource.kind = std::string(row.kind);
  resource.plural = std::string(row.plural);
  resource.singular = absl::AsciiStrToLower(row.kind);
  resource.short_names = SplitList(row.short_names);
  resource.categories = SplitList(row.categories);
  resource.namespaced = row.scope == kNamespaced;
  resource.prefix = std::string(row.prefix.empty() ? row.plural : row.prefix);
  return resource;
}

Resource* Find(std::vector<Resource>* resources, absl::string_view group, absl::string_view plural) {
  for (Resource& resource : *resources) {
    if (resource.group == group && resource.plural == plural) return &resource;
  }
  TM_CHECK(false) << "no resource " << plural << " in group " << group;
  return nullptr;
}

std::vector<Resource> MakeTable() {
  std::vector<Resource> table;
  for (const ResourceRow& row : kResources) table.push_back(MakeResource(row));
  for (const FieldRow& row : Fields()) {
    Resource* const resource = Find(&table, row.group, row.plural);
    resource->fields = row.fields;
    resource->unknown_field_error = row.error;
  }
  for (const SubresourceRow& row : kSubresources) {
    Find(&table, row.group, row.plural)
        ->subresources.push_back({std::string(row.name), std::string(row.kind), SplitList(row.verbs)});
  }
  return table;
}

}  // namespace

const std::vector<Resource>& BuiltinResources() {
  static const std::vector<Resource>* const table = new std::vector<Resource>(MakeTable());
  return *table;
}

}  // namespace tidemark::config
