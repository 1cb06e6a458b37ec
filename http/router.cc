#include "http/router.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "http/subresource.h"
#include "net/request_target.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kCoreVersion = "v1";

Route Of(Route::Kind kind) { return Route{.kind = kind}; }

// Subresources of a namespace; anything else behind its name is a resource in it.
bool IsNamespaceSubresource(absl::string_view segment) { return segment == "status" || segment == "finalize"; }

const config::Subresource* FindSubresource(const config::Resource& resource, absl::string_view name) {
  for (const config::Subresource& subresource : resource.subresources) {
    if (subresource.name == name) return &subresource;
  }
  return nullptr;
}

// What a path behind a group version says: [namespaces NS] plural [name [subresource]].
struct Parts {
  std::string namespace_name;
  bool in_namespace = false;
  std::string plural;
  std::string name;
  std::string subresource;
  bool valid = true;
};

Parts Split(absl::Span<const std::string> rest) {
  Parts parts;
  const bool in_namespace = rest.size() > 2 && rest[0] == "namespaces" && !IsNamespaceSubresource(rest[2]);
  if (in_namespace) {
    parts.in_namespace = !rest[1].empty();  // an empty namespace is all of them
    parts.namespace_name = rest[1];
    rest.remove_prefix(2);
  }
  parts.valid = !rest.empty() && rest.size() <= 3 &&
                std::none_of(rest.begin(), rest.end(), [](const std::string& segment) { return segment.empty(); });
  if (!parts.valid) return parts;
  parts.plural = rest[0];
  if (rest.size() > 1) parts.name = rest[1];
  if (rest.size() > 2) parts.subresource = rest[2];
  return parts;
}

// Such resources have one path: where they are posted to.
Route OnlyCreated(const config::Resource& resource, const Parts& parts) {
  if (!parts.name.empty() || parts.in_namespace != resource.namespaced) return Of(Route::Kind::kNotFound);
  return {.kind = Route::Kind::kWriteOnly, .resource = &resource, .namespace_name = parts.namespace_name};
}

Route HealthRoute(absl::Span<const std::string> segments) {
  Route route = Of(Route::Kind::kHealth);
  route.name = segments[0];
  route.subresource = absl::StrJoin(segments.subspan(1), "/");
  return route;
}

}  // namespace

Router::Router(absl::Span<const config::Resource* const> resources) {
  for (const config::Resource* resource : resources) {
    resources_.emplace(absl::StrCat(resource->group, "/", resource->version, "/", resource->plural), resource);
    groups_[resource->group] |= !resource->custom;
    group_versions_[absl::StrCat(resource->group, "/", resource->version)] |= !resource->custom;
  }
}

Route Router::Find(absl::string_view path) const {
  std::string decoded;
  if (!net::DecodePercent(path, net::PercentForm::kPath, &decoded)) decoded = std::string(path);
  absl::string_view text = decoded;
  if (text == "/" || text.empty()) return Of(Route::Kind::kRoot);
  if (!absl::ConsumePrefix(&text, "/")) return Of(Route::Kind::kUnknownPath);
  if (absl::ConsumePrefix(&text, "openapi/")) return {.kind = Route::Kind::kOpenApi, .name = std::string(text)};
  absl::ConsumeSuffix(&text, "/");
  const std::vector<std::string> all = absl::StrSplit(text, '/');
  Segments segments(all);
  const std::string& root = segments[0];
  if (root == "livez" || root == "readyz" || root == "healthz") return HealthRoute(segments);
  if (segments.size() == 1) {
    if (root == "version") return Of(Route::Kind::kVersion);
    if (root == "metrics") return Of(Route::Kind::kMetrics);
    if (root == "api") return Of(Route::Kind::kApi);
    if (root == "apis") return Of(Route::Kind::kApis);
  }
  if (root == "api") {
    if (segments.size() < 2) return Of(Route::Kind::kUnknownPath);
    return FindApi("", segments[1], segments.subspan(2));
  }
  if (root == "apis" && segments.size() >= 2 && groups_.contains(segments[1])) {
    if (segments.size() == 2) {
      Route route = Of(Route::Kind::kGroup);
      route.group = segments[1];
      return route;
    }
    return FindApi(segments[1], segments[2], segments.subspan(3));
  }
  return Of(Route::Kind::kUnknownPath);
}

Route Router::FindApi(absl::string_view group, absl::string_view version, Segments rest) const {
  if (!group_versions_.contains(absl::StrCat(group, "/", version))) {
    // The core group is there even when none of its resources is mirrored.
    const bool core = group.empty() && version == kCoreVersion && rest.empty();
    if (!core) return Missing(group);
  }
  if (rest.empty()) {
    Route route = Of(Route::Kind::kGroupVersion);
    route.group = std::string(group);
    route.version = std::string(version);
    return route;
  }
  if (rest[0] != "watch") return FindResource(group, version, rest);
  if (rest.size() == 1) return Of(Route::Kind::kBrokenWatchPath);
  Route route = FindResource(group, version, rest.subspan(1));
  route.watch_path = true;
  if (!route.subresource.empty()) return Missing(group);
  return route;
}

Route Router::Missing(absl::string_view group) const {
  const auto found = groups_.find(group);
  const bool builtin = group.empty() || (found != groups_.end() && found->second);
  return Of(builtin ? Route::Kind::kNotFound : Route::Kind::kUnknownPath);
}

Route Router::FindResource(absl::string_view group, absl::string_view version, Segments rest) const {
  const Parts parts = Split(rest);
  if (!parts.valid) return Missing(group);
  const auto found = resources_.find(absl::StrCat(group, "/", version, "/", parts.plural));
  if (found == resources_.end()) return Missing(group);
  const config::Resource& resource = *found->second;
  if (parts.in_namespace && !resource.namespaced) return Missing(group);
  if (!parts.name.empty() && resource.namespaced && !parts.in_namespace) return Missing(group);
  if (resource.verbs.empty()) return OnlyCreated(resource, parts);

  Route route{.kind = parts.name.empty() ? Route::Kind::kCollection : Route::Kind::kObject,
              .resource = &resource,
              .namespace_name = parts.namespace_name,
              .name = parts.name,
              .subresource = parts.subresource};
  if (parts.subresource.empty()) return route;
  const config::Subresource* subresource = FindSubresource(resource, parts.subresource);
  if (subresource != nullptr && !HasGet(*subresource)) {
    route.kind = Route::Kind::kWriteOnly;
  } else if (subresource == nullptr || !IsMadeOfTheObject(*subresource)) {
    if (!resource.custom) return Missing(group);
    route.kind = Route::Kind::kNoSubresource;
  }
  return route;
}

}  // namespace tidemark::http
