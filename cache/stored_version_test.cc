#include "cache/stored_version.h"

#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "gtest/gtest.h"
#include "proto/kubernetes_schema.h"

namespace tidemark::cache {
namespace {

using proto::FieldRow;
using proto::MessageType;

// Empty, or the first field that lies elsewhere in the bytes of the two messages. Fields that only one of them has are left out.
class SameBytes {
 public:
  std::string Difference(const MessageType& a, const MessageType& b) {
    if (&a == &b || !seen_.insert({&a, &b}).second) return "";
    if (a.form() != b.form()) return "the form differs";
    for (const FieldRow& field : a.fields()) {
      const size_t at = b.IndexOf(field.number);
      if (at == 0) return absl::StrCat("no field ", field.name());
      const FieldRow& other = b.fields()[at - 1];
      const auto lists = FieldRow::kRepeated | FieldRow::kMap;
      if (field.name() != other.name() || field.kind != other.kind || (field.flags & lists) != (other.flags & lists)) {
        return absl::StrCat(field.name(), " and ", other.name());
      }
      if (field.kind != proto::FieldKind::kMessage) continue;
      const std::string below = Difference(field.message(), other.message());
      if (!below.empty()) return absl::StrCat(field.name(), ": ", below);
    }
    return "";
  }

 private:
  std::set<std::pair<const MessageType*, const MessageType*>> seen_;
};

struct VersionRow {
  const char* api_version;
  const char* kind;
  const char* todays;
};

TEST(StoredVersionTest, OneMessageUnderTwoNames) {
  const VersionRow rows[] = {
      {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicy", "admissionregistration.k8s.io/v1beta1"},
      {"admissionregistration.k8s.io/v1", "MutatingAdmissionPolicyBinding", "admissionregistration.k8s.io/v1beta1"},
      {"admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicy", "admissionregistration.k8s.io/v1beta1"},
      {"admissionregistration.k8s.io/v1alpha1", "MutatingAdmissionPolicyBinding",
       "admissionregistration.k8s.io/v1beta1"},
      {"admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1"},
      {"admissionregistration.k8s.io/v1alpha1", "ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io/v1"},
      {"admissionregistration.k8s.io/v1beta1", "MutatingWebhookConfiguration", "admissionregistration.k8s.io/v1"},
      {"admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicy", "admissionregistration.k8s.io/v1"},
      {"admissionregistration.k8s.io/v1beta1", "ValidatingAdmissionPolicyBinding", "admissionregistration.k8s.io/v1"},
      {"admissionregistration.k8s.io/v1beta1", "ValidatingWebhookConfiguration", "admissionregistration.k8s.io/v1"},
      {"apps/v1beta1", "ControllerRevision", "apps/v1"},
      {"apps/v1beta1", "StatefulSet", "apps/v1"},
      {"apps/v1beta2", "ControllerRevision", "apps/v1"},
      {"apps/v1beta2", "Deployment", "apps/v1"},
      {"apps/v1beta2", "ReplicaSet", "apps/v1"},
      {"apps/v1beta2", "StatefulSet", "apps/v1"},
      {"batch/v1beta1", "CronJob", "batch/v1"},
      {"certificates.k8s.io/v1beta1", "CertificateSigningRequest", "certificates.k8s.io/v1"},
      {"coordination.k8s.io/v1beta1", "Lease", "coordination.k8s.io/v1"},
      {"extensions/v1beta1", "NetworkPolicy", "networking.k8s.io/v1"},
      {"extensions/v1beta1", "ReplicaSet", "apps/v1"},
      {"flowcontrol.apiserver.k8s.io/v1beta1", "FlowSchema", "flowcontrol.apiserver.k8s.io/v1"},
      {"flowcontrol.apiserver.k8s.io/v1beta2", "FlowSchema", "flowcontrol.apiserver.k8s.io/v1"},
      {"flowcontrol.apiserver.k8s.io/v1beta3", "FlowSchema", "flowcontrol.apiserver.k8s.io/v1"},
      {"flowcontrol.apiserver.k8s.io/v1beta3", "PriorityLevelConfiguration", "flowcontrol.apiserver.k8s.io/v1"},
      {"networking.k8s.io/v1beta1", "IPAddress", "networking.k8s.io/v1"},
      {"networking.k8s.io/v1beta1", "IngressClass", "networking.k8s.io/v1"},
      {"networking.k8s.io/v1beta1", "ServiceCIDR", "networking.k8s.io/v1"},
      {"node.k8s.io/v1beta1", "RuntimeClass", "node.k8s.io/v1"},
      {"policy/v1beta1", "PodDisruptionBudget", "policy/v1"},
      {"rbac.authorization.k8s.io/v1beta1", "ClusterRole", "rbac.authorization.k8s.io/v1"},
      {"rbac.authorization.k8s.io/v1beta1", "ClusterRoleBinding", "rbac.authorization.k8s.io/v1"},
      {"rbac.authorization.k8s.io/v1beta1", "Role", "rbac.authorization.k8s.io/v1"},
      {"rbac.authorization.k8s.io/v1beta1", "RoleBinding", "rbac.authorization.k8s.io/v1"},
      {"resource.k8s.io/v1beta1", "DeviceClass", "resource.k8s.io/v1"},
      {"resource.k8s.io/v1beta2", "DeviceClass", "resource.k8s.io/v1"},
      {"resource.k8s.io/v1beta2", "ResourceClaim", "resource.k8s.io/v1"},
      {"resource.k8s.io/v1beta2", "ResourceClaimTemplate", "resource.k8s.io/v1"},
      {"resource.k8s.io/v1beta2", "ResourceSlice", "resource.k8s.io/v1"},
      {"scheduling.k8s.io/v1beta1", "PriorityClass", "scheduling.k8s.io/v1"},
      {"storage.k8s.io/v1alpha1", "CSIStorageCapacity", "storage.k8s.io/v1"},
      {"storage.k8s.io/v1alpha1", "VolumeAttachment", "storage.k8s.io/v1"},
      {"storage.k8s.io/v1alpha1", "VolumeAttributesClass", "storage.k8s.io/v1"},
      {"storage.k8s.io/v1beta1", "CSIDriver", "storage.k8s.io/v1"},
      {"storage.k8s.io/v1beta1", "CSINode", "storage.k8s.io/v1"},
      {"storage.k8s.io/v1beta1", "CSIStorageCapacity", "storage.k8s.io/v1"},
      {"storage.k8s.io/v1beta1", "StorageClass", "storage.k8s.io/v1"},
      {"storage.k8s.io/v1beta1", "VolumeAttachment", "storage.k8s.io/v1"},
      {"storage.k8s.io/v1beta1", "VolumeAttributesClass", "storage.k8s.io/v1"},
  };
  for (const VersionRow& row : rows) {
    EXPECT_TRUE(CheckStoredVersion(row.api_version, row.kind, row.todays, row.kind).ok())
        << row.api_version << row.kind;
    const MessageType* const old = proto::FindKind(row.api_version, row.kind);
    const MessageType* const todays = proto::FindKind(row.todays, row.kind);
    ASSERT_NE(old, nullptr) << row.api_version << row.kind;
    ASSERT_NE(todays, nullptr) << row.todays << row.kind;
    EXPECT_EQ(SameBytes().Difference(*old, *todays), "") << row.api_version << " " << row.kind;
  }
}

TEST(StoredVersionTest, TheCheckOfMessagesFindsDifferences) {
  const auto difference = [](const char* a, const char* b, const char* kind) {
    return SameBytes().Difference(*proto::FindKind(a, kind), *proto::FindKind(b, kind));
  };
  EXPECT_NE(difference("discovery.k8s.io/v1beta1", "discovery.k8s.io/v1", "EndpointSlice"), "");
  EXPECT_NE(difference("networking.k8s.io/v1beta1", "networking.k8s.io/v1", "Ingress"), "");
  EXPECT_NE(difference("autoscaling/v1", "autoscaling/v2", "HorizontalPodAutoscaler"), "");
}

TEST(StoredVersionTest, TheReasonNamesBothVersions) {
  EXPECT_EQ(CheckStoredVersion("autoscaling/v1", "HorizontalPodAutoscaler", "autoscaling/v2", "HorizontalPodAutoscaler")
                .message(),
            "it is stored as autoscaling/v1 HorizontalPodAutoscaler in protobuf, and read as autoscaling/v2 "
            "HorizontalPodAutoscaler; "
            "kube-apiserver reads that version, and writes today's once the object is written again");
  EXPECT_EQ(
      CheckStoredVersion("autoscaling/v2beta2", "HorizontalPodAutoscaler", "autoscaling/v2", "HorizontalPodAutoscaler")
          .message(),
      "it is stored as autoscaling/v2beta2 HorizontalPodAutoscaler in protobuf, and read as autoscaling/v2 "
      "HorizontalPodAutoscaler, which kube-apiserver 1.36 cannot read either");
  EXPECT_EQ(CheckStoredVersion("v1", "Secret", "v1", "ConfigMap").message(),
            "it is stored as v1 Secret in protobuf, and read as v1 ConfigMap");
  EXPECT_FALSE(CheckStoredVersion("batch/v1beta1", "Job", "batch/v1", "Job").ok());
  EXPECT_FALSE(CheckStoredVersion("batch/v1beta1", "CronJob", "batch/v2", "CronJob").ok());
  EXPECT_TRUE(CheckStoredVersion("v1", "Pod", "v1", "Pod").ok());
}

TEST(StoredVersionTest, JsonThatIsAnotherMessageIsFound) {
  constexpr char kKind[] = "HorizontalPodAutoscaler";
  const auto check = [&](const char* json) { return CheckStoredJson(json, "autoscaling/v2", kKind); };
  EXPECT_EQ(check(R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v1","spec":{}})").message(),
            "it is stored as autoscaling/v1 HorizontalPodAutoscaler in JSON, and read as autoscaling/v2 "
            "HorizontalPodAutoscaler; "
            "kube-apiserver reads that version, and writes today's once the object is written again");
  EXPECT_FALSE(check(R"({"spec":{},"kind":"HorizontalPodAutoscaler" , "apiVersion" : "autoscaling/v1"})").ok());
  for (const char* json :
       {R"({"kind":"HorizontalPodAutoscaler","apiVersion":"autoscaling/v2"})", R"({"metadata":{}})",
        R"({"kind":"X","apiVersion":"autoscaling/v1"})", R"({"kind":1,"apiVersion":[]})", "{}", "", "["}) {
    EXPECT_TRUE(check(json).ok()) << json;
  }
}

}  // namespace
}  // namespace tidemark::cache
