#include <set>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

// Of more conditions of one type the last one counts.
std::string NodeStatus(const JsonView& node) {
  std::string status = "Unknown";
  for (const JsonView& condition : node.At("status", "conditions").elements()) {
    if (condition.Field("type").Text() != "Ready") continue;
    status = condition.Field("status").Text() == "True" ? "Ready" : "NotReady";
  }
  if (node.At("spec", "unschedulable").Bool()) status += ",SchedulingDisabled";
  return status;
}

std::string NodeRoles(const JsonView& node) {
  std::set<absl::string_view> roles;
  for (const auto& [key, value] : node.At("metadata", "labels").members()) {
    absl::string_view role = key;
    if (!absl::ConsumePrefix(&role, "node-role.kubernetes.io/")) {
      role = key == "kubernetes.io/role" ? value.Text() : absl::string_view();
    }
    if (!role.empty()) roles.insert(role);
  }
  return absl::StrJoin(roles, ",");
}

absl::string_view NodeAddress(const JsonView& node, absl::string_view type) {
  const JsonView address = FindByType(node.At("status", "addresses"), type);
  return address.present() ? address.Field("address").Text() : kNone;
}

std::string KernelVersion(const JsonView& info) {
  const absl::string_view version = info.Field("kernelVersion").Text();
  const absl::string_view architecture = info.Field("architecture").Text();
  std::string text(version.empty() ? kUnknown : version);
  if (!architecture.empty()) absl::StrAppend(&text, " (", architecture, ")");
  return text;
}

}  // namespace

void Node(const JsonView& node, TableRow* row) {
  const JsonView info = node.At("status", "nodeInfo");
  row->NameOf(node);
  row->Text(NodeStatus(node));
  row->TextOr(NodeRoles(node), kNone);
  row->AgeOf(node);
  row->Text(info.Field("kubeletVersion").Text());
  row->Text(NodeAddress(node, "InternalIP"));
  row->Text(NodeAddress(node, "ExternalIP"));
  row->TextOr(info.Field("osImage").Text(), kUnknown);
  row->Text(KernelVersion(info));
  row->TextOr(info.Field("containerRuntimeVersion").Text(), kUnknown);
}

void RuntimeClass(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(object.Field("handler").Text());
  row->AgeOf(object);
}

}  // namespace tidemark::http::cells
