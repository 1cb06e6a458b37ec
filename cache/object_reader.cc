#include "cache/object_reader.h"

#include <algorithm>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/status.h"
#include "cache/canonical_json.h"
#include "cache/object_json.h"
#include "proto/envelope.h"
#include "proto/protobuf_to_json.h"

namespace tidemark::cache {
namespace {

constexpr absl::string_view kEncryptedMagic = "k8s:enc:";

bool IsPlain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '/' || c == '-';
}

// Takes `"name":"plain text",` off the front.
bool ConsumePlainField(absl::string_view name, absl::string_view* text) {
  absl::string_view rest = *text;
  if (!absl::ConsumePrefix(&rest, name)) return false;
  const size_t end = static_cast<size_t>(std::find_if_not(rest.begin(), rest.end(), IsPlain) - rest.begin());
  rest.remove_prefix(end);
  if (!absl::ConsumePrefix(&rest, "\",")) return false;
  *text = rest;
  return true;
}

// What follows `{`, kind and apiVersion, in either order; empty when the value begins otherwise.
absl::string_view BehindKind(absl::string_view value) {
  constexpr absl::string_view kKind = "\"kind\":\"";
  constexpr absl::string_view kVersion = "\"apiVersion\":\"";
  if (!absl::ConsumePrefix(&value, "{")) return {};
  const bool kind_first = ConsumePlainField(kKind, &value);
  ConsumePlainField(kVersion, &value);
  if (!kind_first) ConsumePlainField(kKind, &value);
  return absl::StartsWith(value, "\"metadata\":{") ? value : absl::string_view();
}

// Empty when the value may be JSON.
std::string WhyNotJson(absl::string_view value) {
  if (value.empty()) return "its value is empty";
  if (!absl::ConsumePrefix(&value, kEncryptedMagic)) return "";
  return absl::StrCat("it is encrypted at rest (", value.substr(0, std::min<size_t>(value.find(':'), 20)), ")");
}

}  // namespace

const absl::string_view* Selectable::FindLabel(absl::string_view key) const {
  const auto below = [](const auto& label, absl::string_view bound) { return label.first < bound; };
  const auto found = std::lower_bound(labels.begin(), labels.end(), key, below);
  return found != labels.end() && found->first == key ? &found->second : nullptr;
}

class ObjectReader::Parser : public ObjectJson {
 public:
  using ObjectJson::ObjectJson;
};

ObjectReader::ObjectReader(std::shared_ptr<const ObjectSchema> schema)
    : parser_(std::make_unique<Parser>(std::move(schema))) {}
ObjectReader::ObjectReader(ObjectReader&&) noexcept = default;
ObjectReader::~ObjectReader() = default;

const Selectable& ObjectReader::Read(const Object& object) {
  parser_->Load(object.Json());
  return parser_->Read();
}

class ObjectBuilder::Impl {
 public:
  explicit Impl(std::shared_ptr<const ObjectSchema> schema) : schema_(schema), json_(std::move(schema)) {}

  ObjectRef Build(absl::string_view key, absl::string_view value, Revision mod_revision) {
    if (proto::IsEnvelope(value)) {
      if (const absl::Status status = Convert(value); !status.ok()) {
        return MakeUnreadableObject(key, mod_revision, status.message());
      }
      value = converted_;
    }
    if (const std::string reason = WhyNotJson(value); !reason.empty()) {
      return MakeUnreadableObject(key, mod_revision, reason);
    }
    if (schema_->form() != nullptr) {
      absl::StatusOr<std::string> decoded = schema_->form()->Decode(value);
      if (!decoded.ok()) return MakeUnreadableObject(key, mod_revision, decoded.status().message());
      converted_ = *std::move(decoded);
      value = converted_;
    }
    using Verdict = ObjectJson::Verdict;
    std::string why_broken;
    const absl::string_view rest = BehindKind(value);
    if (!rest.empty()) {
      json_.Load("{", rest.substr(0, rest.find_last_not_of(" \t\r\n") + 1));
      if (json_.ReadNew(&why_broken) == Verdict::kCanonical) return Make(key, mod_revision);
    }
    json_.Load(value);
    if (json_.ReadNew(&why_broken) == Verdict::kBroken) return MakeUnreadableObject(key, mod_revision, why_broken);
    const absl::StatusOr<std::string> canonical = CanonicalJson(value, !schema_->custom());
    if (!canonical.ok()) return MakeUnreadableObject(key, mod_revision, canonical.status().message());
    json_.Load(*canonical);
    TM_CHECK(json_.ReadNew(&why_broken) == Verdict::kCanonical) << key << " became " << *canonical;
    return Make(key, mod_revision);
  }

  const Selectable& values() const { return json_.values(); }

 private:
  // The JSON that kube-apiserver would have stored, without kind and apiVersion.
  absl::Status Convert(absl::string_view value) {
    TM_ASSIGN_OR_RETURN(const proto::Envelope envelope, proto::ReadEnvelope(value));
    if (envelope.api_version != schema_->api_version() || envelope.kind != schema_->kind()) {
      return absl::InvalidArgumentError(absl::StrCat("it is stored as ", envelope.api_version, " ", envelope.kind,
                                                     " in protobuf, and read as ", schema_->api_version(), " ",
                                                     schema_->kind()));
    }
    const proto::MessageType* const type = proto::FindKind(envelope.api_version, envelope.kind);
    if (type == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("it is stored as protobuf, and the fields of ",
                                                     envelope.api_version, " ", envelope.kind, " are not known"));
    }
    converted_.clear();
    converted_.push_back('{');
    TM_RETURN_IF_ERROR(to_json_.AppendFields(*type, envelope.object, &converted_));
    converted_.push_back('}');
    return absl::OkStatus();
  }

  ObjectRef Make(absl::string_view key, Revision mod_revision) {
    const absl::string_view text = json_.text();
    return MakeObject(key, mod_revision, text.substr(0, json_.splice()), text.substr(json_.splice()),
                      json_.metadata_end());
  }

  const std::shared_ptr<const ObjectSchema> schema_;
  ObjectJson json_;
  proto::ProtobufToJson to_json_;
  std::string converted_;  // the JSON of a value that is stored as protobuf, or that its resource's form has decoded
};

ObjectBuilder::ObjectBuilder(std::shared_ptr<const ObjectSchema> schema)
    : impl_(std::make_unique<Impl>(std::move(schema))) {}
ObjectBuilder::~ObjectBuilder() = default;

ObjectRef ObjectBuilder::Build(absl::string_view key, absl::string_view value, Revision mod_revision) {
  return impl_->Build(key, value, mod_revision);
}

const Selectable& ObjectBuilder::values() const { return impl_->values(); }

}  // namespace tidemark::cache
