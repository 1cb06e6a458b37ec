#include "cache/stored_version.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "base/json_slices.h"

namespace tidemark::cache {
namespace {

struct OldVersion {
  absl::string_view api_version;
  absl::string_view todays;
  absl::string_view kinds;  // separated by commas
};

// One message under two names.
constexpr OldVersion kSameMessages[] = {
    {"admissionregistration.k8s.io/v1", "admissionregistration.k8s.io/v1beta1",
     "MutatingAdmissionPolicy,MutatingAdmissionPolicyBinding"},
    {"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1beta1",
     "MutatingAdmissionPolicy,MutatingAdmissionPolicyBinding"},
    {"admissionregistration.k8s.io/v1alpha1", "admissionregistration.k8s.io/v1",
     "ValidatingAdmissionPolicy,ValidatingAdmissionPolicyBinding"},
    {"admissionregistration.k8s.io/v1beta1", "admissionregistration.k8s.io/v1",
     "MutatingWebhookConfiguration,ValidatingAdmissionPolicy,ValidatingAdmissionPolicyBinding,"
     "ValidatingWebhookConfiguration"},
    {"apps/v1beta1", "apps/v1", "ControllerRevision,StatefulSet"},
    {"apps/v1beta2", "apps/v1", "ControllerRevision,Deployment,ReplicaSet,StatefulSet"},
    {"batch/v1beta1", "batch/v1", "CronJob"},
    {"certificates.k8s.io/v1beta1", "certificates.k8s.io/v1", "CertificateSigningRequest"},
    {"coordination.k8s.io/v1beta1", "coordination.k8s.io/v1", "Lease"},
    {"extensions/v1beta1", "networking.k8s.io/v1", "NetworkPolicy"},
    {"extensions/v1beta1", "apps/v1", "ReplicaSet"},
    {"flowcontrol.apiserver.k8s.io/v1beta1", "flowcontrol.apiserver.k8s.io/v1", "FlowSchema"},
    {"flowcontrol.apiserver.k8s.io/v1beta2", "flowcontrol.apiserver.k8s.io/v1", "FlowSchema"},
    {"flowcontrol.apiserver.k8s.io/v1beta3", "flowcontrol.apiserver.k8s.io/v1",
     "FlowSchema,PriorityLevelConfiguration"},
    {"networking.k8s.io/v1beta1", "networking.k8s.io/v1", "IPAddress,IngressClass,ServiceCIDR"},
    {"node.k8s.io/v1beta1", "node.k8s.io/v1", "RuntimeClass"},
    {"policy/v1beta1", "policy/v1", "PodDisruptionBudget"},
    {"rbac.authorization.k8s.io/v1beta1", "rbac.authorization.k8s.io/v1",
     "ClusterRole,ClusterRoleBinding,Role,RoleBinding"},
    {"resource.k8s.io/v1beta1", "resource.k8s.io/v1", "DeviceClass"},
    {"resource.k8s.io/v1beta2", "resource.k8s.io/v1", "DeviceClass,ResourceClaim,ResourceClaimTemplate,ResourceSlice"},
    {"scheduling.k8s.io/v1beta1", "scheduling.k8s.io/v1", "PriorityClass"},
    {"storage.k8s.io/v1alpha1", "storage.k8s.io/v1", "CSIStorageCapacity,VolumeAttachment,VolumeAttributesClass"},
    {"storage.k8s.io/v1beta1", "storage.k8s.io/v1",
     "CSIDriver,CSINode,CSIStorageCapacity,StorageClass,VolumeAttachment,VolumeAttributesClass"},
};

// What kube-apiserver still decodes, and what is another message here.
constexpr OldVersion kOtherMessages[] = {
    {"apps/v1beta1", "apps/v1", "Deployment"},
    {"apps/v1beta2", "apps/v1", "DaemonSet"},
    {"autoscaling/v1", "autoscaling/v2", "HorizontalPodAutoscaler"},
    {"discovery.k8s.io/v1beta1", "discovery.k8s.io/v1", "EndpointSlice"},
    {"events.k8s.io/v1", "v1", "Event"},
    {"events.k8s.io/v1beta1", "v1", "Event"},
    {"extensions/v1beta1", "apps/v1", "DaemonSet,Deployment"},
    {"extensions/v1beta1", "networking.k8s.io/v1", "Ingress"},
    {"flowcontrol.apiserver.k8s.io/v1beta1", "flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"},
    {"flowcontrol.apiserver.k8s.io/v1beta2", "flowcontrol.apiserver.k8s.io/v1", "PriorityLevelConfiguration"},
    {"networking.k8s.io/v1beta1", "networking.k8s.io/v1", "Ingress"},
    {"node.k8s.io/v1alpha1", "node.k8s.io/v1", "RuntimeClass"},
    {"rbac.authorization.k8s.io/v1alpha1", "rbac.authorization.k8s.io/v1",
     "ClusterRole,ClusterRoleBinding,Role,RoleBinding"},
    {"resource.k8s.io/v1beta1", "resource.k8s.io/v1", "ResourceClaim,ResourceClaimTemplate,ResourceSlice"},
};

bool RowNames(const OldVersion& row, absl::string_view api_version, absl::string_view kind, absl::string_view todays) {
  if (row.api_version != api_version || row.todays != todays) return false;
  for (const absl::string_view name : absl::StrSplit(row.kinds, ',')) {
    if (name == kind) return true;
  }
  return false;
}

// A text without escapes, without its quotes.
absl::string_view PlainText(absl::string_view json) {
  return json.size() < 2 || json.front() != '"' ? absl::string_view() : json.substr(1, json.size() - 2);
}

bool IsOtherMessage(absl::string_view api_version, absl::string_view kind, absl::string_view todays) {
  const auto names_it = [&](const OldVersion& row) { return RowNames(row, api_version, kind, todays); };
  return std::any_of(std::begin(kOtherMessages), std::end(kOtherMessages), names_it);
}

constexpr absl::string_view kUntilWritten =
    "; kube-apiserver reads that version, and writes today's once the object is written again";

}  // namespace

absl::Status CheckStoredVersion(absl::string_view api_version, absl::string_view kind,
                                absl::string_view todays_api_version, absl::string_view todays_kind) {
  if (api_version == todays_api_version && kind == todays_kind) return absl::OkStatus();
  absl::string_view why;
  if (kind == todays_kind) {
    for (const OldVersion& row : kSameMessages) {
      if (RowNames(row, api_version, kind, todays_api_version)) return absl::OkStatus();
    }
    why = IsOtherMessage(api_version, kind, todays_api_version) ? kUntilWritten
                                                                : ", which kube-apiserver 1.36 cannot read either";
  }
  return absl::InvalidArgumentError(absl::StrCat("it is stored as ", api_version, " ", kind,
                                                 " in protobuf, and read as ", todays_api_version, " ", todays_kind,
                                                 why));
}

absl::Status CheckStoredJson(absl::string_view json, absl::string_view todays_api_version,
                             absl::string_view todays_kind) {
  const absl::string_view api_version = PlainText(FindJson(json, "apiVersion"));
  if (api_version == todays_api_version) return absl::OkStatus();
  const absl::string_view kind = PlainText(FindJson(json, "kind"));
  if (kind != todays_kind || !IsOtherMessage(api_version, kind, todays_api_version)) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("it is stored as ", api_version, " ", kind, " in JSON, and read as ",
                                                 todays_api_version, " ", todays_kind, kUntilWritten));
}

}  // namespace tidemark::cache
