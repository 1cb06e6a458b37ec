#include <set>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

std::string HostPort(absl::string_view host, int64_t port) {
  const bool bracketed = absl::StrContains(host, ':') || absl::StrContains(host, '%');
  return bracketed ? absl::StrCat("[", host, "]:", port) : absl::StrCat(host, ":", port);
}

std::string EndpointsText(const JsonView& subsets) {
  std::vector<std::string> list;
  for (const JsonView& subset : subsets.elements()) {
    const JsonView::Elements addresses = subset.Field("addresses").elements();
    if (subset.Field("ports").size() == 0) {
      for (const JsonView& address : addresses) list.emplace_back(address.Field("ip").Text());
    }
    for (const JsonView& port : subset.Field("ports").elements()) {
      for (const JsonView& address : addresses) {
        list.push_back(HostPort(address.Field("ip").Text(), port.Field("port").Number()));
      }
    }
  }
  if (subsets.size() == 0) return std::string(kNone);
  return ListWithMore(list);
}

// Addresses of a load balancer, each once, in order.
std::string BalancerText(const JsonView& object) {
  std::set<absl::string_view> addresses;
  for (const JsonView& ingress : object.At("status", "loadBalancer", "ingress").elements()) {
    const absl::string_view ip = ingress.Field("ip").Text();
    const absl::string_view address = ip.empty() ? ingress.Field("hostname").Text() : ip;
    if (!address.empty()) addresses.insert(address);
  }
  return absl::StrJoin(addresses, ",");
}

std::string ExternalIp(const JsonView& service) {
  const absl::string_view type = service.At("spec", "type").Text();
  const JsonView external = service.At("spec", "externalIPs");
  const std::string own = JoinTexts(external);
  if (type == "ExternalName") return std::string(service.At("spec", "externalName").Text());
  if (type == "ClusterIP" || type == "NodePort") return external.size() == 0 ? std::string(kNone) : own;
  if (type != "LoadBalancer") return std::string(kUnknown);
  const std::string balanced = BalancerText(service);
  if (external.size() == 0) return balanced.empty() ? "<pending>" : balanced;
  return balanced.empty() ? own : absl::StrCat(balanced, ",", own);
}

std::string ServicePorts(const JsonView& ports) {
  return absl::StrJoin(ports.elements(), ",", [](std::string* out, const JsonView& port) {
    absl::StrAppend(out, port.Field("port").Number());
    const int64_t node_port = port.Field("nodePort").Number();
    if (node_port > 0) absl::StrAppend(out, ":", node_port);
    absl::StrAppend(out, "/", port.Field("protocol").Text());
  });
}

// Objects of old releases have clusterIP alone.
absl::string_view ClusterIp(const JsonView& spec) {
  const JsonView::Elements ips = spec.Field("clusterIPs").elements();
  if (!ips.empty()) return ips.front().Text();
  const absl::string_view ip = spec.Field("clusterIP").Text();
  return ip.empty() ? kNone : ip;
}

// Rules without a host take no place among the shown, but count in what is more.
std::string IngressHosts(const JsonView& rules) {
  std::vector<absl::string_view> list;
  bool more = false;
  for (const JsonView& rule : rules.elements()) {
    more = list.size() == kListedMax;
    if (more) break;
    if (const absl::string_view host = rule.Field("host").Text(); !host.empty()) list.push_back(host);
  }
  if (list.empty()) return "*";
  const std::string shown = absl::StrJoin(list, ",");
  return more ? absl::StrCat(shown, " + ", rules.size() - kListedMax, " more...") : shown;
}

}  // namespace

void Endpoints(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(EndpointsText(object.Field("subsets")));
  row->AgeOf(object);
}

void EndpointSlice(const JsonView& object, TableRow* row) {
  std::vector<std::string> ports;
  for (const JsonView& port : object.Field("ports").elements()) {
    const JsonView number = port.Field("port");
    ports.push_back(number.present() ? number.Scalar() : TextIfPresent(port.Field("name"), "*"));
  }
  std::vector<std::string> addresses;
  for (const JsonView& endpoint : object.Field("endpoints").elements()) {
    for (const JsonView& address : endpoint.Field("addresses").elements()) addresses.emplace_back(address.Text());
  }
  row->NameOf(object);
  row->Text(object.Field("addressType").Text());
  row->TextOr(ListWithMore(ports), kUnset);
  row->TextOr(ListWithMore(addresses), kUnset);
  row->AgeOf(object);
}

// One cell more than there are columns: so does kube-apiserver.
void IPAddress(const JsonView& object, TableRow* row) {
  const JsonView parent = object.At("spec", "parentRef");
  const absl::string_view group = parent.Field("group").Text();
  const absl::string_view name_space = parent.Field("namespace").Text();
  std::string text = absl::StrCat(parent.Field("resource").Text(), group.empty() ? "" : ".", group);
  absl::AsciiStrToLower(&text);
  absl::StrAppend(&text, name_space.empty() ? "" : "/", name_space, "/", parent.Field("name").Text());
  row->NameOf(object);
  row->Text(parent.present() ? text : kNone);
  row->AgeOf(object);
}

void Ingress(const JsonView& object, TableRow* row) {
  const JsonView spec = object.Field("spec");
  row->NameOf(object);
  row->Text(TextIfPresent(spec.Field("ingressClassName"), kNone));
  row->Text(IngressHosts(spec.Field("rules")));
  row->Text(BalancerText(object));
  row->Text(spec.Field("tls").size() == 0 ? "80" : "80, 443");
  row->AgeOf(object);
}

void IngressClass(const JsonView& object, TableRow* row) {
  const JsonView is_default = object.At("metadata", "annotations", "ingressclass.kubernetes.io/is-default-class");
  const JsonView parameters = object.At("spec", "parameters");
  const JsonView group = parameters.Field("apiGroup");
  const absl::string_view name = object.At("metadata", "name").Text();
  row->Text(is_default.Text() == "true" ? absl::StrCat(name, " (default)") : name);
  row->Text(object.At("spec", "controller").Text());
  row->Text(parameters.present() ? absl::StrCat(parameters.Field("kind").Text(), group.present() ? "." : "",
                                                group.Text(), "/", parameters.Field("name").Text())
                                 : kNone);
  row->AgeOf(object);
}

void NetworkPolicy(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(SelectorCell(object.At("spec", "podSelector")));
  row->AgeOf(object);
}

void Service(const JsonView& service, TableRow* row) {
  const JsonView spec = service.Field("spec");
  row->NameOf(service);
  row->Text(spec.Field("type").Text());
  row->Text(ClusterIp(spec));
  row->Text(ExternalIp(service));
  row->TextOr(ServicePorts(spec.Field("ports")), kNone);
  row->AgeOf(service);
  row->Text(LabelsText(spec.Field("selector")));
}

void ServiceCIDR(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(JoinTexts(object.At("spec", "cidrs")));
  row->AgeOf(object);
}

}  // namespace tidemark::http::cells
