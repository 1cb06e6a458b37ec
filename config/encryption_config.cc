#include "config/encryption_config.h"

#include <algorithm>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "base/status.h"
#include "config/text_file.h"
#include "config/yaml.h"

namespace tidemark::config {
namespace {

using Document = nlohmann::json;

// Written by hand; a bigger file is the wrong file.
constexpr size_t kEncryptionBytesMax = 1 << 20;

absl::Status At(absl::string_view where, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(where, ": ", what));
}

std::string Member(absl::string_view where, absl::string_view name) {
  return where.empty() ? std::string(name) : absl::StrCat(where, ".", name);
}
std::string Element(absl::string_view where, size_t number) { return absl::StrCat(where, "[", number, "]"); }

// The text as JSON. A member that is given twice would hide its first value, so it is refused.
absl::StatusOr<Document> ReadDocument(absl::string_view text) {
  TM_ASSIGN_OR_RETURN(const std::vector<std::string> documents, YamlToJson(text));
  if (documents.size() != 1) {
    return absl::InvalidArgumentError(absl::StrCat("one document is wanted, it has ", documents.size()));
  }
  std::vector<std::set<std::string>> open;
  std::string twice;
  const auto note = [&](int, Document::parse_event_t event, Document& parsed) {
    if (event == Document::parse_event_t::object_start) open.emplace_back();
    if (event == Document::parse_event_t::object_end) open.pop_back();
    if (event != Document::parse_event_t::key) return true;
    if (!open.back().insert(parsed.get<std::string>()).second) twice = parsed.get<std::string>();
    return true;
  };
  Document document = Document::parse(documents[0], note, /*allow_exceptions=*/false);
  if (!twice.empty()) return absl::InvalidArgumentError(absl::StrCat("\"", twice, "\" is given twice"));
  if (!document.is_object()) return absl::InvalidArgumentError("an EncryptionConfiguration is wanted");
  return document;
}

absl::Status CheckObject(const Document& value, absl::string_view where,
                         std::initializer_list<absl::string_view> known) {
  if (!value.is_object()) return At(where, "it must be an object");
  for (const auto& [name, member] : value.items()) {
    if (std::find(known.begin(), known.end(), name) == known.end()) return At(Member(where, name), "it is not known");
  }
  return absl::OkStatus();
}

// nullptr when there is none, or null.
const Document* FindMember(const Document& object, const char* name) {
  const auto found = object.find(name);
  return found == object.end() || found->is_null() ? nullptr : &*found;
}

absl::StatusOr<const Document*> FindList(const Document& object, absl::string_view where, const char* name) {
  const Document* const list = FindMember(object, name);
  if (list != nullptr && !list->is_array()) return At(Member(where, name), "it must be a list");
  if (list == nullptr || list->empty()) return At(Member(where, name), "it must have at least one entry");
  return list;
}

absl::StatusOr<std::string> FindText(const Document& object, absl::string_view where, const char* name) {
  const Document* const text = FindMember(object, name);
  if (text != nullptr && !text->is_string()) return At(Member(where, name), "it must be text");
  if (text == nullptr || text->get<std::string>().empty()) return At(Member(where, name), "it is missing");
  return text->get<std::string>();
}

// As Go decodes it: padded, and line breaks are skipped.
bool DecodeSecret(absl::string_view text, std::string* bytes) {
  const std::string joined = absl::StrReplaceAll(text, {{"\r", ""}, {"\n", ""}});
  const auto in_alphabet = [](char c) { return absl::ascii_isalnum(c) || c == '+' || c == '/' || c == '='; };
  return joined.size() % 4 == 0 && std::all_of(joined.begin(), joined.end(), in_alphabet) &&
         absl::Base64Unescape(joined, bytes);
}

absl::StatusOr<EncryptionKey> ReadKey(const Document& value, const std::string& where, bool aes) {
  TM_RETURN_IF_ERROR(CheckObject(value, where, {"name", "secret"}));
  EncryptionKey key;
  TM_ASSIGN_OR_RETURN(key.name, FindText(value, where, "name"));
  TM_ASSIGN_OR_RETURN(const std::string secret, FindText(value, where, "secret"));
  if (!DecodeSecret(secret, &key.secret)) return At(Member(where, "secret"), "it must be base64");
  const size_t size = key.secret.size();
  if (size == 32 || (aes && (size == 16 || size == 24))) return key;
  return At(Member(where, "secret"),
            absl::StrCat("a key of ", aes ? "16, 24 or 32" : "32", " bytes is wanted, it has ", size));
}

absl::StatusOr<EncryptionProvider> ReadKms(const Document& value, const std::string& where) {
  TM_RETURN_IF_ERROR(CheckObject(value, where, {"apiVersion", "name", "cachesize", "endpoint", "timeout"}));
  EncryptionProvider provider;
  provider.method = EncryptionMethod::kKmsV1;
  TM_ASSIGN_OR_RETURN(provider.kms_name, FindText(value, where, "name"));
  if (FindMember(value, "apiVersion") == nullptr) return provider;
  TM_ASSIGN_OR_RETURN(const std::string version, FindText(value, where, "apiVersion"));
  if (version != "v1" && version != "v2") return At(Member(where, "apiVersion"), "it must be v1 or v2");
  if (version == "v2") provider.method = EncryptionMethod::kKmsV2;
  return provider;
}

absl::StatusOr<EncryptionProvider> ReadProvider(const Document& value, const std::string& where) {
  static constexpr const char* kNames[] = {"identity", "aescbc", "aesgcm", "secretbox", "kms"};
  TM_RETURN_IF_ERROR(CheckObject(value, where, {"identity", "aescbc", "aesgcm", "secretbox", "kms"}));
  const char* name = nullptr;
  for (const char* candidate : kNames) {
    if (FindMember(value, candidate) == nullptr) continue;
    if (name != nullptr) return At(where, absl::StrCat(name, " and ", candidate, " must be entries of their own"));
    name = candidate;
  }
  if (name == nullptr) return At(where, "one of identity: {}, aescbc, aesgcm, secretbox and kms is wanted");
  const Document& body = *FindMember(value, name);
  const std::string inside = Member(where, name);
  const absl::string_view method = name;
  if (method == "kms") return ReadKms(body, inside);
  EncryptionProvider provider;
  if (method == "identity") {
    TM_RETURN_IF_ERROR(CheckObject(body, inside, {}));
    return provider;
  }
  TM_RETURN_IF_ERROR(CheckObject(body, inside, {"keys"}));
  provider.method = method == "aescbc"   ? EncryptionMethod::kAesCbc
                    : method == "aesgcm" ? EncryptionMethod::kAesGcm
                                         : EncryptionMethod::kSecretbox;
  TM_ASSIGN_OR_RETURN(const Document* const keys, FindList(body, inside, "keys"));
  for (const Document& key : *keys) {
    const std::string place = Element(Member(inside, "keys"), provider.keys.size());
    TM_ASSIGN_OR_RETURN(EncryptionKey read, ReadKey(key, place, provider.method != EncryptionMethod::kSecretbox));
    provider.keys.push_back(std::move(read));
  }
  return provider;
}

// "secrets" is a resource of the core group; what follows the first dot is a group.
std::pair<std::string, std::string> SplitName(absl::string_view name) {
  const size_t dot = name.find('.');
  if (dot == absl::string_view::npos) return {"", std::string(name)};
  return {std::string(name.substr(dot + 1)), std::string(name.substr(0, dot))};
}

absl::Status CheckName(absl::string_view name) {
  const auto [group, resource] = SplitName(name);
  if (absl::AsciiStrToLower(name) != name) return absl::InvalidArgumentError("it must be in lower case");
  if (name == "*") return absl::InvalidArgumentError("'*.' is the core group, '*.*' is everything");
  if (name == "apiserveripinfo" || name == "serviceipallocations" || name == "servicenodeportallocations") {
    return absl::InvalidArgumentError("it is no resource of the API");
  }
  if (group == "events.k8s.io") return absl::InvalidArgumentError("events are stored in the core group: 'events'");
  if (group == "extensions") return absl::InvalidArgumentError("the group does not exist any more");
  if (group == "*" && resource != "*") return absl::InvalidArgumentError("'*' as the group needs '*' as the resource");
  return absl::OkStatus();
}

// Names within one entry that cover each other.
absl::Status CheckOverlap(const std::vector<std::string>& names) {
  for (size_t i = 0; i < names.size(); ++i) {
    for (size_t j = 0; j < names.size(); ++j) {
      if (i == j) continue;
      const auto a = SplitName(names[i]), b = SplitName(names[j]);
      if (a == b) return absl::InvalidArgumentError(absl::StrCat("\"", names[i], "\" is given twice"));
      if (names[i] == "*.*" || (a.first == b.first && a.second == "*")) {
        return absl::InvalidArgumentError(absl::StrCat("\"", names[i], "\" covers \"", names[j], "\""));
      }
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<std::vector<std::string>> ReadNames(const Document& entry, const std::string& where) {
  TM_ASSIGN_OR_RETURN(const Document* const list, FindList(entry, where, "resources"));
  std::vector<std::string> names;
  for (const Document& name : *list) {
    const std::string place = Element(Member(where, "resources"), names.size());
    if (!name.is_string()) return At(place, "it must be text");
    names.push_back(name.get<std::string>());
    if (const absl::Status status = CheckName(names.back()); !status.ok()) {
      return At(place, absl::StrCat("\"", names.back(), "\": ", status.message()));
    }
  }
  if (const absl::Status status = CheckOverlap(names); !status.ok()) {
    return At(Member(where, "resources"), status.message());
  }
  return names;
}

absl::Status ReadRule(const Document& entry, const std::string& where, EncryptionConfig* config) {
  TM_RETURN_IF_ERROR(CheckObject(entry, where, {"resources", "providers"}));
  TM_ASSIGN_OR_RETURN(const std::vector<std::string> names, ReadNames(entry, where));
  TM_ASSIGN_OR_RETURN(const Document* const list, FindList(entry, where, "providers"));
  EncryptionProviders providers;
  for (const Document& provider : *list) {
    TM_ASSIGN_OR_RETURN(EncryptionProvider read,
                        ReadProvider(provider, Element(Member(where, "providers"), providers.size())));
    providers.push_back(std::move(read));
  }
  for (const std::string& name : names) {
    if (const absl::Status status = config->Add(name, providers); !status.ok()) {
      return At(Member(where, "resources"), status.message());
    }
  }
  return absl::OkStatus();
}

}  // namespace

std::shared_ptr<const EncryptionProviders> EncryptionConfig::ProvidersOf(absl::string_view group,
                                                                         absl::string_view plural) const {
  const GroupResource candidates[] = {{std::string(group), std::string(plural)}, {std::string(group), "*"}, {"*", "*"}};
  for (const GroupResource& candidate : candidates) {
    if (const auto found = rules_.find(candidate); found != rules_.end()) return found->second;
  }
  return std::make_shared<const EncryptionProviders>(1);
}

absl::Status EncryptionConfig::Add(absl::string_view resource, const EncryptionProviders& providers) {
  const GroupResource name = SplitName(resource);
  for (const GroupResource& cover : {GroupResource(name.first, "*"), GroupResource("*", "*")}) {
    if (!rules_.contains(cover)) continue;
    return absl::InvalidArgumentError(
        absl::StrCat("\"", resource, "\" comes behind \"*.", cover.first, "\", which covers it"));
  }
  std::shared_ptr<EncryptionProviders>& rule = rules_[name];
  if (rule == nullptr) rule = std::make_shared<EncryptionProviders>();
  rule->insert(rule->end(), providers.begin(), providers.end());
  return absl::OkStatus();
}

absl::StatusOr<EncryptionConfig> ParseEncryptionConfig(absl::string_view text) {
  TM_ASSIGN_OR_RETURN(const Document document, ReadDocument(text));
  TM_ASSIGN_OR_RETURN(const std::string version, FindText(document, "", "apiVersion"));
  TM_ASSIGN_OR_RETURN(const std::string kind, FindText(document, "", "kind"));
  const bool current = version == "apiserver.config.k8s.io/v1" && kind == "EncryptionConfiguration";
  // The name that it had before Kubernetes 1.13.
  const bool old = version == "v1" && kind == "EncryptionConfig";
  if (!current && !old) {
    return absl::InvalidArgumentError(
        absl::StrCat("this is ", version, " ", kind, "; apiserver.config.k8s.io/v1 EncryptionConfiguration is wanted"));
  }
  TM_RETURN_IF_ERROR(CheckObject(document, "", {"apiVersion", "kind", "resources"}));
  TM_ASSIGN_OR_RETURN(const Document* const entries, FindList(document, "", "resources"));
  EncryptionConfig config;
  for (size_t i = 0; i < entries->size(); ++i) {
    TM_RETURN_IF_ERROR(ReadRule((*entries)[i], Element("resources", i), &config));
  }
  return config;
}

absl::StatusOr<EncryptionConfig> ReadEncryptionConfig(const std::string& path) {
  TM_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kEncryptionBytesMax));
  absl::StatusOr<EncryptionConfig> config = ParseEncryptionConfig(text);
  if (!config.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", config.status().message()));
  return config;
}

}  // namespace tidemark::config
