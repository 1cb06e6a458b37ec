#include <algorithm>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/human_duration.h"
#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

// A metav1.LabelSelector as Go's protobuf prints it: what a policy binding shows of one.
std::string SelectorDump(const JsonView& selector) {
  std::string text = "&LabelSelector{MatchLabels:map[string]string{";
  const JsonView labels = selector.Field("matchLabels");
  std::vector<std::string> pairs;
  for (const auto& [key, value] : labels.members()) pairs.push_back(absl::StrCat(key, ": ", value.Text(), ","));
  std::sort(pairs.begin(), pairs.end());
  absl::StrAppend(&text, absl::StrJoin(pairs, ""), "},MatchExpressions:[]LabelSelectorRequirement{");
  for (const JsonView& expression : selector.Field("matchExpressions").elements()) {
    std::vector<absl::string_view> values;
    for (const JsonView& value : expression.Field("values").elements()) values.push_back(value.Text());
    absl::StrAppend(&text, "LabelSelectorRequirement{Key:", expression.Field("key").Text(),
                    ",Operator:", expression.Field("operator").Text(), ",Values:[", absl::StrJoin(values, " "), "],},");
  }
  return absl::StrCat(text, "},}");
}

std::string ParamRef(const JsonView& param) {
  const absl::string_view name = param.Field("name").Text();
  const absl::string_view name_space = param.Field("namespace").Text();
  if (!name.empty()) return absl::StrCat(name_space.empty() ? "*" : name_space, "/", name);
  const JsonView selector = param.Field("selector");
  return selector.present() ? SelectorDump(selector) : std::string(kUnset);
}

// A policy's name, how many rules it has, and the kind of its parameters.
void AdmissionPolicy(const JsonView& object, absl::string_view rules, TableRow* row) {
  const JsonView kind = object.At("spec", "paramKind");
  row->NameOf(object);
  row->Number(static_cast<int64_t>(object.At("spec", rules).size()));
  row->Text(kind.present() ? absl::StrCat(kind.Field("apiVersion").Text(), "/", kind.Field("kind").Text()) : kUnset);
  row->AgeOf(object);
}

// Service accounts with their namespace.
std::string SubjectsOf(const JsonView& subjects, absl::string_view kind) {
  std::vector<std::string> names;
  for (const JsonView& subject : subjects.elements()) {
    if (subject.Field("kind").Text() != kind) continue;
    const absl::string_view name = subject.Field("name").Text();
    const absl::string_view name_space = subject.Field("namespace").Text();
    names.push_back(kind == "ServiceAccount" ? absl::StrCat(name_space, "/", name) : std::string(name));
  }
  return absl::StrJoin(names, ", ");
}

std::string RequestCondition(const JsonView& status) {
  const JsonView conditions = status.Field("conditions");
  std::string text = FindByType(conditions, "Denied").present()     ? "Denied"
                     : FindByType(conditions, "Approved").present() ? "Approved"
                                                                    : "Pending";
  if (FindByType(conditions, "Failed").present()) text += ",Failed";
  if (!status.Field("certificate").Text().empty()) text += ",Issued";
  return text;
}

std::string Availability(const JsonView& service) {
  const JsonView condition = FindByType(service.At("status", "conditions"), "Available");
  if (!condition.present()) return "Unknown";
  const absl::string_view status = condition.Field("status").Text();
  const absl::string_view reason = condition.Field("reason").Text();
  if (status == "True" || reason.empty()) return std::string(status);
  return absl::StrCat(status, " (", reason, ")");
}

void NumberOrNone(const JsonView& of, absl::string_view field, TableRow* row) {
  if (of.present()) {
    row->Number(of.Field(field).Number());
  } else {
    row->Text(kNone);
  }
}

}  // namespace

void AdmissionPolicyBinding(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(object.At("spec", "policyName").Text());
  row->Text(ParamRef(object.At("spec", "paramRef")));
  row->AgeOf(object);
}

void APIService(const JsonView& service, TableRow* row) {
  const JsonView local = service.At("spec", "service");
  row->NameOf(service);
  row->Text(local.present() ? absl::StrCat(local.Field("namespace").Text(), "/", local.Field("name").Text()) : "Local");
  row->Text(Availability(service));
  row->AgeOf(service);
}

void CertificateSigningRequest(const JsonView& request, TableRow* row) {
  const JsonView spec = request.Field("spec");
  const JsonView expiration = spec.Field("expirationSeconds");
  row->NameOf(request);
  row->AgeOf(request);
  row->TextOr(spec.Field("signerName").Text(), kNone);
  row->Text(spec.Field("username").Text());
  row->Text(expiration.present() ? HumanDuration(absl::Seconds(expiration.Number())) : std::string(kNone));
  row->Text(RequestCondition(request.Field("status")));
}

void FlowSchema(const JsonView& object, TableRow* row) {
  const JsonView spec = object.Field("spec");
  const JsonView method = spec.Field("distinguisherMethod");
  const JsonView dangling = FindByType(object.At("status", "conditions"), "Dangling");
  row->NameOf(object);
  row->Text(spec.At("priorityLevelConfiguration", "name").Text());
  row->Number(spec.Field("matchingPrecedence").Number());
  row->Text(method.present() ? method.Field("type").Text() : kNone);
  row->AgeOf(object);
  row->Text(dangling.present() ? dangling.Field("status").Text() : "?");
}

void MutatingAdmissionPolicy(const JsonView& object, TableRow* row) { AdmissionPolicy(object, "mutations", row); }

void PriorityLevelConfiguration(const JsonView& object, TableRow* row) {
  const JsonView limited = object.At("spec", "limited");
  const JsonView queuing = limited.At("limitResponse", "queuing");
  row->NameOf(object);
  row->Text(object.At("spec", "type").Text());
  NumberOrNone(limited, "nominalConcurrencyShares", row);
  for (const absl::string_view field : {"queues", "handSize", "queueLengthLimit"}) NumberOrNone(queuing, field, row);
  row->AgeOf(object);
}

// Of a ClusterRoleBinding, too.
void RoleBinding(const JsonView& object, TableRow* row) {
  const JsonView role = object.Field("roleRef");
  const JsonView subjects = object.Field("subjects");
  row->NameOf(object);
  row->Text(absl::StrCat(role.Field("kind").Text(), "/", role.Field("name").Text()));
  row->AgeOf(object);
  for (const absl::string_view kind : {"User", "Group", "ServiceAccount"}) row->Text(SubjectsOf(subjects, kind));
}

void ValidatingAdmissionPolicy(const JsonView& object, TableRow* row) { AdmissionPolicy(object, "validations", row); }

void WebhookConfiguration(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Number(static_cast<int64_t>(object.Field("webhooks").size()));
  row->AgeOf(object);
}

}  // namespace tidemark::http::cells
