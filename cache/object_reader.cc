#include "cache/object_reader.h"

#include <algorithm>
#include <optional>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/status.h"
#include "cache/canonical_json.h"
#include "cache/object_json.h"
#include "cache/object_message.h"
#include "cache/read_changes.h"
#include "cache/stored_version.h"
#include "proto/envelope.h"
#include "proto/protobuf_to_json.h"
#include "proto/revision_splice.h"

namespace tidemark::cache {
namespace {

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

// nullptr when what is declared must be looked for in the JSON.
std::unique_ptr<ObjectMessage> MessageReader(std::shared_ptr<const ObjectSchema> schema) {
  if (schema->message_type() == nullptr) return nullptr;
  auto reader = std::make_unique<ObjectMessage>(std::move(schema));
  return reader->fits() ? std::move(reader) : nullptr;
}

}  // namespace

const absl::string_view* Selectable::FindLabel(absl::string_view key) const {
  const auto below = [](const auto& label, absl::string_view bound) { return label.first < bound; };
  const auto found = std::lower_bound(labels.begin(), labels.end(), key, below);
  return found != labels.end() && found->first == key ? &found->second : nullptr;
}

class ObjectReader::Parser {
 public:
  explicit Parser(std::shared_ptr<const ObjectSchema> schema)
      : schema_(schema), message_(MessageReader(schema)), json_(std::move(schema)) {}

  const Selectable& Read(const Object& object) {
    if (!object.is_protobuf()) {
      json_.Load(object.Json());
      return json_.Read();
    }
    if (message_ != nullptr) return message_->Read(object.Message());
    converted_.assign(1, '{');
    const absl::Status status = to_json_.AppendFields(*schema_->message_type(), object.Message(), &converted_);
    TM_CHECK(status.ok()) << object.key() << ": " << status;  // it was read before
    converted_.push_back('}');
    json_.Load(converted_);
    return json_.Read();
  }

 private:
  const std::shared_ptr<const ObjectSchema> schema_;
  const std::unique_ptr<ObjectMessage> message_;
  ObjectJson json_;
  proto::ProtobufToJson to_json_;
  std::string converted_;
};

ObjectReader::ObjectReader(std::shared_ptr<const ObjectSchema> schema)
    : parser_(std::make_unique<Parser>(std::move(schema))) {}
ObjectReader::ObjectReader(ObjectReader&&) noexcept = default;
ObjectReader::~ObjectReader() = default;

const Selectable& ObjectReader::Read(const Object& object) { return parser_->Read(object); }

class ObjectBuilder::Impl {
 public:
  explicit Impl(std::shared_ptr<const ObjectSchema> schema)
      : schema_(schema),
        change_(schema->custom() ? nullptr : FindReadChange(schema->api_version(), schema->kind())),
        todays_version_(absl::StrCat("\"apiVersion\":\"", schema->api_version(), "\"")),
        message_(MessageReader(schema)),
        json_(std::move(schema)) {}

  ObjectRef Build(absl::string_view key, absl::string_view stored, Revision mod_revision) {
    etcd_key_.assign(schema_->key_prefix()).append(key.data(), key.size());
    const absl::StatusOr<absl::string_view> value = schema_->decryptor().Read(etcd_key_, stored, &decrypted_);
    if (!value.ok()) return MakeUnreadableObject(key, mod_revision, value.status().message());
    if (value->empty()) return MakeUnreadableObject(key, mod_revision, "its value is empty");
    if (!proto::IsEnvelope(*value)) return BuildFromJson(key, *value, mod_revision);
    const absl::StatusOr<absl::string_view> message = Open(*value);
    if (!message.ok()) return MakeUnreadableObject(key, mod_revision, message.status().message());
    return BuildFromMessage(key, *message, mod_revision);
  }

  const Selectable& values() const { return from_message_ ? message_->values() : json_.values(); }

 private:
  ObjectRef BuildFromMessage(absl::string_view key, absl::string_view message, Revision mod_revision) {
    const std::optional<proto::RevisionSplice> splice = proto::FindRevision(message);
    if (splice.has_value() && change_ == nullptr && message_ != nullptr) {
      if (const absl::Status status = to_json_.Check(*schema_->message_type(), message); !status.ok()) {
        return MakeUnreadableObject(key, mod_revision, status.message());
      }
      return KeepMessage(key, message, *splice, mod_revision);
    }
    converted_.assign(1, '{');
    if (const absl::Status status = to_json_.AppendFields(*schema_->message_type(), message, &converted_);
        !status.ok()) {
      return MakeUnreadableObject(key, mod_revision, status.message());
    }
    converted_.push_back('}');
    std::string ignored;
    const bool changes = change_ != nullptr && change_(converted_, &ignored);
    // What reading changes, and a message that no API server wrote, is kept as the JSON that one would make of it.
    if (changes || !splice.has_value()) return BuildFromJson(key, converted_, mod_revision);
    if (message_ != nullptr) return KeepMessage(key, message, *splice, mod_revision);
    from_message_ = false;
    json_.Load(converted_);
    std::string why_broken;
    // JSON in messages may hold what no parser but Go's takes.
    if (json_.ReadNew(&why_broken) == ObjectJson::Verdict::kBroken) {
      return MakeUnreadableObject(key, mod_revision, why_broken);
    }
    return MakeProtobufObject(key, mod_revision, message, *splice);
  }

  // REQUIRES: message_, which reads its values.
  ObjectRef KeepMessage(absl::string_view key, absl::string_view message, const proto::RevisionSplice& splice,
                        Revision mod_revision) {
    ObjectRef object = MakeProtobufObject(key, mod_revision, message, splice);
    message_->Read(object->Message());
    from_message_ = true;
    return object;
  }

  ObjectRef BuildFromJson(absl::string_view key, absl::string_view value, Revision mod_revision) {
    from_message_ = false;
    if (schema_->form() != nullptr) {
      absl::StatusOr<std::string> decoded = schema_->form()->Decode(value);
      if (!decoded.ok()) return MakeUnreadableObject(key, mod_revision, decoded.status().message());
      converted_ = *std::move(decoded);
      value = converted_;
    }
    using Verdict = ObjectJson::Verdict;
    std::string why_broken;
    const absl::string_view rest = BehindKind(value);
    if (const absl::Status status = CheckVersion(value, rest); !status.ok()) {
      return MakeUnreadableObject(key, mod_revision, status.message());
    }
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

  // `rest`: BehindKind() of it. A converted message says nothing, and was looked at in its envelope.
  absl::Status CheckVersion(absl::string_view value, absl::string_view rest) const {
    const bool is_todays =
        !rest.empty() && absl::StrContains(value.substr(0, value.size() - rest.size()), todays_version_);
    if (is_todays || schema_->custom()) return absl::OkStatus();
    return CheckStoredJson(value, schema_->api_version(), schema_->kind());
  }

  // The message in the envelope.
  absl::StatusOr<absl::string_view> Open(absl::string_view value) {
    TM_ASSIGN_OR_RETURN(const proto::Envelope envelope, proto::ReadEnvelope(value));
    TM_RETURN_IF_ERROR(
        CheckStoredVersion(envelope.api_version, envelope.kind, schema_->api_version(), schema_->kind()));
    if (schema_->message_type() == nullptr) {
      return absl::InvalidArgumentError(absl::StrCat("it is stored as protobuf, and the fields of ",
                                                     envelope.api_version, " ", envelope.kind, " are not known"));
    }
    return envelope.object;
  }

  // REQUIRES: what was loaded is canonical.
  ObjectRef Make(absl::string_view key, Revision mod_revision) {
    std::string changed;
    if (change_ != nullptr && change_(json_.text(), &changed)) {
      json_.Load(changed);
      std::string why_broken;
      // What lay deepest may lie too deep now.
      if (json_.ReadNew(&why_broken) != ObjectJson::Verdict::kCanonical) {
        return MakeUnreadableObject(key, mod_revision, why_broken);
      }
    }
    const absl::string_view text = json_.text();
    return MakeObject(key, mod_revision, text.substr(0, json_.splice()), text.substr(json_.splice()),
                      json_.metadata_end());
  }

  const std::shared_ptr<const ObjectSchema> schema_;
  const ReadChange change_;
  const std::string todays_version_;              // as a field
  const std::unique_ptr<ObjectMessage> message_;  // nullptr: what is declared is looked for in the JSON
  bool from_message_ = false;                     // where the values of the last object are
  ObjectJson json_;
  proto::ProtobufToJson to_json_;
  std::string etcd_key_;   // of the value at hand
  std::string decrypted_;  // the value, when it was encrypted
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
