#include "http/discovery.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/content_hash.h"
#include "base/go_json_string.h"
#include "config/version_order.h"
#include "http/subresource.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kAggregatedVersion = "apidiscovery.k8s.io/v2";
constexpr absl::string_view kAggregatedKind = "APIGroupDiscoveryList";

using ResourcePtr = const config::Resource*;

constexpr absl::string_view kSubresourceVerbs = R"(["get"])";
constexpr absl::string_view kScaleGroupVersion = R"(,"group":"autoscaling","version":"v1")";

// kube-apiserver's own order of groups; others follow by name.
constexpr absl::string_view kGroupOrder[] = {"apiregistration.k8s.io",
                                             "apps",
                                             "events.k8s.io",
                                             "authentication.k8s.io",
                                             "authorization.k8s.io",
                                             "autoscaling",
                                             "batch",
                                             "certificates.k8s.io",
                                             "networking.k8s.io",
                                             "policy",
                                             "rbac.authorization.k8s.io",
                                             "storage.k8s.io",
                                             "admissionregistration.k8s.io",
                                             "apiextensions.k8s.io",
                                             "scheduling.k8s.io",
                                             "coordination.k8s.io",
                                             "node.k8s.io",
                                             "discovery.k8s.io",
                                             "resource.k8s.io",
                                             "flowcontrol.apiserver.k8s.io"};

auto GroupRank(const std::string& group) {
  return std::make_tuple(std::find(std::begin(kGroupOrder), std::end(kGroupOrder), group), absl::string_view(group));
}

// A group's versions, each with its readable resources by name. A version whose resources can only be created is there without.
struct Version {
  std::string version;
  std::vector<ResourcePtr> resources;
};
struct GroupRows {
  std::string name;
  std::vector<Version> versions;
};

std::vector<GroupRows> Sorted(absl::Span<const ResourcePtr> resources) {
  std::map<std::string, std::map<std::string, std::vector<ResourcePtr>>> by_group;
  for (const ResourcePtr resource : resources) {
    std::vector<ResourcePtr>& members = by_group[resource->group][resource->version];
    if (!resource->verbs.empty()) members.push_back(resource);
  }
  std::vector<GroupRows> groups;
  for (auto& [name, versions] : by_group) {
    GroupRows group{.name = name};
    for (auto& [version, members] : versions) {
      std::sort(members.begin(), members.end(), [](ResourcePtr a, ResourcePtr b) { return a->plural < b->plural; });
      group.versions.push_back({.version = version, .resources = std::move(members)});
    }
    std::stable_sort(group.versions.begin(), group.versions.end(), [](const Version& a, const Version& b) {
      return config::IsPreferredVersion(a.version, b.version);
    });
    groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end(),
            [](const GroupRows& a, const GroupRows& b) { return GroupRank(a.name) < GroupRank(b.name); });
  return groups;
}

std::string Texts(const std::vector<std::string>& texts) {
  return absl::StrCat(
      "[", absl::StrJoin(texts, ",", [](std::string* out, const std::string& text) { AppendGoJsonString(text, out); }),
      "]");
}

std::string NamesJson(const config::Resource& resource) {
  std::string out;
  if (!resource.short_names.empty()) absl::StrAppend(&out, ",\"shortNames\":", Texts(resource.short_names));
  if (!resource.categories.empty()) absl::StrAppend(&out, ",\"categories\":", Texts(resource.categories));
  return out;
}

// Of the subresources, what a reader can ask for: the object's status and scale.
std::vector<const config::Subresource*> Readable(const config::Resource& resource) {
  std::vector<const config::Subresource*> readable;
  for (const config::Subresource& subresource : resource.subresources) {
    if (IsMadeOfTheObject(subresource) && HasGet(subresource)) readable.push_back(&subresource);
  }
  return readable;
}

std::string ResponseKind(const config::Resource& resource, absl::string_view kind) {
  // Built-in kinds leave group and version to the document around them.
  return absl::StrCat("{\"group\":", GoJsonString(resource.custom ? resource.group : ""),
                      ",\"version\":", GoJsonString(resource.custom ? resource.version : ""),
                      ",\"kind\":", GoJsonString(kind), "}");
}

std::string SubresourceKind(const config::Resource& resource, const config::Subresource& subresource) {
  if (IsScale(subresource)) return R"({"group":"autoscaling","version":"v1","kind":"Scale"})";
  return ResponseKind(resource, subresource.kind);
}

std::string AggregatedResource(const config::Resource& resource) {
  std::string out = absl::StrCat("{\"resource\":", GoJsonString(resource.plural),
                                 ",\"responseKind\":", ResponseKind(resource, resource.kind), ",\"scope\":\"",
                                 resource.namespaced ? "Namespaced" : "Cluster",
                                 "\",\"singularResource\":", GoJsonString(resource.singular),
                                 ",\"verbs\":", Texts(resource.verbs), NamesJson(resource));
  std::vector<std::string> subresources;
  for (const config::Subresource* subresource : Readable(resource)) {
    subresources.push_back(absl::StrCat("{\"subresource\":", GoJsonString(subresource->name),
                                        ",\"responseKind\":", SubresourceKind(resource, *subresource),
                                        ",\"verbs\":", kSubresourceVerbs, "}"));
  }
  if (!subresources.empty()) absl::StrAppend(&out, ",\"subresources\":[", absl::StrJoin(subresources, ","), "]");
  return out + "}";
}

std::string AggregatedGroup(const GroupRows& group) {
  const std::string metadata = group.name.empty() ? "{}" : absl::StrCat("{\"name\":", GoJsonString(group.name), "}");
  const auto version_json = [](std::string* out, const Version& version) {
    const auto resource_json = [](std::string* text, ResourcePtr resource) { *text += AggregatedResource(*resource); };
    absl::StrAppend(out, "{\"version\":", GoJsonString(version.version), ",\"resources\":[",
                    absl::StrJoin(version.resources, ",", resource_json), "],\"freshness\":\"Current\"}");
  };
  return absl::StrCat("{\"metadata\":", metadata, ",\"versions\":[", absl::StrJoin(group.versions, ",", version_json),
                      "]}");
}

std::string AggregatedList(const std::vector<std::string>& groups) {
  return absl::StrCat(R"(,"metadata":{},"items":[)", absl::StrJoin(groups, ","), "]}");
}

std::string GroupVersionText(const GroupRows& group, const Version& version) {
  return group.name.empty() ? version.version : absl::StrCat(group.name, "/", version.version);
}

std::string ResourceList(const GroupRows& group, const Version& version) {
  std::vector<std::string> rows;
  for (const ResourcePtr resource : version.resources) {
    const absl::string_view namespaced = resource->namespaced ? "true" : "false";
    rows.push_back(absl::StrCat("{\"name\":", GoJsonString(resource->plural),
                                ",\"singularName\":", GoJsonString(resource->singular), ",\"namespaced\":", namespaced,
                                ",\"kind\":", GoJsonString(resource->kind), ",\"verbs\":", Texts(resource->verbs),
                                NamesJson(*resource), "}"));
    for (const config::Subresource* subresource : Readable(*resource)) {
      const absl::string_view elsewhere = IsScale(*subresource) ? kScaleGroupVersion : "";
      rows.push_back(absl::StrCat("{\"name\":", GoJsonString(absl::StrCat(resource->plural, "/", subresource->name)),
                                  ",\"singularName\":\"\",\"namespaced\":", namespaced, elsewhere, ",\"kind\":",
                                  GoJsonString(subresource->kind), ",\"verbs\":", kSubresourceVerbs, "}"));
    }
  }
  return absl::StrCat(",\"groupVersion\":", GoJsonString(GroupVersionText(group, version)), ",\"resources\":[",
                      absl::StrJoin(rows, ","), "]}");
}

// Without braces and kind: what a list of groups and a single one have in common.
std::string GroupFields(const GroupRows& group) {
  const auto version_json = [&group](std::string* out, const Version& version) {
    absl::StrAppend(out, "{\"groupVersion\":", GoJsonString(GroupVersionText(group, version)),
                    ",\"version\":", GoJsonString(version.version), "}");
  };
  std::string preferred;
  version_json(&preferred, group.versions.front());
  return absl::StrCat("\"name\":", GoJsonString(group.name), ",\"versions\":[",
                      absl::StrJoin(group.versions, ",", version_json), "],\"preferredVersion\":", preferred);
}

// `fields`: what follows kind and version, the brace that ends it all included.
Discovery::Document MakeDocument(absl::string_view api_version, absl::string_view kind, absl::string_view fields) {
  std::string json = absl::StrCat("{\"kind\":\"", kind, "\"");
  if (!api_version.empty()) absl::StrAppend(&json, ",\"apiVersion\":\"", api_version, "\"");
  absl::StrAppend(&json, fields);
  std::string etag = absl::StrCat("\"", ContentHash(json), "\"");
  return {.api_version = std::string(api_version),
          .kind = std::string(kind),
          .json = std::move(json),
          .etag = std::move(etag)};
}

}  // namespace

Discovery::Discovery(absl::Span<const ResourcePtr> resources) {
  std::vector<GroupRows> groups = Sorted(resources);
  const auto core =
      std::find_if(groups.begin(), groups.end(), [](const GroupRows& group) { return group.name.empty(); });
  // The core group is always there: a client that asks /api/v1 wants an empty list rather than none.
  GroupRows core_group{.name = "", .versions = {{.version = "v1"}}};
  if (core != groups.end()) {
    core_group = *core;
    groups.erase(core);
  }
  std::vector<std::string> aggregated;
  std::vector<std::string> listed;
  for (const GroupRows& group : groups) {
    aggregated.push_back(AggregatedGroup(group));
    listed.push_back(absl::StrCat("{", GroupFields(group), "}"));
    by_group_.emplace(group.name, MakeDocument("v1", "APIGroup", absl::StrCat(",", GroupFields(group), "}")));
  }
  groups.push_back(core_group);
  for (const GroupRows& group : groups) {
    for (const Version& version : group.versions) {
      by_group_version_.emplace(
          absl::StrCat(group.name, "/", version.version),
          // The core group's document is older than the field.
          MakeDocument(group.name.empty() ? "" : "v1", "APIResourceList", ResourceList(group, version)));
    }
  }
  core_aggregated_ = MakeDocument(kAggregatedVersion, kAggregatedKind, AggregatedList({AggregatedGroup(core_group)}));
  groups_aggregated_ = MakeDocument(kAggregatedVersion, kAggregatedKind, AggregatedList(aggregated));
  core_versions_ = MakeDocument("", "APIVersions",
                                R"(,"versions":["v1"],"serverAddressByClientCIDRs":)"
                                R"([{"clientCIDR":"0.0.0.0/0","serverAddress":""}]})");
  groups_ = MakeDocument("v1", "APIGroupList", absl::StrCat(R"(,"groups":[)", absl::StrJoin(listed, ","), "]}"));
}

const Discovery::Document* Discovery::Group(absl::string_view group) const {
  const auto found = by_group_.find(group);
  return found == by_group_.end() ? nullptr : &found->second;
}

const Discovery::Document* Discovery::GroupVersion(absl::string_view group, absl::string_view version) const {
  const auto found = by_group_version_.find(absl::StrCat(group, "/", version));
  return found == by_group_version_.end() ? nullptr : &found->second;
}

}  // namespace tidemark::http
