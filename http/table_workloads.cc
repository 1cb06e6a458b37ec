#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "base/human_duration.h"
#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

// Names and images of what a pod template runs.
void TemplateContainers(const JsonView& pod_template, TableRow* row) {
  const JsonView containers = pod_template.At("spec", "containers");
  row->Text(JoinField(containers, "name"));
  row->Text(JoinField(containers, "image"));
}

std::string OutOf(int64_t some, int64_t all) { return absl::StrCat(some, "/", all); }

void ReplicaCounts(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Number(object.At("spec", "replicas").Number());
  row->Number(object.At("status", "replicas").Number());
  row->Number(object.At("status", "readyReplicas").Number());
  row->AgeOf(object);
  TemplateContainers(object.At("spec", "template"), row);
}

std::string JobCompletions(const JsonView& job) {
  const int64_t succeeded = job.At("status", "succeeded").Number();
  const JsonView completions = job.At("spec", "completions");
  if (completions.present()) return OutOf(succeeded, completions.Number());
  const int64_t parallelism = job.At("spec", "parallelism").Number();
  return parallelism > 1 ? absl::StrCat(succeeded, "/1 of ", parallelism) : OutOf(succeeded, 1);
}

std::string JobDuration(const JsonView& job, absl::Time now) {
  const JsonView start = job.At("status", "startTime");
  if (!start.present()) return "";
  const JsonView end = job.At("status", "completionTime");
  return HumanDuration((end.present() ? ReadTime(end) : now) - ReadTime(start));
}

absl::string_view JobStatus(const JsonView& job) {
  const JsonView conditions = job.At("status", "conditions");
  const auto is = [&](absl::string_view type) { return FindByType(conditions, type).Field("status").Text() == "True"; };
  for (const absl::string_view end : {"Complete", "Failed"}) {
    if (is(end)) return end;
  }
  if (job.At("metadata", "deletionTimestamp").present()) return "Terminating";
  for (const absl::string_view state : {"Suspended", "FailureTarget", "SuccessCriteriaMet"}) {
    if (is(state)) return state;
  }
  return "Running";
}

std::string ControllerName(const JsonView& object) {
  for (const JsonView& owner : object.At("metadata", "ownerReferences").elements()) {
    if (!owner.Field("controller").Bool()) continue;
    const absl::string_view api_version = owner.Field("apiVersion").Text();
    const size_t slash = api_version.find('/');
    std::string kind(owner.Field("kind").Text());
    if (slash != absl::string_view::npos && slash > 0) absl::StrAppend(&kind, ".", api_version.substr(0, slash));
    const absl::string_view name = owner.Field("name").Text();
    return kind.empty() ? std::string(name) : absl::StrCat(absl::AsciiStrToLower(kind), "/", name);
  }
  return std::string(kNone);
}

}  // namespace

void ControllerRevision(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(ControllerName(object));
  row->Number(object.Field("revision").Number());
  row->AgeOf(object);
}

void CronJob(const JsonView& object, TableRow* row) {
  const JsonView spec = object.Field("spec");
  const JsonView suspend = spec.Field("suspend");
  const JsonView last = object.At("status", "lastScheduleTime");
  row->NameOf(object);
  row->Text(spec.Field("schedule").Text());
  row->Text(TextIfPresent(spec.Field("timeZone"), kNone));
  row->Text(!suspend.present() ? kUnset : suspend.Bool() ? "True" : "False");
  row->Number(static_cast<int64_t>(object.At("status", "active").size()));
  row->Text(last.present() ? TimeSince(ReadTime(last), row->now()) : std::string(kNone));
  row->AgeOf(object);
  TemplateContainers(spec.At("jobTemplate", "spec", "template"), row);
  row->Text(SelectorCell(spec.At("jobTemplate", "spec", "selector")));
}

void DaemonSet(const JsonView& object, TableRow* row) {
  const JsonView status = object.Field("status");
  row->NameOf(object);
  for (const absl::string_view count : {"desiredNumberScheduled", "currentNumberScheduled", "numberReady",
                                        "updatedNumberScheduled", "numberAvailable"}) {
    row->Number(status.Field(count).Number());
  }
  row->Text(LabelsText(object.At("spec", "template", "spec", "nodeSelector")));
  row->AgeOf(object);
  TemplateContainers(object.At("spec", "template"), row);
  row->Text(SelectorCell(object.At("spec", "selector")));
}

void Deployment(const JsonView& object, TableRow* row) {
  const JsonView status = object.Field("status");
  row->NameOf(object);
  row->Text(OutOf(status.Field("readyReplicas").Number(), object.At("spec", "replicas").Number()));
  row->Number(status.Field("updatedReplicas").Number());
  row->Number(status.Field("availableReplicas").Number());
  row->AgeOf(object);
  TemplateContainers(object.At("spec", "template"), row);
  row->Text(SelectorText(object.At("spec", "selector")).value_or("<invalid>"));
}

void Job(const JsonView& job, TableRow* row) {
  row->NameOf(job);
  row->Text(JobStatus(job));
  row->Text(JobCompletions(job));
  row->Text(JobDuration(job, row->now()));
  row->AgeOf(job);
  TemplateContainers(job.At("spec", "template"), row);
  row->Text(SelectorCell(job.At("spec", "selector")));
}

void PodDisruptionBudget(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  for (const absl::string_view bound : {"minAvailable", "maxUnavailable"}) {
    const JsonView value = object.At("spec", bound);
    row->Text(value.present() ? value.Scalar() : "N/A");
  }
  row->Number(object.At("status", "disruptionsAllowed").Number());
  row->AgeOf(object);
}

void PriorityClass(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Number(object.Field("value").Number());
  row->Bool(object.Field("globalDefault").Bool());
  row->AgeOf(object);
  row->Text(object.Field("preemptionPolicy").Text());
}

void ReplicaSet(const JsonView& object, TableRow* row) {
  ReplicaCounts(object, row);
  row->Text(SelectorCell(object.At("spec", "selector")));
}

void ReplicationController(const JsonView& object, TableRow* row) {
  ReplicaCounts(object, row);
  row->Text(LabelsText(object.At("spec", "selector")));
}

void StatefulSet(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(OutOf(object.At("status", "readyReplicas").Number(), object.At("spec", "replicas").Number()));
  row->AgeOf(object);
  TemplateContainers(object.At("spec", "template"), row);
}

}  // namespace tidemark::http::cells
