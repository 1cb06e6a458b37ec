#include "openapi/documents.h"

#include <algorithm>
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

// Of a definition's place in an error, which has a name for each level.
constexpr size_t kShownCharactersMax = 200;

Body Compressed(std::string bytes, const Compress& compress) {
  std::string compressed = compress == nullptr ? "" : compress(bytes);
  return {.bytes = std::move(bytes), .compressed = std::move(compressed)};
}

Document Hashed(std::string json, const Compress& compress) {
  std::string hash = ContentHash(json);
  return {.json = Compressed(std::move(json), compress), .hash = std::move(hash)};
}

// "api/v1", "apis/apps/v1".
std::string PathOf(const config::Resource& resource) {
  return absl::StrCat(resource.group.empty() ? "api/" : "apis/", resource.ApiVersion());
}

// A definition that the messages cannot hold says nothing more than its kind: the others are still of use.
void DropWhatCannotBeWritten(Json* document) {
  for (auto& [name, definition] : (*document)["definitions"].items()) {
    if (FindDefinition(name) != nullptr) continue;
    const absl::Status written = SwaggerToProtobuf({{"definitions", {{name, definition}}}}).status();
    if (written.ok()) continue;
    Log(LogLevel::kWarning, "OpenAPI 2 has no more of a kind than its name",
        {{"definition", name}, {"why", written.message().substr(0, kShownCharactersMax)}});
    definition = OnlyKind(definition);
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

GroupDocuments::GroupDocuments(const Resources& resources, const Compress& compress) {
  std::map<std::string, std::vector<const config::Resource*>> by_path;
  for (const auto& resource : resources) by_path[PathOf(*resource)].push_back(resource.get());
  index_ = "{\"paths\":{";
  absl::string_view separator;
  for (const auto& [path, members] : by_path) {
    const Document& document = by_path_.emplace(path, Hashed(GroupDocument(members), compress)).first->second;
    absl::StrAppend(&index_, std::exchange(separator, ","), GoJsonString(path), ":{\"serverRelativeURL\":",
                    GoJsonString(absl::StrCat("/openapi/v3/", path, "?hash=", document.hash)), "}");
  }
  index_ += "}}";
}

const Document* GroupDocuments::Find(absl::string_view path) const {
  const auto found = by_path_.find(path);
  return found == by_path_.end() ? nullptr : &found->second;
}

Swagger::Swagger(const Resources& resources, const Compress& compress) {
  std::vector<const config::Resource*> members;
  members.reserve(resources.size());
  for (const auto& resource : resources) members.push_back(resource.get());
  Json json = SwaggerDocument(members);
  document = Hashed(crd::GoJson(json), compress);
  protobuf = Compressed(WriteProtobuf(std::move(json)), compress);
}

Documents::Documents(Resources resources, Compress compress)
    : resources_(std::move(resources)),
      compress_(std::move(compress)),
      groups_([this] { return std::make_unique<const GroupDocuments>(resources_, compress_); }),
      swagger_([this] { return std::make_unique<const Swagger>(resources_, compress_); }) {}

bool Documents::Has(absl::string_view path) const {
  return std::any_of(resources_.begin(), resources_.end(),
                     [path](const auto& resource) { return PathOf(*resource) == path; });
}

}  // namespace tidemark::openapi
