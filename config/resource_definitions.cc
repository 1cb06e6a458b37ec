#include "config/resource_definitions.h"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/types/span.h"
#include "base/status.h"
#include "config/text_file.h"

namespace tidemark::config {
namespace {

using Json = nlohmann::json;

// Written by hand; a bigger file is the wrong file.
constexpr size_t kDefinitionsBytesMax = 16 << 20;

absl::Status Wrong(absl::string_view member, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("\"", member, "\" ", what));
}

absl::Status ReadText(const Json& entry, const char* member, bool needed, std::string* value) {
  const auto found = entry.find(member);
  if (found == entry.end()) return needed ? Wrong(member, "is missing") : absl::OkStatus();
  if (!found->is_string()) return Wrong(member, "must be text");
  *value = found->get<std::string>();
  if (needed && value->empty() && std::string(member) != "group") return Wrong(member, "is empty");
  return absl::OkStatus();
}

constexpr absl::string_view kMembers[] = {"group",      "version", "kind",     "resource", "singular",
                                          "namespaced", "prefix",  "storedAs", "fields",   "columns"};
constexpr absl::string_view kColumnMembers[] = {"name", "type", "format", "description", "priority", "jsonPath"};
constexpr absl::string_view kColumnTypes[] = {"integer", "number", "string", "boolean", "date"};
constexpr absl::string_view kColumnFormats[] = {"",     "int32", "int64",     "float",   "double",
                                                "byte", "date",  "date-time", "password"};

bool IsOneOf(absl::Span<const absl::string_view> words, absl::string_view word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

absl::Status CheckMembers(const Json& entry, absl::Span<const absl::string_view> known) {
  for (const auto& [name, value] : entry.items()) {
    if (!IsOneOf(known, name)) return Wrong(name, "is not known");
  }
  return absl::OkStatus();
}

absl::Status ReadFields(const Json& entry, Resource* resource) {
  const auto fields = entry.find("fields");
  if (fields == entry.end()) return absl::OkStatus();
  if (!fields->is_array()) return Wrong("fields", "must be a list of paths");
  for (const Json& field : *fields) {
    if (!field.is_string()) return Wrong("fields", "must be a list of paths");
    const auto path = field.get<std::string>();
    resource->fields.push_back({path, path});
  }
  return absl::OkStatus();
}

absl::Status ReadPriority(const Json& entry, TableColumn* column) {
  const auto priority = entry.find("priority");
  if (priority == entry.end()) return absl::OkStatus();
  constexpr auto kMost = std::numeric_limits<int32_t>::max();
  const bool fits = priority->is_number_unsigned() && priority->get<uint64_t>() <= uint64_t{kMost};
  if (!fits) return Wrong("priority", absl::StrCat("must be a number from 0 to ", kMost));
  column->priority = priority->get<int32_t>();
  return absl::OkStatus();
}

absl::StatusOr<TableColumn> ReadColumn(const Json& entry) {
  if (!entry.is_object()) return absl::InvalidArgumentError("it must be an object");
  TM_RETURN_IF_ERROR(CheckMembers(entry, kColumnMembers));
  TableColumn column;
  TM_RETURN_IF_ERROR(ReadText(entry, "name", true, &column.name));
  TM_RETURN_IF_ERROR(ReadText(entry, "type", true, &column.type));
  if (!IsOneOf(kColumnTypes, column.type)) {
    return Wrong("type", absl::StrCat("must be one of ", absl::StrJoin(kColumnTypes, ", ")));
  }
  TM_RETURN_IF_ERROR(ReadText(entry, "format", false, &column.format));
  if (!IsOneOf(kColumnFormats, column.format)) {
    return Wrong("format",
                 absl::StrCat("must be one of ", absl::StrJoin(absl::MakeSpan(kColumnFormats).subspan(1), ", ")));
  }
  TM_RETURN_IF_ERROR(ReadText(entry, "description", false, &column.description));
  TM_RETURN_IF_ERROR(ReadPriority(entry, &column));
  TM_RETURN_IF_ERROR(ReadText(entry, "jsonPath", true, &column.json_path));
  if (!absl::StartsWith(column.json_path, ".")) return Wrong("jsonPath", "must begin with a dot: .spec.replicas");
  return column;
}

absl::Status ReadColumns(const Json& entry, Resource* resource) {
  const auto columns = entry.find("columns");
  if (columns == entry.end()) return absl::OkStatus();
  if (!columns->is_array()) return Wrong("columns", "must be a list");
  for (const Json& element : *columns) {
    absl::StatusOr<TableColumn> column = ReadColumn(element);
    if (!column.ok()) {
      return absl::InvalidArgumentError(
          absl::StrCat("column ", resource->columns.size() + 1, ": ", column.status().message()));
    }
    resource->columns.push_back(*std::move(column));
  }
  return absl::OkStatus();
}

absl::StatusOr<Resource> ReadEntry(const Json& entry) {
  if (!entry.is_object()) return absl::InvalidArgumentError("it must be an object");
  TM_RETURN_IF_ERROR(CheckMembers(entry, kMembers));
  Resource resource;
  resource.custom = true;
  resource.unknown_field_error = UnknownFieldError::kNotSupported;
  TM_RETURN_IF_ERROR(ReadText(entry, "group", true, &resource.group));
  TM_RETURN_IF_ERROR(ReadText(entry, "version", true, &resource.version));
  TM_RETURN_IF_ERROR(ReadText(entry, "kind", true, &resource.kind));
  TM_RETURN_IF_ERROR(ReadText(entry, "resource", true, &resource.plural));
  resource.singular = absl::AsciiStrToLower(resource.kind);
  TM_RETURN_IF_ERROR(ReadText(entry, "singular", false, &resource.singular));
  resource.prefix = resource.group.empty() ? resource.plural : absl::StrCat(resource.group, "/", resource.plural);
  TM_RETURN_IF_ERROR(ReadText(entry, "prefix", false, &resource.prefix));
  if (resource.prefix.empty() || absl::StartsWith(resource.prefix, "/") || absl::EndsWith(resource.prefix, "/") ||
      absl::StrContains(resource.prefix, "//")) {
    return Wrong("prefix", "must be a path without slashes at its ends or two together");
  }
  if (const auto scope = entry.find("namespaced"); scope != entry.end()) {
    if (!scope->is_boolean()) return Wrong("namespaced", "must be true or false");
    resource.namespaced = scope->get<bool>();
  }
  std::string stored_as = "json";  // for people: each value says itself what it is
  TM_RETURN_IF_ERROR(ReadText(entry, "storedAs", false, &stored_as));
  if (stored_as != "json" && stored_as != "protobuf") return Wrong("storedAs", "must be json or protobuf");
  TM_RETURN_IF_ERROR(ReadFields(entry, &resource));
  TM_RETURN_IF_ERROR(ReadColumns(entry, &resource));
  return resource;
}

// Two entries for one thing: the second would silently take the first one's place.
absl::Status CheckUnique(const Resource& resource, const std::vector<Resource>& before) {
  for (const Resource& other : before) {
    if (other.GroupResource() == resource.GroupResource()) {
      return absl::InvalidArgumentError(absl::StrCat(resource.GroupResource(), " is defined twice"));
    }
    if (other.prefix == resource.prefix) {
      return Wrong("prefix", absl::StrCat("is that of ", other.GroupResource(), " too: ", resource.prefix));
    }
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<std::vector<Resource>> ParseResourceDefinitions(absl::string_view text) {
  const Json document = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return absl::InvalidArgumentError("this is not JSON");
  if (!document.is_object() || !document.contains("resources") || !document["resources"].is_array()) {
    return absl::InvalidArgumentError("an object with a list \"resources\" is wanted");
  }
  std::vector<Resource> definitions;
  for (const Json& entry : document["resources"]) {
    absl::StatusOr<Resource> resource = ReadEntry(entry);
    const absl::Status status = resource.ok() ? CheckUnique(*resource, definitions) : resource.status();
    if (!status.ok()) {
      return absl::InvalidArgumentError(absl::StrCat("resource ", definitions.size() + 1, ": ", status.message()));
    }
    definitions.push_back(*std::move(resource));
  }
  return definitions;
}

absl::StatusOr<std::vector<Resource>> ReadResourceDefinitions(const std::string& path) {
  TM_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kDefinitionsBytesMax));
  absl::StatusOr<std::vector<Resource>> definitions = ParseResourceDefinitions(text);
  if (!definitions.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", definitions.status().message()));
  return definitions;
}

std::vector<Resource> MergeResources(std::vector<Resource> table, const std::vector<Resource>& definitions) {
  for (const Resource& definition : definitions) {
    const auto replaced = [&](const Resource& row) {
      return row.prefix == definition.prefix || (row.group == definition.group && row.plural == definition.plural);
    };
    table.erase(std::remove_if(table.begin(), table.end(), replaced), table.end());
    table.push_back(definition);
  }
  std::sort(table.begin(), table.end(), [](const Resource& a, const Resource& b) {
    return std::tie(a.group, a.plural) < std::tie(b.group, b.plural);
  });
  return table;
}

absl::Status CheckPrefixes(const std::vector<Resource>& table) {
  // In order, what lies inside a prefix comes right behind it.
  std::map<std::string, const Resource*> by_prefix;
  for (const Resource& row : table) by_prefix.emplace(row.prefix + "/", &row);
  const Resource* before = nullptr;
  for (const auto& [prefix, row] : by_prefix) {
    if (before != nullptr && absl::StartsWith(prefix, before->prefix + "/")) {
      return absl::InvalidArgumentError(absl::StrCat(row->GroupResource(), ": its prefix ", row->prefix,
                                                     " lies inside that of ", before->GroupResource(), ", ",
                                                     before->prefix));
    }
    before = row;
  }
  return absl::OkStatus();
}

}  // namespace tidemark::config
