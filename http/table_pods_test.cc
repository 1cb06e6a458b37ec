#include <gtest/gtest.h>

#include "http/table_fixture.h"

namespace tidemark::http {
namespace {

const TableCase kPods[] = {
    {"nothing known", "", "Pod", R"({"metadata":{}})",
     R"("cells":["","0/0","","0","\u003cunknown\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e","\u003cnone\u003e"])"},
    {"pending", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Pending"}})",
     R"("cells":["x","0/1","Pending","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"running", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"},
      {"name":"b"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","ready":true,"restartCount":0,
      "state":{"running":{}}},{"name":"b","ready":false,"restartCount":0,"state":{"running":{}}}]}})",
     R"("cells":["x","1/2","Running","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"ready but not running", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Running","containerStatuses":[{"name":"a","ready":true,"restartCount":0,"state":{}}]}})",
     R"("cells":["x","0/1","Running","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"scheduling gated", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Pending","conditions":[{"type":"PodScheduled","status":"False",
      "reason":"SchedulingGated"}]}})",
     R"("cells":["x","0/1","SchedulingGated","0","120m","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e","\u003cnone\u003e"])"},
    {"gate of another condition", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Pending","conditions":[{"type":"Ready","status":"False","reason":"SchedulingGated"}]}})",
     R"("cells":["x","0/1","Pending","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"evicted", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Failed","reason":"Evicted"}})",
     R"("cells":["x","0/1","Evicted","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"],"conditions":[{"type":"Completed","status":"True","reason":"Failed",)"
     R"("message":"The pod failed."}])"},
    {"succeeded", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Succeeded","containerStatuses":[{"name":"a","ready":false,"restartCount":0,
      "state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}})",
     R"("cells":["x","0/1","Completed","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"],"conditions":[{"type":"Completed","status":"True","reason":"Succeeded",)"
     R"("message":"The pod has completed successfully."}])"},
    {"succeeded and deleted", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z",
      "deletionTimestamp":"2026-11-21T00:59:55Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Succeeded","containerStatuses":[{"name":"a","ready":false,"restartCount":0,
      "state":{"terminated":{"exitCode":0,"reason":"Completed"}}}]}})",
     R"("cells":["x","0/1","Completed","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"],"conditions":[{"type":"Completed","status":"True","reason":"Succeeded",)"
     R"("message":"The pod has completed successfully."}])"},
    {"terminating", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z",
      "deletionTimestamp":"2026-11-21T00:59:55Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Running"}})",
     R"("cells":["x","0/1","Terminating","0","120m","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e","\u003cnone\u003e"])"},
    {"node lost", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z",
      "deletionTimestamp":"2026-11-21T00:59:55Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Running","reason":"NodeLost"}})",
     R"("cells":["x","0/1","Unknown","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"node lost, not deleted", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Running","reason":"NodeLost"}})",
     R"("cells":["x","0/1","NodeLost","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"waiting", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Pending","containerStatuses":[{"name":"a","ready":false,"restartCount":0,
      "state":{"waiting":{"reason":"ImagePullBackOff"}}}]}})",
     R"("cells":["x","0/1","ImagePullBackOff","0","120m","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e","\u003cnone\u003e"])"},
    {"the first container decides", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"},
      {"name":"b"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","ready":false,
      "restartCount":0,"state":{"waiting":{"reason":"First"}}},{"name":"b","ready":false,"restartCount":0,
      "state":{"waiting":{"reason":"Second"}}}]}})",
     R"("cells":["x","0/2","First","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"signal", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Failed","containerStatuses":[{"name":"a","ready":false,"restartCount":0,
      "state":{"terminated":{"exitCode":0,"signal":9}}}]}})",
     R"("cells":["x","0/1","Signal:9","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"],"conditions":[{"type":"Completed","status":"True","reason":"Failed",)"
     R"("message":"The pod failed."}])"},
    {"exit code", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Failed","containerStatuses":[{"name":"a","ready":false,"restartCount":0,
      "state":{"terminated":{"exitCode":3}}}]}})",
     R"("cells":["x","0/1","ExitCode:3","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"],"conditions":[{"type":"Completed","status":"True","reason":"Failed",)"
     R"("message":"The pod failed."}])"},
    {"restarts without time", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Running","containerStatuses":[{"name":"a","ready":true,"restartCount":3,
      "state":{"running":{}}}]}})",
     R"("cells":["x","1/1","Running","3","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"restarts, the last of all", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"},
      {"name":"b"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","ready":true,"restartCount":3,
      "state":{"running":{}},"lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-11-21T00:55:00Z"}}},
      {"name":"b","ready":true,"restartCount":1,"state":{"running":{}},"lastState":{"terminated":{"exitCode":1,
      "finishedAt":"2026-11-20T00:00:00Z"}}}]}})",
     R"x("cells":["x","2/2","Running","4 (5m ago)","120m","\u003cnone\u003e","\u003cnone\u003e",)x"
     R"("\u003cnone\u003e","\u003cnone\u003e"])"},
    {"time without restarts", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Running","containerStatuses":[{"name":"a","ready":true,"restartCount":0,
      "state":{"running":{}},"lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-11-21T00:55:00Z"}}}]}})",
     R"("cells":["x","1/1","Running","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"one completed, one ready", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"},
      {"name":"b"}]},"status":{"phase":"Running","conditions":[{"type":"Ready","status":"True"}],
      "containerStatuses":[{"name":"a","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0,
      "reason":"Completed"}}},{"name":"b","ready":true,"restartCount":0,"state":{"running":{}}}]}})",
     R"("cells":["x","1/2","Running","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"one completed, one not ready", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"},
      {"name":"b"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","ready":false,
      "restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed"}}},{"name":"b","ready":true,
      "restartCount":0,"state":{"running":{}}}]}})",
     R"("cells":["x","1/2","NotReady","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"one completed, one failed", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"},
      {"name":"b"}]},"status":{"phase":"Running","containerStatuses":[{"name":"a","ready":false,
      "restartCount":0,"state":{"terminated":{"exitCode":0,"reason":"Completed"}}},{"name":"b","ready":false,
      "restartCount":0,"state":{"terminated":{"exitCode":1,"reason":"Error"}}}]}})",
     R"("cells":["x","0/2","Error","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"init, first to do", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Pending",
      "initContainerStatuses":[{"name":"i","ready":false,"restartCount":0,"state":{"running":{}}},{"name":"j",
      "ready":false,"restartCount":0,"state":{"waiting":{"reason":"PodInitializing"}}}]}})",
     R"("cells":["x","0/1","Init:0/2","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"init, second to do", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Pending",
      "initContainerStatuses":[{"name":"i","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":0,
      "reason":"Completed"}}},{"name":"j","ready":false,"restartCount":0,
      "state":{"waiting":{"reason":"PodInitializing"}}}]}})",
     R"("cells":["x","0/1","Init:1/2","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"init waits", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Pending",
      "initContainerStatuses":[{"name":"i","ready":false,"restartCount":4,
      "state":{"waiting":{"reason":"CrashLoopBackOff"}},"lastState":{"terminated":{"exitCode":1,
      "finishedAt":"2026-11-21T00:59:00Z"}}}]}})",
     R"x("cells":["x","0/1","Init:CrashLoopBackOff","4 (60s ago)","120m","\u003cnone\u003e",)x"
     R"("\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e"])"},
    {"init failed with a reason", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Failed",
      "initContainerStatuses":[{"name":"i","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":1,
      "reason":"Error"}}}]}})",
     R"("cells":["x","0/1","Init:Error","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"],"conditions":[{"type":"Completed","status":"True","reason":"Failed",)"
     R"("message":"The pod failed."}])"},
    {"init failed with a signal", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Failed",
      "initContainerStatuses":[{"name":"i","ready":false,"restartCount":0,"state":{"terminated":{"exitCode":1,
      "signal":15}}}]}})",
     R"("cells":["x","0/1","Init:Signal:15","0","120m","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e","\u003cnone\u003e"],"conditions":[{"type":"Completed","status":"True",)"
     R"("reason":"Failed","message":"The pod failed."}])"},
    {"init failed with a code", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Failed",
      "initContainerStatuses":[{"name":"i","ready":false,"restartCount":0,
      "state":{"terminated":{"exitCode":7}}}]}})",
     R"("cells":["x","0/1","Init:ExitCode:7","0","120m","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e","\u003cnone\u003e"],"conditions":[{"type":"Completed","status":"True",)"
     R"("reason":"Failed","message":"The pod failed."}])"},
    {"init was done once", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"i"},{"name":"j"}]},"status":{"phase":"Running",
      "conditions":[{"type":"Initialized","status":"True"}],"initContainerStatuses":[{"name":"i","ready":false,
      "restartCount":2,"state":{"waiting":{"reason":"Again"}},"lastState":{"terminated":{"exitCode":1,
      "finishedAt":"2026-11-21T00:59:00Z"}}}],"containerStatuses":[{"name":"a","ready":true,"restartCount":0,
      "state":{"running":{}}}]}})",
     R"("cells":["x","1/1","Init:Again","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"sidecar runs", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"s","restartPolicy":"Always"},{"name":"i"}]},"status":{"phase":"Running",
      "initContainerStatuses":[{"name":"s","ready":true,"restartCount":2,"state":{"running":{}},
      "lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-11-21T00:00:00Z"}},"started":true},{"name":"i",
      "ready":false,"restartCount":5,"state":{"terminated":{"exitCode":0}},
      "lastState":{"terminated":{"exitCode":1,"finishedAt":"2026-11-21T00:59:00Z"}}}],
      "containerStatuses":[{"name":"a","ready":true,"restartCount":1,"state":{"running":{}}}]}})",
     R"x("cells":["x","2/2","Running","3 (60m ago)","120m","\u003cnone\u003e","\u003cnone\u003e",)x"
     R"("\u003cnone\u003e","\u003cnone\u003e"])"},
    {"sidecar has not started", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "initContainers":[{"name":"s","restartPolicy":"Always"},{"name":"i"}]},"status":{"phase":"Pending",
      "initContainerStatuses":[{"name":"s","ready":false,"restartCount":0,"state":{"running":{}},
      "started":false}]}})",
     R"("cells":["x","0/2","Init:0/2","0","120m","\u003cnone\u003e","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"old objects have one address", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Running","podIP":"10.0.0.1"}})",
     R"("cells":["x","0/1","Running","0","120m","10.0.0.1","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"the one address comes first", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Running","podIP":"10.0.0.1","podIPs":[{"ip":"10.0.0.2"}]}})",
     R"("cells":["x","0/1","Running","0","120m","10.0.0.1","\u003cnone\u003e","\u003cnone\u003e",)"
     R"("\u003cnone\u003e"])"},
    {"nominated", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}]},
      "status":{"phase":"Pending","nominatedNodeName":"node-2"}})",
     R"("cells":["x","0/1","Pending","0","120m","\u003cnone\u003e","\u003cnone\u003e","node-2","\u003cnone\u003e"])"},
    {"readiness gates", "", "Pod",
     R"({"metadata":{"name":"x","creationTimestamp":"2026-11-20T23:00:00Z"},"spec":{"containers":[{"name":"a"}],
      "nodeName":"n","readinessGates":[{"conditionType":"g"},{"conditionType":"h"},{"conditionType":"none"}]},
      "status":{"phase":"Running","conditions":[{"type":"g","status":"True"},{"type":"h","status":"False"},
      {"type":"h","status":"True"}]}})",
     R"("cells":["x","0/1","Running","0","120m","\u003cnone\u003e","n","\u003cnone\u003e","1/3"])"},
};

TEST(TablePodsTest, Pods) { ExpectRows(kPods); }

}  // namespace
}  // namespace tidemark::http
