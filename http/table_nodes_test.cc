#include <gtest/gtest.h>

#include "http/table_fixture.h"

namespace tidemark::http {
namespace {

const TableCase kNodes[] = {
    {"nothing known", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{},"status":{}})",
     R"("cells":["x","Unknown","\u003cnone\u003e","120m","","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"ready", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{},
      "status":{"conditions":[{"type":"MemoryPressure","status":"False"},{"type":"Ready","status":"True"}]}})",
     R"("cells":["x","Ready","\u003cnone\u003e","120m","","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"not ready", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{},
      "status":{"conditions":[{"type":"Ready","status":"False"}]}})",
     R"("cells":["x","NotReady","\u003cnone\u003e","120m","","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"silent", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{},
      "status":{"conditions":[{"type":"Ready","status":"Unknown"}]}})",
     R"("cells":["x","NotReady","\u003cnone\u003e","120m","","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"cordoned", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"unschedulable":true},
      "status":{"conditions":[{"type":"Ready","status":"True"}]}})",
     R"("cells":["x","Ready,SchedulingDisabled","\u003cnone\u003e","120m","","\u003cnone\u003e",)"
     R"("\u003cnone\u003e","\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"cordoned before it was seen", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"unschedulable":true},
      "status":{}})",
     R"("cells":["x","Unknown,SchedulingDisabled","\u003cnone\u003e","120m","","\u003cnone\u003e",)"
     R"("\u003cnone\u003e","\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"roles, each once, in order", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z",
      "labels":{"node-role.kubernetes.io/worker":"","node-role.kubernetes.io/control-plane":"x",
      "kubernetes.io/role":"worker","node-role.kubernetes.io/":"","role":"none"}},"spec":{},"status":{}})",
     R"("cells":["x","Unknown","control-plane,worker","120m","","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"an empty role", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z","labels":{"kubernetes.io/role":""}},
      "spec":{},"status":{}})",
     R"("cells":["x","Unknown","\u003cnone\u003e","120m","","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cunknown\u003e","\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"addresses, the first of each type", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{},
      "status":{"addresses":[{"type":"Hostname","address":"h"},{"type":"InternalIP","address":"10.0.0.1"},
      {"type":"InternalIP","address":"10.0.0.2"},{"type":"ExternalIP","address":"203.0.113.1"}]}})",
     R"("cells":["x","Unknown","\u003cnone\u003e","120m","","10.0.0.1","203.0.113.1","\u003cunknown\u003e",)"
     R"("\u003cunknown\u003e","\u003cunknown\u003e"])"},
    {"architecture alone", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{},
      "status":{"nodeInfo":{"architecture":"arm64","kubeletVersion":"v1.36.3"}}})",
     R"("cells":["x","Unknown","\u003cnone\u003e","120m","v1.36.3","\u003cnone\u003e","\u003cnone\u003e",)"
     R"x("\u003cunknown\u003e","\u003cunknown\u003e (arm64)","\u003cunknown\u003e"])x"},
    {"all of its software", "", "Node",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{},
      "status":{"nodeInfo":{"osImage":"Debian <12>","kernelVersion":"6.1","architecture":"amd64",
      "containerRuntimeVersion":"containerd://2","kubeletVersion":"v1"}}})",
     R"("cells":["x","Unknown","\u003cnone\u003e","120m","v1","\u003cnone\u003e","\u003cnone\u003e",)"
     R"x("Debian \u003c12\u003e","6.1 (amd64)","containerd://2"])x"},
};

TEST(TableNodesTest, Nodes) { ExpectRows(kNodes); }

}  // namespace
}  // namespace tidemark::http
