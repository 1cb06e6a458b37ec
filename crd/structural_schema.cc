#include "crd/structural_schema.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "crd/object_meta.h"

namespace tidemark::crd {
namespace {

bool IsMetaField(const std::string& name) { return name == "apiVersion" || name == "kind" || name == "metadata"; }

// By no schema at all: what is in an object goes, wherever it is in a list.
void PruneUnknown(Json* value) {
  if (value->is_object()) value->clear();
  if (!value->is_array()) return;
  for (Json& element : *value) PruneUnknown(&element);
}

// As kDefaultValuesMax counts.
size_t ValuesIn(const Json& value) {
  size_t values = 1;
  if (value.is_string()) values += value.get_ref<const std::string&>().size() / kDefaultTextBytes;
  if (value.is_array()) {
    for (const Json& element : value) values += ValuesIn(element);
  } else if (value.is_object()) {
    for (const auto& [name, member] : value.items()) values += name.size() / kDefaultTextBytes + ValuesIn(member);
  }
  return values;
}

bool SamePruning(const std::shared_ptr<StructuralSchema>& a, const std::shared_ptr<StructuralSchema>& b) {
  if (a == nullptr || b == nullptr) return a == b;
  return a->PrunesLike(*b);
}

}  // namespace

StructuralSchema StructuralSchema::Parse(const Json& schema, bool keep_unknown) {
  StructuralSchema parsed = ParseNode(schema);
  parsed.TakeOwnDefaults(keep_unknown);
  return parsed;
}

StructuralSchema StructuralSchema::ParseNode(const Json& schema) {
  StructuralSchema node;
  node.preserve_ = BoolMember(schema, "x-kubernetes-preserve-unknown-fields");
  node.embedded_ = BoolMember(schema, "x-kubernetes-embedded-resource");
  node.nullable_ = BoolMember(schema, "nullable");
  if (const Json* value = Member(schema, "default"); value != nullptr && !value->is_null()) node.default_ = *value;
  if (const Json* items = Member(schema, "items"); items != nullptr && items->is_object()) {
    node.items_ = std::make_shared<StructuralSchema>(ParseNode(*items));
  }
  if (const Json* properties = Member(schema, "properties"); properties != nullptr && properties->is_object()) {
    for (const auto& [name, property] : properties->items()) node.properties_.emplace(name, ParseNode(property));
  }
  const Json* const additional = Member(schema, "additionalProperties");
  if (additional == nullptr || additional->is_null()) return node;
  node.has_additional_ = true;
  if (additional->is_object()) node.additional_ = std::make_shared<StructuralSchema>(ParseNode(*additional));
  return node;
}

void StructuralSchema::TakeOwnDefaults(bool keep_unknown) {
  if (default_.has_value()) {
    if (!keep_unknown) {
      CoerceEmbedded(&*default_);
      PruneAsDeclared(&*default_);
    }
    default_values_ = ValuesIn(*default_);
  }
  if (additional_ != nullptr) additional_->TakeOwnDefaults(keep_unknown);
  if (items_ != nullptr) items_->TakeOwnDefaults(keep_unknown);
  for (auto& [name, property] : properties_) {
    property.TakeOwnDefaults(keep_unknown);
    if (property.default_.has_value()) property.default_values_ += name.size() / kDefaultTextBytes;
  }
}

const StructuralSchema* StructuralSchema::Child(const std::string& name) const {
  const auto found = properties_.find(name);
  return found != properties_.end() ? &found->second : additional_.get();
}

void StructuralSchema::Prune(Json* object) const { PruneNode(object, /*embedded=*/true, preserve_); }

void StructuralSchema::PruneNode(Json* value, bool embedded, bool keep) const {
  if (value->is_array()) {
    for (Json& element : *value) {
      if (items_ == nullptr) {
        if (!keep) PruneUnknown(&element);
      } else {
        // In a list that keeps what it does not know, so do its elements; what they declare is pruned.
        items_->PruneNode(&element, items_->embedded_, keep || items_->preserve_);
      }
    }
  }
  if (!value->is_object()) return;
  for (auto member = value->begin(); member != value->end();) {
    const std::string& name = member.key();
    const StructuralSchema* const child = Child(name);
    if (embedded && IsMetaField(name)) {
      ++member;
    } else if (child != nullptr) {
      child->PruneAsDeclared(&member.value());
      ++member;
    } else if (has_additional_) {
      PruneUnknown(&member.value());
      ++member;
    } else {
      member = keep ? std::next(member) : value->erase(member);
    }
  }
}

void StructuralSchema::DropNulls(Json* value) const {
  if (value->is_array() && items_ != nullptr) {
    for (Json& element : *value) items_->DropNulls(&element);
  }
  if (!value->is_object()) return;
  for (auto member = value->begin(); member != value->end();) {
    const StructuralSchema* const child = Child(member.key());
    if (child != nullptr && child->NullIsWrong(member.value()) && !child->default_.has_value()) {
      member = value->erase(member);
      continue;
    }
    if (child != nullptr) child->DropNulls(&member.value());
    ++member;
  }
}

void StructuralSchema::CoerceEmbedded(Json* value) const {
  if (value->is_array() && items_ != nullptr) {
    for (Json& element : *value) items_->CoerceEmbedded(&element);
  }
  if (!value->is_object()) return;
  if (embedded_) {
    for (const absl::string_view name : {"apiVersion", "kind"}) {
      const Json* const text = Member(*value, name);
      if (text != nullptr && !text->is_string()) value->erase(std::string(name));
    }
    if (Json* const metadata = Member(*value, "metadata")) CoerceObjectMeta(metadata).IgnoreError();
  }
  for (auto& [name, member] : value->items()) {
    if (const StructuralSchema* const child = Child(name)) child->CoerceEmbedded(&member);
  }
}

absl::Status StructuralSchema::ApplyDefaults(Json* value) const {
  size_t left = kDefaultValuesMax;
  if (AddDefaults(value, &left)) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("the defaults of its schema add more than ", kDefaultValuesMax, " values"));
}

bool StructuralSchema::SetDefault(Json* value, size_t* left) const {
  if (default_values_ > *left) return false;
  *left -= default_values_;
  *value = default_.has_value() ? *default_ : Json();
  return true;
}

bool StructuralSchema::AddDefaults(Json* value, size_t* left) const {
  if (value->is_array() && items_ != nullptr) {
    for (Json& element : *value) {
      if (items_->NullIsWrong(element) && !items_->SetDefault(&element, left)) return false;
      if (!items_->AddDefaults(&element, left)) return false;
    }
  }
  if (!value->is_object()) return true;
  for (const auto& [name, property] : properties_) {
    if (!property.default_.has_value()) continue;
    const Json* const member = Member(*value, name);
    const bool wanted = member == nullptr || property.NullIsWrong(*member);
    if (wanted && !property.SetDefault(&(*value)[name], left)) return false;
  }
  for (auto& [name, member] : value->items()) {
    const StructuralSchema* const child = Child(name);
    if (child == nullptr) continue;
    const bool additional = child == additional_.get();
    if (additional && child->NullIsWrong(member) && !child->SetDefault(&member, left)) return false;
    if (!child->AddDefaults(&member, left)) return false;
  }
  return true;
}

bool StructuralSchema::PrunesLike(const StructuralSchema& other) const {
  if (preserve_ != other.preserve_ || embedded_ != other.embedded_ || nullable_ != other.nullable_ ||
      has_additional_ != other.has_additional_ || default_.has_value() != other.default_.has_value() ||
      properties_.size() != other.properties_.size()) {
    return false;
  }
  if (!SamePruning(additional_, other.additional_) || !SamePruning(items_, other.items_)) return false;
  for (const auto& [name, property] : properties_) {
    const auto found = other.properties_.find(name);
    if (found == other.properties_.end() || !property.PrunesLike(found->second)) return false;
  }
  return true;
}

}  // namespace tidemark::crd
