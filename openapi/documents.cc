#include "openapi/documents.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/content_hash.h"
#include "base/go_json_string.h"
#include "base/log.h"
#include "openapi/definitions.h"
#include "openapi/group_document.h"
#include "openapi/swagger_document.h"
#include "openapi/swagger_protobuf.h"

namespace tidemark::openapi {
namespace {

using crd::Json;

HashedDocument Hashed(std::string json) {
  std::string hash = ContentHash(json);
  return {.json = std::move(json), .hash = std::move(hash)};
}

// "api/v1", "apis/apps/v1".
std::string PathOf(const config::Resource& resource) {
  return absl::StrCat(resource.group.empty() ? "api/" : "apis/", resource.ApiVersion());
}

// A definition that the messages cannot hold says nothing more than that it is an object: the others are still of use.
void DropWhatCannotBeWritten(Json* document) {
  for (auto& [name, definition] : (*document)["definitions"].items()) {
    if (FindDefinition(name) != nullptr) continue;
    const absl::Status written = SwaggerToProtobuf({{"definitions", {{name, definition}}}}).status();
    if (written.ok()) continue;
    Log(LogLevel::kWarning, "OpenAPI 2 has no more of a kind than its name", {{"definition", name}, {"why", written.message()}});
    definition = {{"type", "object"}};
  }
}

std::string WriteProtobuf(Json document) {
  absl::StatusOr<std::string> bytes = SwaggerToProtobuf(document);
  if (bytes.ok()) return *std::move(bytes);
  DropWhatCannotBeWritten(&document);
  bytes = SwaggerToProtobuf(document);
  TM_CHECK(bytes.ok()) << bytes.status();
  return *std::move(bytes);
}

}  // namespace

GroupDocuments::GroupDocuments(const Resources& resources) {
  std::map<std::string, std::vector<const config::Resource*>> by_path;
  for (const auto& resource : resources) by_path[PathOf(*resource)].push_back(resource.get());
  index_ = "{\"paths\":{";
  absl::string_view separator;
  for (const auto& [path, members] : by_path) {
    const HashedDocument& document = by_path_.emplace(path, Hashed(GroupDocument(members))).first->second;
    absl::StrAppend(&index_, std::exchange(separator, ","), GoJsonString(path), ":{\"serverRelativeURL\":",
                    GoJsonString(absl::StrCat("/openapi/v3/", path, "?hash=", document.hash)), "}");
  }
  index_ += "}}";
}

const HashedDocument* GroupDocuments::Find(absl::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

Swagger::Swagger(const Resources& resources) {
  std::vector<const config::Resource*> members;
  members.reserve(resources.size());
  for (const auto& resource : resources) members.push_back(resource.get());
  Json json = SwaggerDocument(members);
  document = Hashed(crd::GoJson(json));
  protobuf = WriteProtobuf(std::move(json));
}

const GroupDocuments* Documents::groups() const {
  MutexLock lock(&mu_);
  return groups_.get();
}

const Swagger* Documents::swagger() const {
  MutexLock lock(&mu_);
  return swagger_.get();
}

const GroupDocuments& Documents::MakeGroups() {
  if (const GroupDocuments* const made = groups()) return *made;
  auto made = std::make_unique<const GroupDocuments>(resources_);
  MutexLock lock(&mu_);
  if (groups_ == nullptr) groups_ = std::move(made);
  return *groups_;
}

const Swagger& Documents::MakeSwagger() {
  if (const Swagger* const made = swagger()) return *made;
  auto made = std::make_unique<const Swagger>(resources_);
  MutexLock lock(&mu_);
  if (swagger_ == nullptr) swagger_ = std::move(made);
  return *swagger_;
}

}  // namespace tidemark::openapi
