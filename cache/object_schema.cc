#include "cache/object_schema.h"

#include <utility>

#include "absl/strings/str_split.h"

namespace tidemark::cache {

ObjectSchema::ObjectSchema(const config::Resource& resource, std::string key_prefix)
    : key_prefix_(std::move(key_prefix)),
      namespaced_(resource.namespaced),
      custom_(resource.custom),
      api_version_(resource.StoredApiVersion()),
      kind_(resource.kind),
      message_type_(resource.custom ? nullptr : proto::FindKind(api_version_, kind_)),
      decryptor_(resource.encryption.get()),
      form_(resource.form),
      nodes_(1) {
  for (const config::SelectableField& declared : resource.fields) {
    if (declared.path.empty()) continue;  // always "": FindField says kNone
    const int number = AddField(declared.path);
    fields_[number].indexed |= declared.indexed;
    if (!declared.absent.empty()) fields_[number].absent = declared.absent;
    if (!declared.else_path.empty()) {
      const int other = AddField(declared.else_path);
      fields_[number].else_field = other;
    }
  }
}

int ObjectSchema::AddField(const std::string& path) {
  const int known = FindField(path);
  if (known != kNone) return known;
  int node = 0;
  for (const absl::string_view step : absl::StrSplit(path, '.')) {
    int next = FindChild(node, step);
    if (next == kNone) {
      next = static_cast<int>(nodes_.size());
      nodes_.emplace_back();
      nodes_[node].children.emplace_back(std::string(step), next);
    }
    node = next;
  }
  const int number = static_cast<int>(fields_.size());
  nodes_[node].field = number;
  fields_.push_back({path});
  return number;
}

int ObjectSchema::FindField(absl::string_view path) const {
  for (size_t i = 0; i < fields_.size(); ++i) {
    if (fields_[i].path == path) return static_cast<int>(i);
  }
  return kNone;
}

int ObjectSchema::FindChild(int node, absl::string_view name) const {
  for (const auto& [child_name, child] : nodes_[node].children) {
    if (child_name == name) return child;
  }
  return kNone;
}

}  // namespace tidemark::cache
