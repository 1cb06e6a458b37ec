// The cells of each built-in kind, in the order of its columns: what `kubectl get` shows of an object. Which kind has which is in
// table_printer.cc.
//
// Thread-safety: pure functions.
// Errors:        none: a missing field, or one of another type, shows what Go's zero value shows.
// Source:        kube-apiserver's answers, and what its printers look at.
#ifndef TIDEMARK_HTTP_TABLE_CELLS_H_
#define TIDEMARK_HTTP_TABLE_CELLS_H_

#include "http/json_view.h"
#include "http/table_row.h"

namespace tidemark::http::cells {

// Of a kind without cells of its own: its name, and when it was created.
void Default(const JsonView& object, TableRow* row);
// Kinds that show nothing else than name and age.
void NameAndAge(const JsonView& object, TableRow* row);

// table_pods.cc
void Pod(const JsonView& pod, TableRow* row);
void PodTemplate(const JsonView& object, TableRow* row);

// table_nodes.cc
void Node(const JsonView& node, TableRow* row);
void RuntimeClass(const JsonView& object, TableRow* row);

// table_core.cc
void ConfigMap(const JsonView& object, TableRow* row);
void Event(const JsonView& event, TableRow* row);
void Lease(const JsonView& lease, TableRow* row);
void Namespace(const JsonView& object, TableRow* row);
void ResourceQuota(const JsonView& quota, TableRow* row);
void Secret(const JsonView& object, TableRow* row);

// table_workloads.cc
void ControllerRevision(const JsonView& object, TableRow* row);
void CronJob(const JsonView& object, TableRow* row);
void DaemonSet(const JsonView& object, TableRow* row);
void Deployment(const JsonView& object, TableRow* row);
void Job(const JsonView& job, TableRow* row);
void PodDisruptionBudget(const JsonView& object, TableRow* row);
void PriorityClass(const JsonView& object, TableRow* row);
void ReplicaSet(const JsonView& object, TableRow* row);
void ReplicationController(const JsonView& object, TableRow* row);
void StatefulSet(const JsonView& object, TableRow* row);

// table_autoscaling.cc
void HorizontalPodAutoscaler(const JsonView& object, TableRow* row);
void Scale(const JsonView& object, TableRow* row);

// table_network.cc
void Endpoints(const JsonView& object, TableRow* row);
void EndpointSlice(const JsonView& object, TableRow* row);
void IPAddress(const JsonView& object, TableRow* row);
void Ingress(const JsonView& object, TableRow* row);
void IngressClass(const JsonView& object, TableRow* row);
void NetworkPolicy(const JsonView& object, TableRow* row);
void Service(const JsonView& service, TableRow* row);
void ServiceCIDR(const JsonView& object, TableRow* row);

// table_storage.cc
void CSIDriver(const JsonView& object, TableRow* row);
void CSINode(const JsonView& object, TableRow* row);
void PersistentVolume(const JsonView& volume, TableRow* row);
void PersistentVolumeClaim(const JsonView& claim, TableRow* row);
void StorageClass(const JsonView& object, TableRow* row);
void VolumeAttachment(const JsonView& object, TableRow* row);
void VolumeAttributesClass(const JsonView& object, TableRow* row);

// table_access.cc
void AdmissionPolicyBinding(const JsonView& object, TableRow* row);
void APIService(const JsonView& service, TableRow* row);
void CertificateSigningRequest(const JsonView& request, TableRow* row);
void FlowSchema(const JsonView& object, TableRow* row);
void MutatingAdmissionPolicy(const JsonView& object, TableRow* row);
void PriorityLevelConfiguration(const JsonView& object, TableRow* row);
void RoleBinding(const JsonView& object, TableRow* row);
void ValidatingAdmissionPolicy(const JsonView& object, TableRow* row);
void WebhookConfiguration(const JsonView& object, TableRow* row);

// table_devices.cc
void ResourceClaim(const JsonView& claim, TableRow* row);
void ResourceSlice(const JsonView& object, TableRow* row);

}  // namespace tidemark::http::cells

#endif  // TIDEMARK_HTTP_TABLE_CELLS_H_
