#include "openapi/operations.h"

#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "openapi/definitions.h"

namespace tidemark::openapi {
namespace {

constexpr Parameter kListParameters[] = {{"allowWatchBookmarks", "boolean"},
                                         {"continue", "string"},
                                         {"fieldSelector", "string"},
                                         {"labelSelector", "string"},
                                         {"limit", "integer"},
                                         {"resourceVersion", "string"},
                                         {"resourceVersionMatch", "string"},
                                         {"sendInitialEvents", "boolean"},
                                         {"shardSelector", "string"},
                                         {"timeoutSeconds", "integer"},
                                         {"watch", "boolean"}};
constexpr Parameter kDeleteCollectionParameters[] = {{"continue", "string"},
                                                     {"dryRun", "string"},
                                                     {"fieldSelector", "string"},
                                                     {"gracePeriodSeconds", "integer"},
                                                     {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
                                                     {"labelSelector", "string"},
                                                     {"limit", "integer"},
                                                     {"orphanDependents", "boolean"},
                                                     {"propagationPolicy", "string"},
                                                     {"resourceVersion", "string"},
                                                     {"resourceVersionMatch", "string"},
                                                     {"sendInitialEvents", "boolean"},
                                                     {"shardSelector", "string"},
                                                     {"timeoutSeconds", "integer"}};
constexpr Parameter kDeleteParameters[] = {{"dryRun", "string"},
                                           {"gracePeriodSeconds", "integer"},
                                           {"ignoreStoreReadErrorWithClusterBreakingPotential", "boolean"},
                                           {"orphanDependents", "boolean"},
                                           {"propagationPolicy", "string"}};
constexpr Parameter kPatchParameters[] = {
    {"dryRun", "string"}, {"fieldManager", "string"}, {"fieldValidation", "string"}, {"force", "boolean"}};
constexpr auto kWriteParameters = absl::MakeConstSpan(kPatchParameters, 3);  // all but force
constexpr Parameter kCustomGetParameters[] = {{"resourceVersion", "string"}};
constexpr Parameter kName = {"name", "string", /*in_path=*/true};
constexpr Parameter kNamespace = {"namespace", "string", /*in_path=*/true};
constexpr Parameter kPretty = {"pretty", "string"};

constexpr Answer kUnauthorized = {401, "Unauthorized", /*has_body=*/false};
constexpr Answer kRead[] = {{200, "OK"}, kUnauthorized};
constexpr Answer kWritten[] = {{200, "OK"}, {201, "Created"}, kUnauthorized};
constexpr Answer kCreated[] = {{200, "OK"}, {201, "Created"}, {202, "Accepted"}, kUnauthorized};
constexpr Answer kDeleted[] = {{200, "OK"}, {202, "Accepted"}, kUnauthorized};

constexpr absl::string_view kJson = "application/json";
constexpr absl::string_view kYaml = "application/yaml";

constexpr absl::string_view kStatus = "io.k8s.apimachinery.pkg.apis.meta.v1.Status";
constexpr absl::string_view kPatch = "io.k8s.apimachinery.pkg.apis.meta.v1.Patch";
constexpr absl::string_view kDeleteOptions = "io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions";
// A delete of these is answered with what was deleted.
constexpr absl::string_view kKindsGivenBack[] = {"PersistentVolume",
                                                 "PersistentVolumeClaim",
                                                 "Pod",
                                                 "PodTemplate",
                                                 "ResourceQuota",
                                                 "Service",
                                                 "ServiceAccount",
                                                 "DeviceClass",
                                                 "ResourceClaim",
                                                 "ResourceClaimTemplate",
                                                 "ResourceSlice",
                                                 "CSIDriver",
                                                 "CSINode",
                                                 "StorageClass",
                                                 "VolumeAttachment",
                                                 "VolumeAttributesClass"};

std::string Title(absl::string_view word) {
  std::string title(word);
  if (!title.empty()) title[0] = absl::ascii_toupper(title[0]);
  return title;
}

// The words between these characters, each with a capital.
std::string JoinedTitles(absl::string_view text, absl::string_view separators) {
  const std::vector<absl::string_view> words = absl::StrSplit(text, absl::ByAnyChar(separators), absl::SkipEmpty());
  return absl::StrJoin(words, "", [](std::string* out, absl::string_view word) { *out += Title(word); });
}

// "Core", "RbacAuthorization", "ShopExampleCom".
std::string GroupTitle(absl::string_view group) {
  if (group.empty()) return "Core";
  absl::ConsumeSuffix(&group, ".k8s.io");
  return JoinedTitles(group, ".-");
}

// "rbacAuthorization_v1".
std::string Tag(const config::Resource& resource) {
  std::string tag = GroupTitle(resource.group);
  tag[0] = absl::ascii_tolower(tag[0]);
  return absl::StrCat(tag, "_", resource.version);
}

// Where a subresource's kind is not of the resource's group. By its name: a custom kind may be called Scale, too.
std::pair<absl::string_view, absl::string_view> GroupVersionOf(const config::Resource& resource,
                                                               absl::string_view name) {
  if (name == "scale") return {"autoscaling", "v1"};
  if (name == "eviction") return {"policy", "v1"};
  if (name == "token") return {"authentication.k8s.io", "v1"};
  return {resource.group, resource.version};
}

// Makes the operations of one resource.
class Maker {
 public:
  explicit Maker(const config::Resource& resource)
      : resource_(resource),
        tag_(Tag(resource)),
        object_(DefinitionName(resource, resource.kind)),
        list_(DefinitionName(resource, resource.ListKind())) {}

  Operation List(bool all_namespaces = false) const {
    Operation list =
        Make("get", "list", Id("list", all_namespaces ? "" : Scope(), all_namespaces ? "ForAllNamespaces" : ""));
    list.parameters = kListParameters;
    list.answers = kRead;
    list.answer_definition = list_;
    list.watchable = true;
    return list;
  }

  Operation Create() const { return Post(object_); }

  Operation DeleteCollection() const {
    const std::string verb =
        absl::StrCat("delete", GroupTitle(resource_.group), Title(resource_.version), "Collection");
    Operation removal = Make("delete", "deletecollection", absl::StrCat(verb, Scope(), KindTitle()));
    removal.parameters = kDeleteCollectionParameters;
    removal.answers = kRead;
    removal.answer_definition = std::string(kStatus);
    if (resource_.custom) {
      removal.parameters = kListParameters;
    } else {
      TakeOptions(&removal);
    }
    return removal;
  }

  Operation Delete() const {
    Operation removal = Make("delete", "delete", Id("delete", Scope()));
    removal.parameters = kDeleteParameters;
    removal.answers = kDeleted;
    const bool given_back =
        std::find(std::begin(kKindsGivenBack), std::end(kKindsGivenBack), resource_.kind) != std::end(kKindsGivenBack);
    removal.answer_definition = given_back && !resource_.custom ? object_ : std::string(kStatus);
    TakeOptions(&removal);
    return removal;
  }

  Operation Get() const {
    Operation get = Make("get", "get", Id("read", Scope()));
    if (resource_.custom) get.parameters = kCustomGetParameters;
    get.answers = kRead;
    get.answer_definition = object_;
    return get;
  }

  Operation Replace() const {
    Operation replace = Make("put", "put", Id("replace", Scope()));
    replace.parameters = kWriteParameters;
    replace.answers = kWritten;
    replace.answer_definition = object_;
    TakeObject(object_, &replace);
    return replace;
  }

  Operation Patch() const {
    Operation patch = Make("patch", "patch", Id("patch", Scope()));
    patch.parameters = kPatchParameters;
    patch.answers = resource_.custom ? absl::Span<const Answer>(kRead) : absl::Span<const Answer>(kWritten);
    patch.answer_definition = object_;
    patch.body = RequestBody::kPatch;
    patch.body_definition = std::string(kPatch);
    return patch;
  }

  // The same, of the object's subresource.
  Maker Of(const config::Subresource& subresource) const {
    Maker maker = *this;
    const auto [group, version] = GroupVersionOf(resource_, subresource.name);
    const bool elsewhere = group != resource_.group || version != resource_.version;
    const DefinitionRow* const row = elsewhere ? FindKind(group, version, subresource.kind) : nullptr;
    maker.object_ = row != nullptr ? row->name : DefinitionName(resource_, subresource.kind);
    maker.suffix_ = Title(subresource.name);
    if (resource_.custom) return maker;  // its scale, too, goes by the object's kind
    maker.group_ = std::string(group);
    maker.version_ = std::string(version);
    maker.kind_ = subresource.kind;
    return maker;
  }

 private:
  absl::string_view Scope() const { return resource_.namespaced ? "Namespaced" : ""; }

  std::string Id(absl::string_view verb, absl::string_view scope, absl::string_view suffix = "") const {
    return absl::StrCat(verb, GroupTitle(resource_.group), Title(resource_.version), scope, KindTitle(), suffix,
                        suffix_);
  }

  std::string KindTitle() const {
    std::string title = JoinedTitles(resource_.kind, "-");
    title[0] = resource_.kind[0];
    return title;
  }

  Operation Make(absl::string_view method, absl::string_view action, std::string id) const {
    return {.method = method,
            .action = action,
            .id = std::move(id),
            .tag = tag_,
            .custom = resource_.custom,
            .group = group_,
            .version = version_,
            .kind = kind_};
  }

  Operation Post(const std::string& definition) const {
    Operation create = Make("post", "post", Id("create", Scope()));
    create.parameters = kWriteParameters;
    create.answers = kCreated;
    create.answer_definition = definition;
    TakeObject(definition, &create);
    return create;
  }

  static void TakeObject(const std::string& definition, Operation* operation) {
    operation->body = RequestBody::kObject;
    operation->body_definition = definition;
  }

  static void TakeOptions(Operation* operation) {
    operation->body = RequestBody::kOptions;
    operation->body_definition = std::string(kDeleteOptions);
  }

  const config::Resource& resource_;
  std::string tag_;
  std::string object_;  // definitions
  std::string list_;
  std::string suffix_;
  std::string group_ = resource_.group;
  std::string version_ = resource_.version;
  std::string kind_ = resource_.kind;
};

class Paths {
 public:
  void Add(const config::Resource& resource) {
    const std::string root = absl::StrCat(resource.group.empty() ? "/api/" : "/apis/", resource.ApiVersion(), "/");
    const Maker maker(resource);
    const std::string collection =
        absl::StrCat(root, resource.namespaced ? "namespaces/{namespace}/" : "", resource.plural);
    const auto scope = absl::MakeConstSpan(&kNamespace, resource.namespaced ? 1 : 0);
    if (resource.namespaced && resource.Has("list"))
      Put(absl::StrCat(root, resource.plural), {}, {maker.List(/*all_namespaces=*/true)});
    Put(collection, scope, OfCollection(resource, maker));
    if (resource.verbs.empty()) return;
    const std::string object = absl::StrCat(collection, "/{name}");
    std::vector<Parameter> names = {kName};
    names.insert(names.end(), scope.begin(), scope.end());
    Put(object, names, OfObject(resource, maker));
    for (const config::Subresource& subresource : resource.subresources) {
      // What is connected to has options as its kind, and a log is text.
      if (absl::EndsWith(subresource.kind, "Options") || subresource.name == "log") continue;
      Put(absl::StrCat(object, "/", subresource.name), names, OfSubresource(subresource, maker.Of(subresource)));
    }
  }

  std::vector<PathItem> Take() {
    std::vector<PathItem> items;
    for (auto& [path, item] : items_) items.push_back(std::move(item));
    return items;
  }

 private:
  static std::vector<Operation> OfCollection(const config::Resource& resource, const Maker& maker) {
    std::vector<Operation> operations;
    if (resource.Has("list")) operations.push_back(maker.List());
    if (resource.stored() || resource.verbs.empty()) operations.push_back(maker.Create());
    // Namespaces go one by one.
    if (resource.stored() && resource.GroupResource() != "namespaces") operations.push_back(maker.DeleteCollection());
    return operations;
  }

  static std::vector<Operation> OfObject(const config::Resource& resource, const Maker& maker) {
    if (!resource.stored()) return {maker.Get()};
    return {maker.Get(), maker.Replace(), maker.Delete(), maker.Patch()};
  }

  static std::vector<Operation> OfSubresource(const config::Subresource& subresource, const Maker& maker) {
    std::vector<Operation> operations;
    const auto has = [&subresource](absl::string_view verb) {
      return std::find(subresource.verbs.begin(), subresource.verbs.end(), verb) != subresource.verbs.end();
    };
    if (has("get")) operations.push_back(maker.Get());
    if (has("update")) operations.push_back(maker.Replace());
    if (has("create")) operations.push_back(maker.Create());
    if (has("patch")) operations.push_back(maker.Patch());
    return operations;
  }

  // The parameters of a single operation stand at its path.
  void Put(const std::string& path, absl::Span<const Parameter> parameters, std::vector<Operation> operations) {
    if (operations.empty()) return;
    PathItem& item = items_[path];
    item = {.path = path, .parameters = {parameters.begin(), parameters.end()}, .operations = std::move(operations)};
    item.parameters.push_back(kPretty);
    if (item.operations.size() > 1) return;
    const auto only = std::exchange(item.operations.front().parameters, {});
    item.parameters.insert(item.parameters.end(), only.begin(), only.end());
    std::sort(item.parameters.begin(), item.parameters.end(),
              [](const Parameter& a, const Parameter& b) { return a.name < b.name; });
  }

  std::map<std::string, PathItem> items_;
};

}  // namespace

std::vector<absl::string_view> RequestTypes(const Operation& operation) {
  if (operation.body == RequestBody::kPatch) {
    std::vector<absl::string_view> types = {"application/json-patch+json", "application/merge-patch+json"};
    if (!operation.custom) types.push_back("application/strategic-merge-patch+json");
    types.push_back("application/apply-patch+yaml");
    return types;
  }
  if (operation.custom) return {kJson, kYaml};
  return {"*/*"};
}

std::vector<absl::string_view> AnswerTypes(const Operation& operation) {
  if (operation.custom) return {kJson, kYaml};
  std::vector<absl::string_view> types = {kJson, kYaml, "application/vnd.kubernetes.protobuf"};
  if (operation.watchable) {
    types.push_back("application/json;stream=watch");
    types.push_back("application/vnd.kubernetes.protobuf;stream=watch");
  }
  return types;
}

std::vector<PathItem> PathsOf(absl::Span<const config::Resource* const> resources) {
  Paths paths;
  for (const config::Resource* const resource : resources) paths.Add(*resource);
  return paths.Take();
}

std::string DefinitionName(const config::Resource& resource, absl::string_view kind) {
  const DefinitionRow* const row = resource.custom ? nullptr : FindKind(resource.group, resource.version, kind);
  if (row != nullptr) return row->name;
  std::vector<absl::string_view> words = absl::StrSplit(resource.group, '.', absl::SkipEmpty());
  std::reverse(words.begin(), words.end());
  words.push_back(resource.version);
  words.push_back(kind);
  std::string name = absl::StrJoin(words, ".");
  // A group may be called so that its kinds have names of Kubernetes' own.
  if (FindDefinition(name) != nullptr) name += "_v2";
  return name;
}

}  // namespace tidemark::openapi
