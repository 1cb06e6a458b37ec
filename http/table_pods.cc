#include <algorithm>
#include <string>

#include "absl/strings/str_cat.h"
#include "base/human_duration.h"
#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

// How often containers were started again, and when the last one had ended.
struct Restarts {
  int64_t count = 0;
  absl::Time last = kGoZeroTime;

  void Add(const JsonView& status) {
    count += status.Field("restartCount").Number();
    last = std::max(last, ReadTime(status.At("lastState", "terminated", "finishedAt")));
  }
  std::string ToString(absl::Time now) const {
    if (count == 0 || last == kGoZeroTime) return absl::StrCat(count);
    return absl::StrCat(count, " (", TimeSince(last, now), " ago)");
  }
};

std::string WhyTerminated(const JsonView& terminated) {
  if (const absl::string_view reason = terminated.Field("reason").Text(); !reason.empty()) return std::string(reason);
  if (const int64_t signal = terminated.Field("signal").Number(); signal != 0) return absl::StrCat("Signal:", signal);
  return absl::StrCat("ExitCode:", terminated.Field("exitCode").Number());
}

bool IsTrue(const JsonView& condition) { return condition.Field("status").Text() == "True"; }

// What a row says of a pod's containers, found by looking at the init containers first.
class PodState {
 public:
  explicit PodState(const JsonView& pod) : spec_(pod.Field("spec")), status_(pod.Field("status")) {
    total_ = spec_.Field("containers").size();
    for (const JsonView& container : spec_.Field("initContainers").elements()) total_ += IsSidecar(container) ? 1 : 0;
    ReadReason();
    ReadInitContainers();
    if (!initializing_ || IsTrue(FindByType(status_.Field("conditions"), "Initialized"))) ReadContainers();
    ReadDeletion(pod);
  }

  std::string Ready() const { return absl::StrCat(ready_, "/", total_); }
  const std::string& reason() const { return reason_; }
  const Restarts& restarts() const { return restarts_; }

 private:
  // An init container that goes on beside the others.
  static bool IsSidecar(const JsonView& container) { return container.Field("restartPolicy").Text() == "Always"; }
  bool IsSidecarNamed(absl::string_view name) const;
  bool Initializes(const JsonView& status, size_t index);
  void ReadReason();
  void ReadInitContainers();
  void ReadContainers();
  void ReadDeletion(const JsonView& pod);

  const JsonView spec_;
  const JsonView status_;
  size_t total_ = 0;
  int64_t ready_ = 0;
  std::string reason_;
  bool initializing_ = false;
  Restarts restarts_;
  Restarts sidecar_restarts_;
};

void PodState::ReadReason() {
  reason_ = std::string(status_.Field("phase").Text());
  if (const absl::string_view reason = status_.Field("reason").Text(); !reason.empty()) reason_ = std::string(reason);
  for (const JsonView& condition : status_.Field("conditions").elements()) {
    const bool gated = condition.Field("reason").Text() == "SchedulingGated";
    if (gated && condition.Field("type").Text() == "PodScheduled") reason_ = "SchedulingGated";
  }
}

// Of more containers of one name the last one counts.
bool PodState::IsSidecarNamed(absl::string_view name) const {
  bool is_sidecar = false;
  for (const JsonView& container : spec_.Field("initContainers").elements()) {
    if (container.Field("name").Text() == name) is_sidecar = IsSidecar(container);
  }
  return is_sidecar;
}

// Whether the pod waits for this init container, which is then its reason.
bool PodState::Initializes(const JsonView& status, size_t index) {
  const JsonView terminated = status.At("state", "terminated");
  if (terminated.present() && terminated.Field("exitCode").Number() == 0) return false;
  if (status.Field("started").Bool() && IsSidecarNamed(status.Field("name").Text())) {
    ready_ += status.Field("ready").Bool() ? 1 : 0;
    return false;
  }
  const absl::string_view waits = status.At("state", "waiting", "reason").Text();
  if (terminated.present()) {
    reason_ = absl::StrCat("Init:", WhyTerminated(terminated));
  } else if (!waits.empty() && waits != "PodInitializing") {
    reason_ = absl::StrCat("Init:", waits);
  } else {
    reason_ = absl::StrCat("Init:", index, "/", spec_.Field("initContainers").size());
  }
  return true;
}

void PodState::ReadInitContainers() {
  size_t index = 0;
  for (const JsonView& status : status_.Field("initContainerStatuses").elements()) {
    restarts_.Add(status);
    if (IsSidecarNamed(status.Field("name").Text())) sidecar_restarts_.Add(status);
    initializing_ = Initializes(status, index++);
    if (initializing_) return;
  }
}

void PodState::ReadContainers() {
  restarts_ = sidecar_restarts_;
  bool running = false;
  std::string error;
  const JsonView::Elements statuses = status_.Field("containerStatuses").elements();
  for (auto status = statuses.rbegin(); status != statuses.rend(); ++status) {
    restarts_.Add(*status);
    const absl::string_view waits = status->At("state", "waiting", "reason").Text();
    const JsonView terminated = status->At("state", "terminated");
    if (!waits.empty()) {
      reason_ = std::string(waits);
    } else if (terminated.present()) {
      reason_ = WhyTerminated(terminated);
      if (terminated.Field("exitCode").Number() != 0) error = reason_;
    } else if (status->Field("ready").Bool() && status->At("state", "running").present()) {
      running = true;
      ++ready_;
    }
  }
  if (reason_ != "Completed") return;
  const auto is_ready = [](const JsonView& condition) {
    return condition.Field("type").Text() == "Ready" && IsTrue(condition);
  };
  const JsonView::Elements conditions = status_.Field("conditions").elements();
  if (running && std::any_of(conditions.begin(), conditions.end(), is_ready)) {
    reason_ = "Running";
  } else if (!error.empty()) {
    reason_ = error;
  } else if (running) {
    reason_ = "NotReady";
  }
}

void PodState::ReadDeletion(const JsonView& pod) {
  if (!pod.At("metadata", "deletionTimestamp").present()) return;
  const absl::string_view phase = status_.Field("phase").Text();
  if (status_.Field("reason").Text() == "NodeLost") {
    reason_ = "Unknown";
  } else if (phase != "Succeeded" && phase != "Failed") {
    reason_ = "Terminating";
  }
}

// podIP counts where podIPs does not begin with it.
absl::string_view PodIp(const JsonView& status) {
  const absl::string_view ip = status.Field("podIP").Text();
  if (!ip.empty()) return ip;
  const JsonView::Elements ips = status.Field("podIPs").elements();
  return ips.empty() ? absl::string_view() : ips.front().Field("ip").Text();
}

std::string ReadinessGates(const JsonView& pod) {
  const JsonView gates = pod.At("spec", "readinessGates");
  if (gates.size() == 0) return std::string(kNone);
  int64_t open = 0;
  for (const JsonView& gate : gates.elements()) {
    const JsonView conditions = pod.At("status", "conditions");
    open += IsTrue(FindByType(conditions, gate.Field("conditionType").Text())) ? 1 : 0;
  }
  return absl::StrCat(open, "/", gates.size());
}

}  // namespace

void Pod(const JsonView& pod, TableRow* row) {
  const PodState state(pod);
  row->NameOf(pod);
  row->Text(state.Ready());
  row->Text(state.reason());
  row->Text(state.restarts().ToString(row->now()));
  row->AgeOf(pod);
  row->TextOr(PodIp(pod.Field("status")), kNone);
  row->TextOr(pod.At("spec", "nodeName").Text(), kNone);
  row->TextOr(pod.At("status", "nominatedNodeName").Text(), kNone);
  row->Text(ReadinessGates(pod));
  const absl::string_view phase = pod.At("status", "phase").Text();
  if (phase == "Succeeded") row->SetCompleted(phase, "The pod has completed successfully.");
  if (phase == "Failed") row->SetCompleted(phase, "The pod failed.");
}

void PodTemplate(const JsonView& object, TableRow* row) {
  const JsonView containers = object.At("template", "spec", "containers");
  row->NameOf(object);
  row->Text(JoinField(containers, "name"));
  row->Text(JoinField(containers, "image"));
  row->Text(LabelsText(object.At("template", "metadata", "labels")));
}

}  // namespace tidemark::http::cells
