#include "cmd/manifest.h"

#include <nlohmann/json.hpp>
#include <random>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/status.h"
#include "config/yaml.h"

namespace tidemark::cmd {
namespace {

using Json = nlohmann::ordered_json;

// Lists inside lists are nobody's manifest.
constexpr int kListDepthMax = 4;
// As deep as YAML may be (config/yaml.cc).
constexpr int kJsonDepthMax = 100;

absl::Status Wrong(absl::string_view what) { return absl::InvalidArgumentError(what); }

std::string TextOf(const Json& object, const char* member) {
  const auto found = object.find(member);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

absl::StatusOr<const config::Resource*> FindResource(const Json& object,
                                                     const std::vector<config::Resource>& resources) {
  const std::string kind = TextOf(object, "kind");
  const std::string version = TextOf(object, "apiVersion");
  if (kind.empty() || version.empty()) return Wrong("kind and apiVersion are wanted");
  for (const config::Resource& resource : resources) {
    if (resource.kind != kind) continue;
    if (resource.ApiVersion() == version) return &resource;
    if (!resource.group.empty() && absl::StartsWith(version, resource.group + "/")) {
      return Wrong(absl::StrCat(kind, " is stored as ", resource.ApiVersion(), ", not as ", version));
    }
  }
  return Wrong(absl::StrCat("no resource is known for ", version, " ", kind));
}

absl::Status CheckName(absl::string_view what, absl::string_view name) {
  if (name.empty()) return Wrong(absl::StrCat("metadata.", what, " is wanted"));
  if (absl::StrContains(name, "/") || name == "." || name == "..") {
    return Wrong(absl::StrCat("metadata.", what, " \"", name, "\" cannot be part of a key"));
  }
  return absl::OkStatus();
}

// An API server reads null as nothing at all, and refuses whatever else is not text.
absl::Status CheckText(const Json& object, absl::string_view path, const char* member) {
  const auto found = object.find(member);
  if (found == object.end() || found->is_null() || found->is_string()) return absl::OkStatus();
  return Wrong(absl::StrCat(path, member, " must be text, not ", found->type_name()));
}

// The same for a member that maps names to texts; null becomes what an API server stores for it: nothing, or "" in it.
absl::Status ReadTexts(absl::string_view path, const char* member, Json* object) {
  const auto found = object->find(member);
  if (found == object->end()) return absl::OkStatus();
  if (found->is_null()) return object->erase(member), absl::OkStatus();
  if (!found->is_object()) return Wrong(absl::StrCat(path, member, " must be a map of texts"));
  for (const auto& [name, value] : found->items()) {
    TM_RETURN_IF_ERROR(CheckText(*found, absl::StrCat(path, member, "."), name.c_str()));
    if (value.is_null()) value = "";
  }
  return absl::OkStatus();
}

absl::Status CheckMetadata(Json* metadata) {
  for (const char* member : {"name", "namespace", "uid", "creationTimestamp"}) {
    TM_RETURN_IF_ERROR(CheckText(*metadata, "metadata.", member));
  }
  TM_RETURN_IF_ERROR(ReadTexts("metadata.", "labels", metadata));
  return ReadTexts("metadata.", "annotations", metadata);
}

// Discarded when `text` is not JSON, or nested so deep that writing it would take more stack than there is.
Json ParseJson(absl::string_view text) {
  bool too_deep = false;
  const auto keep = [&too_deep](int depth, Json::parse_event_t, Json&) {
    too_deep = too_deep || depth > kJsonDepthMax;
    return !too_deep;
  };
  Json parsed = Json::parse(text.begin(), text.end(), keep, /*allow_exceptions=*/false);
  return too_deep ? Json(Json::value_t::discarded) : parsed;
}

// Moves `members` of `object` to its front, in that order.
Json InOrder(const Json& object, std::initializer_list<const char*> members) {
  Json ordered = Json::object();
  for (const char* member : members) {
    if (object.contains(member)) ordered[member] = object[member];
  }
  for (const auto& [name, value] : object.items()) {
    if (!ordered.contains(name)) ordered[name] = value;
  }
  return ordered;
}

// What an API server fills in when an object is created.
Json StoredMetadata(Json metadata, bool namespaced, const ManifestContext& context) {
  if (namespaced && TextOf(metadata, "namespace").empty()) metadata["namespace"] = "default";
  if (!namespaced) metadata.erase("namespace");
  if (TextOf(metadata, "uid").empty()) metadata["uid"] = context.make_uid();
  if (TextOf(metadata, "creationTimestamp").empty()) {
    metadata["creationTimestamp"] = absl::FormatTime("%Y-%m-%dT%H:%M:%SZ", context.now, absl::UTCTimeZone());
  }
  metadata.erase("resourceVersion");
  metadata.erase("selfLink");
  return InOrder(metadata, {"name", "generateName", "namespace", "uid", "generation", "creationTimestamp",
                            "deletionTimestamp", "deletionGracePeriodSeconds", "labels", "annotations",
                            "ownerReferences", "finalizers", "managedFields"});
}

// A Secret's stringData is written for people; its data is what is stored.
absl::Status EncodeStringData(Json* secret) {
  TM_RETURN_IF_ERROR(ReadTexts("", "data", secret));
  TM_RETURN_IF_ERROR(ReadTexts("", "stringData", secret));
  if (!secret->contains("stringData")) return absl::OkStatus();
  const Json plain = std::move((*secret)["stringData"]);
  secret->erase("stringData");
  for (const auto& [name, value] : plain.items()) {
    (*secret)["data"][name] = absl::Base64Escape(value.get<std::string>());
  }
  return absl::OkStatus();
}

absl::StatusOr<StoredObject> ReadObject(Json object, const ManifestContext& context) {
  TM_ASSIGN_OR_RETURN(const config::Resource* resource, FindResource(object, context.resources));
  if (!object.contains("metadata") || !object["metadata"].is_object()) return Wrong("metadata is wanted");
  TM_RETURN_IF_ERROR(CheckMetadata(&object["metadata"]));
  object["metadata"] = StoredMetadata(object["metadata"], resource->namespaced, context);
  if (resource->kind == "Secret" && resource->group.empty()) TM_RETURN_IF_ERROR(EncodeStringData(&object));
  const std::string name = TextOf(object["metadata"], "name");
  const std::string name_space = TextOf(object["metadata"], "namespace");
  TM_RETURN_IF_ERROR(CheckName("name", name));
  if (resource->namespaced) TM_RETURN_IF_ERROR(CheckName("namespace", name_space));
  StoredObject stored;
  stored.key = ObjectKey(context.etcd_prefix, *resource, name_space, name);
  stored.value =
      InOrder(object, {"kind", "apiVersion", "metadata"}).dump(-1, ' ', false, Json::error_handler_t::replace);
  stored.value.push_back('\n');
  return stored;
}

absl::Status AppendObjects(const Json& document, int depth, const ManifestContext& context,
                           std::vector<StoredObject>* objects) {
  if (!document.is_object()) return Wrong("an object is wanted");
  if (absl::EndsWith(TextOf(document, "kind"), "List") && document.contains("items") && document["items"].is_array()) {
    if (depth >= kListDepthMax) return Wrong(absl::StrCat("lists inside lists, more than ", kListDepthMax));
    for (const Json& item : document["items"]) TM_RETURN_IF_ERROR(AppendObjects(item, depth + 1, context, objects));
    return absl::OkStatus();
  }
  TM_ASSIGN_OR_RETURN(StoredObject object, ReadObject(document, context));
  objects->push_back(std::move(object));
  return absl::OkStatus();
}

// One object in JSON is read as such: YAML knows nothing of surrogates in escapes, and its reader takes longer.
absl::StatusOr<std::vector<Json>> ReadDocuments(absl::string_view text) {
  std::vector<Json> documents;
  if (Json object = ParseJson(text); object.is_object()) {
    documents.push_back(std::move(object));
    return documents;
  }
  TM_ASSIGN_OR_RETURN(const std::vector<std::string> texts, config::YamlToJson(text));
  for (const std::string& json : texts) documents.push_back(Json::parse(json, nullptr, /*allow_exceptions=*/false));
  return documents;
}

}  // namespace

absl::StatusOr<std::vector<StoredObject>> ReadManifests(absl::string_view text, const ManifestContext& context) {
  TM_ASSIGN_OR_RETURN(const std::vector<Json> documents, ReadDocuments(text));
  std::vector<StoredObject> objects;
  for (size_t i = 0; i < documents.size(); ++i) {
    const absl::Status status = documents[i].is_discarded() ? Wrong("it cannot be read as JSON")
                                                            : AppendObjects(documents[i], 0, context, &objects);
    if (!status.ok()) return Wrong(absl::StrCat("document ", i + 1, ": ", status.message()));
  }
  return objects;
}

std::string RandomUid() {
  static thread_local std::mt19937_64 random{std::random_device{}()};
  const uint64_t high = random();
  const uint64_t low = random();
  return absl::StrFormat("%08x-%04x-4%03x-%04x-%012x", high >> 32, (high >> 16) & 0xffff, high & 0xfff,
                         0x8000 | ((low >> 48) & 0x3fff), low & 0xffffffffffff);
}

std::string ObjectKey(absl::string_view etcd_prefix, const config::Resource& resource, absl::string_view name_space,
                      absl::string_view name) {
  return resource.namespaced ? absl::StrCat(etcd_prefix, "/", resource.prefix, "/", name_space, "/", name)
                             : absl::StrCat(etcd_prefix, "/", resource.prefix, "/", name);
}

}  // namespace tidemark::cmd
