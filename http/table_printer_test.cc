#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "absl/strings/str_cat.h"
#include "http/table_fixture.h"

namespace tidemark::http {
namespace {

// One row of each kind, as a kube-apiserver was seen to answer it.
const TableCase kRecorded[] = {
    {"recorded", "", "ConfigMap",
     R"({"metadata":{"name":"t1","creationTimestamp":"2023-12-31T23:56:42Z"},"data":{"num":"1"}})",
     R"("cells":["t1",1,"2y325d"])"},
    {"recorded", "", "Endpoints",
     R"({"metadata":{"name":"svc","creationTimestamp":"2026-11-21T00:59:56Z"},
      "subsets":[{"addresses":[{"ip":"10.9.0.4"}],"ports":[{"port":8080}]}]})",
     R"("cells":["svc","10.9.0.4:8080","4s"])"},
    {"recorded", "", "Event",
     R"({"metadata":{"name":"ev-new"},"involvedObject":{"kind":"Pod","name":"rich"},"reason":"Scheduled",
      "message":"told","type":"Normal","eventTime":"2024-01-01T00:06:34.123456Z","series":{"count":2,
      "lastObservedTime":"2024-01-01T00:07:34.000001Z"},"reportingComponent":"scheduler",
      "reportingInstance":"s-1"})",
     R"("cells":["2y325d","Normal","Scheduled","pod/rich","","scheduler, s-1","told","2y325d",2,"ev-new"])"},
    {"recorded", "", "LimitRange", R"({"metadata":{"name":"lr","creationTimestamp":"2026-11-21T00:53:26Z"}})",
     R"("cells":["lr","2026-11-21T00:53:26Z"])"},
    {"recorded", "", "Namespace",
     R"({"metadata":{"name":"default","creationTimestamp":"2026-11-21T00:59:56Z"},"status":{"phase":"Active"}})",
     R"("cells":["default","Active","4s"])"},
    {"recorded", "", "Node",
     R"({"metadata":{"name":"node-1","creationTimestamp":"2026-11-21T00:59:48Z",
      "labels":{"node-role.kubernetes.io/worker":""}},"status":{"conditions":[{"type":"Ready","status":"True"}],
      "addresses":[{"type":"InternalIP","address":"192.0.2.10"},{"type":"ExternalIP","address":"198.51.100.7"}],
      "nodeInfo":{"kernelVersion":"6.1","osImage":"Linux","containerRuntimeVersion":"containerd://2.0",
      "kubeletVersion":"v1.36.3","architecture":"amd64"}}})",
     R"("cells":["node-1","Ready","worker","12s","v1.36.3","192.0.2.10","198.51.100.7","Linux",)"
     R"x("6.1 (amd64)","containerd://2.0"])x"},
    {"recorded", "", "PersistentVolume",
     R"({"metadata":{"name":"pv","creationTimestamp":"2026-11-21T00:59:56Z"},
      "spec":{"capacity":{"storage":"10Gi"},"accessModes":["ReadWriteOnce","ReadOnlyMany"],
      "persistentVolumeReclaimPolicy":"Retain","storageClassName":"slow","volumeMode":"Filesystem"},
      "status":{"phase":"Pending"}})",
     R"("cells":["pv","10Gi","RWO,ROX","Retain","Pending","","slow","\u003cunset\u003e","","4s","Filesystem"])"},
    {"recorded", "", "PersistentVolumeClaim",
     R"({"metadata":{"name":"pvc","creationTimestamp":"2026-11-21T00:59:56Z"},"spec":{"volumeName":"pv",
      "storageClassName":"slow","volumeMode":"Filesystem"},"status":{"phase":"Bound",
      "accessModes":["ReadWriteOnce"],"capacity":{"storage":"10Gi"}}})",
     R"("cells":["pvc","Bound","pv","10Gi","RWO","slow","\u003cunset\u003e","4s","Filesystem"])"},
    {"recorded", "", "Pod",
     R"({"metadata":{"name":"run","creationTimestamp":"2026-11-21T00:59:50Z"},"spec":{"containers":[{},{}],
      "nodeName":"node-1","readinessGates":[{"conditionType":"example.com/ready"}]},"status":{"phase":"Running",
      "conditions":[{"type":"example.com/ready","status":"True"}],"podIPs":[{"ip":"10.2.0.5"}],
      "containerStatuses":[{"state":{"running":{}},
      "lastState":{"terminated":{"finishedAt":"2023-12-31T23:49:58Z"}},"ready":true,"restartCount":2},
      {"state":{"running":{}},"ready":true}]}})",
     R"x("cells":["run","2/2","Running","2 (2y325d ago)","10s","10.2.0.5","node-1","\u003cnone\u003e","1/1"])x"},
    {"recorded", "", "PodTemplate",
     R"({"metadata":{"name":"pt"},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c",
      "image":"i"}]}}})",
     R"("cells":["pt","c","i","a=b"])"},
    {"recorded", "", "ReplicationController",
     R"({"metadata":{"name":"rc","creationTimestamp":"2026-11-21T00:59:56Z"},"spec":{"selector":{"a":"b"},
      "template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}})",
     R"("cells":["rc",0,0,0,"4s","c","i","a=b"])"},
    {"recorded", "", "ResourceQuota",
     R"({"metadata":{"name":"rq","creationTimestamp":"2026-11-21T00:59:56Z"},"status":{"hard":{"pods":"10"},
      "used":{"pods":"1"}}})",
     R"("cells":["rq","pods: 1/10","","4s"])"},
    {"recorded", "", "Secret",
     R"({"metadata":{"name":"sec","creationTimestamp":"2026-11-21T00:59:56Z"},"data":{"tls.crt":"Y2VydA==",
      "tls.key":"a2V5"},"type":"kubernetes.io/tls"})",
     R"("cells":["sec","kubernetes.io/tls",2,"4s"])"},
    {"recorded", "", "Service",
     R"({"metadata":{"name":"svc","creationTimestamp":"2026-11-21T00:59:56Z"},"spec":{"ports":[{"protocol":"TCP",
      "port":80,"nodePort":30080},{"protocol":"UDP","port":53,"nodePort":30053}],"selector":{"app":"a"},
      "clusterIPs":["10.0.0.70"],"type":"LoadBalancer"},
      "status":{"loadBalancer":{"ingress":[{"ip":"203.0.113.5"}]}}})",
     R"("cells":["svc","LoadBalancer","10.0.0.70","203.0.113.5","80:30080/TCP,53:30053/UDP","4s","app=a"])"},
    {"recorded", "", "ServiceAccount", R"({"metadata":{"name":"sa","creationTimestamp":"2026-11-21T00:59:56Z"}})",
     R"("cells":["sa","4s"])"},
    {"recorded", "admissionregistration.k8s.io", "MutatingWebhookConfiguration",
     R"({"metadata":{"name":"mwc","creationTimestamp":"2026-11-21T00:59:57Z"},"webhooks":[{}]})",
     R"("cells":["mwc",1,"3s"])"},
    {"recorded", "admissionregistration.k8s.io", "ValidatingAdmissionPolicy",
     R"({"metadata":{"name":"vap","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"validations":[{}]}})",
     R"("cells":["vap",1,"\u003cunset\u003e","3s"])"},
    {"recorded", "admissionregistration.k8s.io", "ValidatingAdmissionPolicyBinding",
     R"({"metadata":{"name":"vapb","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"policyName":"vap"}})",
     R"("cells":["vapb","vap","\u003cunset\u003e","3s"])"},
    {"recorded", "admissionregistration.k8s.io", "ValidatingWebhookConfiguration",
     R"({"metadata":{"name":"vwc","creationTimestamp":"2026-11-21T00:59:57Z"},"webhooks":[{}]})",
     R"("cells":["vwc",1,"3s"])"},
    {"recorded", "apiextensions.k8s.io", "CustomResourceDefinition",
     R"({"metadata":{"name":"widgets.shop.example.com","creationTimestamp":"2026-11-21T00:56:03Z"}})",
     R"("cells":["widgets.shop.example.com","2026-11-21T00:56:03Z"])"},
    {"recorded", "apiregistration.k8s.io", "APIService",
     R"({"metadata":{"name":"v1.absent.example.com","creationTimestamp":"2026-11-21T00:59:57Z"},
      "spec":{"service":{"namespace":"zoo","name":"none"}},"status":{"conditions":[{"type":"Available",
      "status":"False","reason":"ServiceNotFound"}]}})",
     R"x("cells":["v1.absent.example.com","zoo/none","False (ServiceNotFound)","3s"])x"},
    {"recorded", "apps", "ControllerRevision",
     R"({"metadata":{"name":"cr","creationTimestamp":"2026-11-21T00:59:57Z"},"revision":7})",
     R"("cells":["cr","\u003cnone\u003e",7,"3s"])"},
    {"recorded", "apps", "DaemonSet",
     R"({"metadata":{"name":"ds","creationTimestamp":"2026-11-21T00:59:57Z"},
      "spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[{"name":"c","image":"i"}],
      "nodeSelector":{"disk":"ssd"}}}},"status":{"currentNumberScheduled":1,"desiredNumberScheduled":2,
      "numberReady":1}})",
     R"("cells":["ds",2,1,1,0,0,"disk=ssd","3s","c","i","a=b"])"},
    {"recorded", "apps", "Deployment",
     R"({"metadata":{"name":"dep","creationTimestamp":"2026-11-21T00:59:47Z"},"spec":{"replicas":3,
      "selector":{"matchLabels":{"app":"web"}},"template":{"spec":{"containers":[{"name":"c","image":"i:1"},
      {"name":"d","image":"i:2"}]}}},"status":{"updatedReplicas":3,"readyReplicas":2,"availableReplicas":1}})",
     R"("cells":["dep","2/3",3,1,"13s","c,d","i:1,i:2","app=web"])"},
    {"recorded", "apps", "ReplicaSet",
     R"({"metadata":{"name":"rs","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"replicas":3,
      "selector":{"matchLabels":{"a":"b"}},"template":{"spec":{"containers":[{"name":"c","image":"i"}]}}},
      "status":{"replicas":3,"readyReplicas":2}})",
     R"("cells":["rs",3,3,2,"3s","c","i","a=b"])"},
    {"recorded", "apps", "StatefulSet",
     R"({"metadata":{"name":"sts","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"replicas":2,
      "template":{"spec":{"containers":[{"name":"c","image":"i"}]}}},"status":{"readyReplicas":1}})",
     R"("cells":["sts","1/2","3s","c","i"])"},
    {"recorded", "autoscaling", "HorizontalPodAutoscaler",
     R"({"metadata":{"name":"hpa","creationTimestamp":"2026-11-21T00:59:57Z"},
      "spec":{"scaleTargetRef":{"kind":"Deployment","name":"dep"},"minReplicas":1,"maxReplicas":5,
      "metrics":[{"type":"Resource","resource":{"name":"cpu","target":{"averageUtilization":60}}},
      {"type":"Pods","pods":{"target":{"averageValue":"100m"}}}]}})",
     R"("cells":["hpa","Deployment/dep","cpu: \u003cunknown\u003e/60%, \u003cunknown\u003e/100m","1",5,0,"3s"])"},
    {"recorded", "batch", "CronJob",
     R"({"metadata":{"name":"cron","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"schedule":"*/5 * * * *",
      "timeZone":"Etc/UTC","suspend":false,"jobTemplate":{"spec":{"template":{"spec":{"containers":[{"name":"c",
      "image":"i"}]}}}}},"status":{"active":[{}],"lastScheduleTime":"2024-01-01T00:06:30Z"}})",
     R"("cells":["cron","*/5 * * * *","Etc/UTC","False",1,"2y325d","3s","c","i","\u003cnone\u003e"])"},
    {"recorded", "batch", "Job",
     R"({"metadata":{"name":"job","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"completions":2,
      "selector":{"matchLabels":{"batch.kubernetes.io/controller-uid":"b6c04cb1-1a67-4713-b038-8d359c01a5c8"}},
      "template":{"spec":{"containers":[{"name":"c","image":"i"}]}}}})",
     R"("cells":["job","Running","0/2","","3s","c","i",)"
     R"("batch.kubernetes.io/controller-uid=b6c04cb1-1a67-4713-b038-8d359c01a5c8"])"},
    {"recorded", "coordination.k8s.io", "Lease",
     R"({"metadata":{"name":"lease","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"holderIdentity":"me"}})",
     R"("cells":["lease","me","3s"])"},
    {"recorded", "discovery.k8s.io", "EndpointSlice",
     R"({"metadata":{"name":"slice","creationTimestamp":"2026-11-21T00:59:57Z"},"addressType":"IPv4",
      "endpoints":[{"addresses":["10.9.0.4"]}],"ports":[{"port":80}]})",
     R"("cells":["slice","IPv4","80","10.9.0.4","3s"])"},
    {"recorded", "", "Event",
     R"({"metadata":{"name":"ev-new"},"involvedObject":{"kind":"Pod","name":"rich"},"reason":"Scheduled",
      "message":"told","type":"Normal","eventTime":"2024-01-01T00:06:42.123456Z","series":{"count":2,
      "lastObservedTime":"2024-01-01T00:07:42.000001Z"},"reportingComponent":"scheduler",
      "reportingInstance":"s-1"})",
     R"("cells":["2y325d","Normal","Scheduled","pod/rich","","scheduler, s-1","told","2y325d",2,"ev-new"])"},
    {"recorded", "flowcontrol.apiserver.k8s.io", "FlowSchema",
     R"({"metadata":{"name":"system-leader-election","creationTimestamp":"2026-11-21T00:59:56Z"},
      "spec":{"priorityLevelConfiguration":{"name":"leader-election"},"matchingPrecedence":100,
      "distinguisherMethod":{"type":"ByUser"}},"status":{"conditions":[{"type":"Dangling","status":"False"}]}})",
     R"("cells":["system-leader-election","leader-election",100,"ByUser","4s","False"])"},
    {"recorded", "flowcontrol.apiserver.k8s.io", "PriorityLevelConfiguration",
     R"({"metadata":{"name":"global-default","creationTimestamp":"2026-11-21T00:59:56Z"},"spec":{"type":"Limited",
      "limited":{"nominalConcurrencyShares":20,"limitResponse":{"queuing":{"queues":128,"handSize":6,
      "queueLengthLimit":50}}}}})",
     R"("cells":["global-default","Limited",20,128,6,50,"4s"])"},
    {"recorded", "networking.k8s.io", "IPAddress",
     R"({"metadata":{"name":"10.0.0.1","creationTimestamp":"2026-11-21T00:59:56Z"},
      "spec":{"parentRef":{"resource":"services","namespace":"default","name":"kubernetes"}}})",
     R"("cells":["10.0.0.1","services/default/kubernetes","4s"])"},
    {"recorded", "networking.k8s.io", "Ingress",
     R"({"metadata":{"name":"ing","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"ingressClassName":"cls",
      "tls":[{}],"rules":[{"host":"a.example.com"}]},
      "status":{"loadBalancer":{"ingress":[{"hostname":"lb.example.com"}]}}})",
     R"("cells":["ing","cls","a.example.com","lb.example.com","80, 443","3s"])"},
    {"recorded", "networking.k8s.io", "IngressClass",
     R"({"metadata":{"name":"cls","creationTimestamp":"2026-11-21T00:59:57Z"},
      "spec":{"controller":"example.com/c","parameters":{"apiGroup":"example.com","kind":"P","name":"p"}}})",
     R"("cells":["cls","example.com/c","P.example.com/p","3s"])"},
    {"recorded", "networking.k8s.io", "NetworkPolicy",
     R"({"metadata":{"name":"np","creationTimestamp":"2026-11-21T00:59:57Z"}})",
     R"("cells":["np","\u003cnone\u003e","3s"])"},
    {"recorded", "networking.k8s.io", "ServiceCIDR",
     R"({"metadata":{"name":"more","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"cidrs":["10.44.0.0/24"]}})",
     R"("cells":["more","10.44.0.0/24","3s"])"},
    {"recorded", "node.k8s.io", "RuntimeClass",
     R"({"metadata":{"name":"rtc","creationTimestamp":"2026-11-21T00:59:57Z"},"handler":"h"})",
     R"("cells":["rtc","h","3s"])"},
    {"recorded", "policy", "PodDisruptionBudget",
     R"({"metadata":{"name":"pdb","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"minAvailable":"50%"}})",
     R"("cells":["pdb","50%","N/A",0,"3s"])"},
    {"recorded", "rbac.authorization.k8s.io", "ClusterRole",
     R"({"metadata":{"name":"croll","creationTimestamp":"2026-11-21T00:53:27Z"}})",
     R"("cells":["croll","2026-11-21T00:53:27Z"])"},
    {"recorded", "rbac.authorization.k8s.io", "ClusterRoleBinding",
     R"({"metadata":{"name":"crb","creationTimestamp":"2026-11-21T00:59:57Z"},"subjects":[{"kind":"Group",
      "name":"g"}],"roleRef":{"kind":"ClusterRole","name":"croll"}})",
     R"("cells":["crb","ClusterRole/croll","3s","","g",""])"},
    {"recorded", "rbac.authorization.k8s.io", "Role",
     R"({"metadata":{"name":"role","creationTimestamp":"2026-11-21T00:53:27Z"}})",
     R"("cells":["role","2026-11-21T00:53:27Z"])"},
    {"recorded", "rbac.authorization.k8s.io", "RoleBinding",
     R"({"metadata":{"name":"rb","creationTimestamp":"2026-11-21T00:59:57Z"},"subjects":[{"kind":"User",
      "name":"u"},{"kind":"ServiceAccount","name":"sa","namespace":"zoo"}],"roleRef":{"kind":"Role",
      "name":"role"}})",
     R"("cells":["rb","Role/role","3s","u","","zoo/sa"])"},
    {"recorded", "resource.k8s.io", "DeviceClass",
     R"({"metadata":{"name":"gpu","creationTimestamp":"2026-11-21T00:59:57Z"}})", R"("cells":["gpu","3s"])"},
    {"recorded", "resource.k8s.io", "ResourceClaim",
     R"({"metadata":{"name":"claim","creationTimestamp":"2026-11-21T00:59:57Z"}})",
     R"("cells":["claim","pending","3s"])"},
    {"recorded", "resource.k8s.io", "ResourceClaimTemplate",
     R"({"metadata":{"name":"tmpl","creationTimestamp":"2026-11-21T00:59:57Z"}})", R"("cells":["tmpl","3s"])"},
    {"recorded", "resource.k8s.io", "ResourceSlice",
     R"({"metadata":{"name":"rslice","creationTimestamp":"2026-11-21T00:59:57Z"},
      "spec":{"driver":"gpu.example.com","pool":{"name":"p"},"nodeName":"node-a"}})",
     R"("cells":["rslice","node-a","gpu.example.com","p","3s"])"},
    {"recorded", "scheduling.k8s.io", "PriorityClass",
     R"({"metadata":{"name":"system-cluster-critical","creationTimestamp":"2026-11-21T00:59:56Z"},
      "value":2000000000,"preemptionPolicy":"PreemptLowerPriority"})",
     R"("cells":["system-cluster-critical",2000000000,false,"4s","PreemptLowerPriority"])"},
    {"recorded", "storage.k8s.io", "CSIDriver",
     R"({"metadata":{"name":"d.example.com","creationTimestamp":"2026-11-21T00:59:57Z"},
      "spec":{"attachRequired":false,"podInfoOnMount":true,"volumeLifecycleModes":["Persistent","Ephemeral"],
      "tokenRequests":[{"audience":"a"}]}})",
     R"("cells":["d.example.com",false,true,false,"a",false,"Persistent,Ephemeral","3s"])"},
    {"recorded", "storage.k8s.io", "CSINode",
     R"({"metadata":{"name":"node-a","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"drivers":[{}]}})",
     R"("cells":["node-a",1,"3s"])"},
    {"recorded", "storage.k8s.io", "CSIStorageCapacity",
     R"({"metadata":{"name":"cap","creationTimestamp":"2026-11-21T00:53:27Z"}})",
     R"("cells":["cap","2026-11-21T00:53:27Z"])"},
    {"recorded", "storage.k8s.io", "StorageClass",
     R"({"metadata":{"name":"slow","creationTimestamp":"2026-11-21T00:59:57Z",
      "annotations":{"storageclass.kubernetes.io/is-default-class":"true"}},"provisioner":"p.example.com",
      "allowVolumeExpansion":true,"volumeBindingMode":"WaitForFirstConsumer"})",
     R"x("cells":["slow (default)","p.example.com","Delete","WaitForFirstConsumer",true,"3s"])x"},
    {"recorded", "storage.k8s.io", "VolumeAttachment",
     R"({"metadata":{"name":"va","creationTimestamp":"2026-11-21T00:59:57Z"},"spec":{"attacher":"d.example.com",
      "source":{"persistentVolumeName":"pv"},"nodeName":"node-a"},"status":{"attached":true}})",
     R"("cells":["va","d.example.com","pv","node-a",true,"3s"])"},
    {"recorded", "storage.k8s.io", "VolumeAttributesClass",
     R"({"metadata":{"name":"vac","creationTimestamp":"2026-11-21T00:59:57Z"},"driverName":"d.example.com"})",
     R"("cells":["vac","d.example.com","3s"])"},
};

TEST(TablePrinterTest, RecordedRows) { ExpectRows(kRecorded); }

TEST(TablePrinterTest, EveryRowHasACellForEachColumn) {
  for (const TableCase& c : kRecorded) {
    JsonDocument row;
    row.Parse(absl::StrCat("{", RowOf(c.group, c.kind, c.object), "}"));
    // kube-apiserver gives an IPAddress an age, and no column for it.
    const size_t more = c.kind == "IPAddress" ? 1 : 0;
    EXPECT_EQ(row.root().Field("cells").size(), TablePrinter::Of(c.group, c.kind).columns().size() + more) << c.kind;
  }
}

TEST(TablePrinterTest, KindsWithoutCellsShowWhenTheyWereMade) {
  const TablePrinter& other = TablePrinter::Of("example.com", "Pod");
  EXPECT_EQ(&other, &TablePrinter::Of("", "Unknown"));
  EXPECT_EQ(&other, &TablePrinter::Of("zzz", "Zzz"));
  EXPECT_NE(&other, &TablePrinter::Of("", "Pod"));
  EXPECT_NE(&TablePrinter::Of("", "Event"), &other);
  ASSERT_EQ(other.columns().size(), 2u);
  EXPECT_EQ(other.columns()[0].name, "Name");
  EXPECT_EQ(other.columns()[0].format, "name");
  EXPECT_EQ(other.columns()[1].name, "Created At");
  EXPECT_EQ(other.columns()[1].type, "date");
}

// The bookmark behind the initial events of a watch is a row of such an object.
TEST(TablePrinterTest, NothingShowsAsZeroValues) {
  EXPECT_EQ(RowOf("", "ConfigMap", "{}"), R"("cells":["",0,"\u003cunknown\u003e"])");
  EXPECT_EQ(RowOf("", "ConfigMap", ""), R"("cells":["",0,"\u003cunknown\u003e"])");
  EXPECT_EQ(RowOf("", "ConfigMap", "{\"meta"), R"("cells":["",0,"\u003cunknown\u003e"])");
  EXPECT_EQ(RowOf("", "Other", "null"), R"("cells":["","0001-01-01T00:00:00Z"])");
}

TEST(TablePrinterTest, WrongTypesShowAsZeroValues) {
  EXPECT_EQ(RowOf("", "Pod",
                  R"({"metadata":[],"spec":{"containers":{"a":1},"nodeName":7},"status":{"phase":[],"podIPs":"x",
                  "containerStatuses":[null,3,{"restartCount":"2","state":"up"}]}})"),
            R"("cells":["","0/1","","0","\u003cunknown\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
            R"("\u003cnone\u003e","\u003cnone\u003e"])");
  EXPECT_EQ(RowOf("", "ConfigMap", R"({"metadata":{"name":1,"creationTimestamp":"soon"},"data":"x"})"),
            R"("cells":["",0,"\u003cunknown\u003e"])");
}

TEST(TablePrinterTest, CompletedPodsSaySo) {
  EXPECT_THAT(RowOf("", "Pod", R"({"status":{"phase":"Failed"}})"),
              testing::EndsWith(R"(],"conditions":[{"type":"Completed","status":"True","reason":"Failed",)"
                                R"("message":"The pod failed."}])"));
}

TEST(TablePrinterTest, TextsAreEscapedAsGoDoes) {
  EXPECT_EQ(RowOf("", "Secret", R"({"metadata":{"name":"a\"b"},"type":"<&>\u2028"})"),
            R"("cells":["a\"b","\u003c\u0026\u003e\u2028",0,"\u003cunknown\u003e"])");
}

}  // namespace
}  // namespace tidemark::http
