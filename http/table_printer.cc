#include "http/table_printer.h"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "base/check.h"
#include "http/kubernetes_column_rows.h"
#include "http/table_cells.h"

namespace tidemark::http {
namespace {

using KindName = std::pair<absl::string_view, absl::string_view>;  // group and kind

struct KindCells {
  absl::string_view group;
  absl::string_view kind;
  TablePrinter::Cells cells;
};

constexpr absl::string_view kAdmission = "admissionregistration.k8s.io";
constexpr absl::string_view kFlowControl = "flowcontrol.apiserver.k8s.io";
constexpr absl::string_view kNetworking = "networking.k8s.io";
constexpr absl::string_view kRbac = "rbac.authorization.k8s.io";
constexpr absl::string_view kDevices = "resource.k8s.io";
constexpr absl::string_view kStorage = "storage.k8s.io";

constexpr KindCells kKindCells[] = {
    {"", "", cells::Default},
    {"", "ConfigMap", cells::ConfigMap},
    {"", "Endpoints", cells::Endpoints},
    {"", "Event", cells::Event},
    {"", "Namespace", cells::Namespace},
    {"", "Node", cells::Node},
    {"", "PersistentVolume", cells::PersistentVolume},
    {"", "PersistentVolumeClaim", cells::PersistentVolumeClaim},
    {"", "Pod", cells::Pod},
    {"", "PodTemplate", cells::PodTemplate},
    {"", "ReplicationController", cells::ReplicationController},
    {"", "ResourceQuota", cells::ResourceQuota},
    {"", "Secret", cells::Secret},
    {"", "Service", cells::Service},
    {"", "ServiceAccount", cells::NameAndAge},
    {kAdmission, "MutatingAdmissionPolicy", cells::MutatingAdmissionPolicy},
    {kAdmission, "MutatingAdmissionPolicyBinding", cells::AdmissionPolicyBinding},
    {kAdmission, "MutatingWebhookConfiguration", cells::WebhookConfiguration},
    {kAdmission, "ValidatingAdmissionPolicy", cells::ValidatingAdmissionPolicy},
    {kAdmission, "ValidatingAdmissionPolicyBinding", cells::AdmissionPolicyBinding},
    {kAdmission, "ValidatingWebhookConfiguration", cells::WebhookConfiguration},
    {"apiregistration.k8s.io", "APIService", cells::APIService},
    {"apps", "ControllerRevision", cells::ControllerRevision},
    {"apps", "DaemonSet", cells::DaemonSet},
    {"apps", "Deployment", cells::Deployment},
    {"apps", "ReplicaSet", cells::ReplicaSet},
    {"apps", "StatefulSet", cells::StatefulSet},
    {"autoscaling", "HorizontalPodAutoscaler", cells::HorizontalPodAutoscaler},
    {"autoscaling", "Scale", cells::Scale},
    {"batch", "CronJob", cells::CronJob},
    {"batch", "Job", cells::Job},
    {"certificates.k8s.io", "CertificateSigningRequest", cells::CertificateSigningRequest},
    {"coordination.k8s.io", "Lease", cells::Lease},
    {"discovery.k8s.io", "EndpointSlice", cells::EndpointSlice},
    {kFlowControl, "FlowSchema", cells::FlowSchema},
    {kFlowControl, "PriorityLevelConfiguration", cells::PriorityLevelConfiguration},
    {kNetworking, "IPAddress", cells::IPAddress},
    {kNetworking, "Ingress", cells::Ingress},
    {kNetworking, "IngressClass", cells::IngressClass},
    {kNetworking, "NetworkPolicy", cells::NetworkPolicy},
    {kNetworking, "ServiceCIDR", cells::ServiceCIDR},
    {"node.k8s.io", "RuntimeClass", cells::RuntimeClass},
    {"policy", "PodDisruptionBudget", cells::PodDisruptionBudget},
    {kRbac, "ClusterRoleBinding", cells::RoleBinding},
    {kRbac, "RoleBinding", cells::RoleBinding},
    {kDevices, "DeviceClass", cells::NameAndAge},
    {kDevices, "ResourceClaim", cells::ResourceClaim},
    {kDevices, "ResourceClaimTemplate", cells::NameAndAge},
    {kDevices, "ResourceSlice", cells::ResourceSlice},
    {"scheduling.k8s.io", "PriorityClass", cells::PriorityClass},
    {kStorage, "CSIDriver", cells::CSIDriver},
    {kStorage, "CSINode", cells::CSINode},
    {kStorage, "StorageClass", cells::StorageClass},
    {kStorage, "VolumeAttachment", cells::VolumeAttachment},
    {kStorage, "VolumeAttributesClass", cells::VolumeAttributesClass},
};

// One printer for each row of columns, in their order.
std::vector<TablePrinter> MakePrinters() {
  TM_CHECK(std::size(kKindCells) == kKindColumnsRowCount) << "cells and columns are of different kinds";
  std::vector<TablePrinter> printers;
  printers.reserve(kKindColumnsRowCount);
  for (size_t i = 0; i < kKindColumnsRowCount; ++i) {
    const KindColumnsRow& row = kKindColumnsRows[i];
    TM_CHECK(kKindCells[i].group == row.group && kKindCells[i].kind == row.kind)
        << "row " << i << " of the columns is of " << row.kind << ", and of the cells is of " << kKindCells[i].kind;
    printers.emplace_back(row, kKindCells[i].cells);
  }
  return printers;
}

}  // namespace

TablePrinter::TablePrinter(const KindColumnsRow& kind, Cells cells) : kind_(&kind), cells_(cells) {
  const absl::Span<const ColumnRow> rows(kColumnRows + kind.first, kind.count);
  for (const ColumnRow& row : rows) {
    columns_.push_back({row.name, row.type, row.format, row.description, row.priority});
  }
}

const TablePrinter& TablePrinter::Of(absl::string_view group, absl::string_view kind) {
  static const std::vector<TablePrinter>* const printers = new std::vector<TablePrinter>(MakePrinters());
  const auto before = [](const TablePrinter& printer, const KindName& name) {
    return KindName(printer.kind_->group, printer.kind_->kind) < name;
  };
  const auto found = std::lower_bound(printers->begin(), printers->end(), KindName(group, kind), before);
  const bool is_there = found != printers->end() && found->kind_->group == group && found->kind_->kind == kind;
  return is_there ? *found : printers->front();
}

void TablePrinter::AppendRow(const JsonView& object, absl::Time now, std::string* out) const {
  TableRow row(now, out);
  cells_(object, &row);
  row.Finish();
}

}  // namespace tidemark::http
