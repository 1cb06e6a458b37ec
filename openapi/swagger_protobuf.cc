#include "openapi/swagger_protobuf.h"

#include <google/protobuf/arena.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>

#include <optional>
#include <vector>

#include "absl/container/node_hash_map.h"
#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "openapi/swagger.pb.h"
#include "openapi/yaml_text.h"

namespace tidemark::openapi {
namespace {

using crd::Json;
using google::protobuf::Descriptor;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

// Where in the document, as links up the stack: it becomes text only for an error.
class SwaggerPlace {
 public:
  SwaggerPlace() = default;
  SwaggerPlace(const SwaggerPlace* above, absl::string_view name) : above_(above), name_(name) {}
  SwaggerPlace(const SwaggerPlace* above, size_t index) : above_(above), index_(index) {}

  absl::Status Wrong(absl::string_view what) const {
    const std::string text = Text();
    return absl::InvalidArgumentError(absl::StrCat(text.empty() ? "document" : text, ": ", what));
  }

 private:
  std::string Text() const {
    if (above_ == nullptr) return "";
    const std::string above = above_->Text();
    if (index_.has_value()) return absl::StrCat(above, "[", *index_, "]");
    return absl::StrCat(above, above.empty() ? "" : ".", name_);
  }

  const SwaggerPlace* above_ = nullptr;
  absl::string_view name_;
  std::optional<size_t> index_;
};

// How a message stands for a value of the document; swagger.proto says what each is.
struct MessageForm {
  enum class Type {
    kMembers,  // an object's members are the message's fields, entries or extensions
    kAny,
    kUnion,
    kText,   // its only field: a text or a list of them
    kTexts,  // a list
    kOne,    // one value, although the field is a list
  };
  Type type = Type::kMembers;
  // What stays nullptr the message does not have. kText, kTexts, kOne and kAny: `only`.
  const FieldDescriptor* only = nullptr;
  const FieldDescriptor* entries = nullptr;
  const FieldDescriptor* extensions = nullptr;
  std::vector<const FieldDescriptor*> fields;

  // nullptr for a name that has no place here.
  const FieldDescriptor* FieldOf(const std::string& name) const {
    if (extensions != nullptr && absl::StartsWith(name, "x-")) return extensions;
    if (entries != nullptr) return entries;
    for (const FieldDescriptor* field : fields) {
      if (field->json_name() == name) return field;
    }
    return nullptr;
  }
};

MessageForm::Type TypeOfForm(const Descriptor* message) {
  if (message->oneof_decl_count() > 0) return MessageForm::Type::kUnion;
  if (message == swagger::Any::descriptor()) return MessageForm::Type::kAny;
  if (message == swagger::Types::descriptor()) return MessageForm::Type::kText;
  if (message == swagger::Scopes::descriptor()) return MessageForm::Type::kTexts;
  if (message == swagger::Items::descriptor()) return MessageForm::Type::kOne;
  return MessageForm::Type::kMembers;
}

MessageForm MakeForm(const Descriptor* message) {
  MessageForm form{.type = TypeOfForm(message)};
  if (form.type != MessageForm::Type::kMembers) {
    form.only = message->field(0);
    return form;
  }
  for (int i = 0; i < message->field_count(); ++i) {
    const FieldDescriptor* const field = message->field(i);
    if (field->name() == "entries") {
      form.entries = field;
    } else if (field->name() == "extensions") {
      form.extensions = field;
    } else {
      form.fields.push_back(field);
    }
  }
  return form;
}

// The field's number of the one of `message` that the value is, or 0.
int AlternativeOf(const Json& value, const Descriptor* message) {
  const std::string in = crd::TextMember(value, "in");
  if (message == swagger::ParametersItem::descriptor()) {
    return value.contains("$ref") ? swagger::ParametersItem::kReference : swagger::ParametersItem::kParameter;
  }
  if (message == swagger::ResponseItem::descriptor()) {
    return value.contains("$ref") ? swagger::ResponseItem::kReference : swagger::ResponseItem::kResponse;
  }
  if (message == swagger::Parameter::descriptor()) {
    return in == "body" ? swagger::Parameter::kBody : swagger::Parameter::kPlain;
  }
  if (message == swagger::PlainParameter::descriptor()) {
    if (in == "path") return swagger::PlainParameter::kPath;
    return in == "query" ? swagger::PlainParameter::kQuery : 0;
  }
  if (message == swagger::SecurityScheme::descriptor()) {
    return crd::TextMember(value, "type") == "apiKey" ? swagger::SecurityScheme::kApiKey : 0;
  }
  if (message == swagger::AdditionalProperties::descriptor()) {
    return value.is_boolean() ? swagger::AdditionalProperties::kAllowed : swagger::AdditionalProperties::kSchema;
  }
  return message == swagger::SchemaItem::descriptor() ? swagger::SchemaItem::kSchema : 0;
}

// Fills messages from the document's values, by the messages' descriptors.
class SwaggerFiller {
 public:
  absl::Status Fill(const Json& value, const SwaggerPlace& place, Message* message) {
    const MessageForm& form = FormOf(message->GetDescriptor());
    switch (form.type) {
      case MessageForm::Type::kMembers:
        return FillMembers(value, form, place, message);
      case MessageForm::Type::kAny:
        return FillAny(value, form, place, message);
      case MessageForm::Type::kUnion:
        return FillUnion(value, place, message);
      case MessageForm::Type::kText:
        if (value.is_string()) return Add(value, place, form.only, message);
        return value.is_array() ? Set(value, place, form.only, message) : place.Wrong("is no text or list");
      case MessageForm::Type::kTexts:
        return Set(value, place, form.only, message);
      case MessageForm::Type::kOne:
        return Add(value, place, form.only, message);
    }
    return place.Wrong("is not known");
  }

 private:
  const MessageForm& FormOf(const Descriptor* message) {
    const auto found = forms_.find(message);
    return found != forms_.end() ? found->second : forms_.emplace(message, MakeForm(message)).first->second;
  }

  absl::Status FillMembers(const Json& value, const MessageForm& form, const SwaggerPlace& place, Message* message) {
    if (!value.is_object()) return place.Wrong("is no object");
    for (const auto& [name, member] : value.items()) {
      const SwaggerPlace at(&place, name);
      const FieldDescriptor* const field = form.FieldOf(name);
      if (field == nullptr) return at.Wrong("has no place in the protobuf form");
      if (field == form.entries || field == form.extensions) {
        TM_RETURN_IF_ERROR(AddNamed(name, member, at, field, message));
      } else {
        TM_RETURN_IF_ERROR(Set(member, at, field, message));
      }
    }
    return absl::OkStatus();
  }

  absl::Status AddNamed(const std::string& name, const Json& value, const SwaggerPlace& place,
                        const FieldDescriptor* field, Message* message) {
    Message* const entry = message->GetReflection()->AddMessage(message, field);
    entry->GetReflection()->SetString(entry, field->message_type()->FindFieldByName("name"), name);
    return Nested(place, [&] { return Add(value, place, field->message_type()->FindFieldByName("value"), entry); });
  }

  static absl::Status FillAny(const Json& value, const MessageForm& form, const SwaggerPlace& place, Message* message) {
    std::string yaml;
    const absl::Status status = AppendYaml(value, &yaml);
    if (!status.ok()) return place.Wrong(status.message());
    message->GetReflection()->SetString(message, form.only, std::move(yaml));
    return absl::OkStatus();
  }

  absl::Status FillUnion(const Json& value, const SwaggerPlace& place, Message* message) {
    const int number = AlternativeOf(value, message->GetDescriptor());
    if (number == 0) return place.Wrong("is of a kind that has no place in the protobuf form");
    return Add(value, place, message->GetDescriptor()->FindFieldByNumber(number), message);
  }

  absl::Status Set(const Json& value, const SwaggerPlace& place, const FieldDescriptor* field, Message* message) {
    if (!field->is_repeated()) return Add(value, place, field, message);
    if (!value.is_array()) return place.Wrong("is no list");
    for (size_t i = 0; i < value.size(); ++i) {
      TM_RETURN_IF_ERROR(Add(value[i], SwaggerPlace(&place, i), field, message));
    }
    return absl::OkStatus();
  }

  // One value, which goes to a list's end.
  absl::Status Add(const Json& value, const SwaggerPlace& place, const FieldDescriptor* field, Message* message) {
    const Reflection* const reflection = message->GetReflection();
    switch (field->cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        if (!value.is_string()) return place.Wrong("is no text");
        field->is_repeated() ? reflection->AddString(message, field, value.get<std::string>())
                             : reflection->SetString(message, field, value.get<std::string>());
        return absl::OkStatus();
      case FieldDescriptor::CPPTYPE_BOOL:
        if (!value.is_boolean()) return place.Wrong("is neither true nor false");
        reflection->SetBool(message, field, value.get<bool>());
        return absl::OkStatus();
      case FieldDescriptor::CPPTYPE_DOUBLE:
        if (!value.is_number()) return place.Wrong("is no number");
        reflection->SetDouble(message, field, value.get<double>());
        return absl::OkStatus();
      case FieldDescriptor::CPPTYPE_INT64: {
        const std::optional<int64_t> integer = crd::Integer(value);
        if (!integer.has_value()) return place.Wrong("is no integer");
        reflection->SetInt64(message, field, *integer);
        return absl::OkStatus();
      }
      default:
        return Nested(place, [&] {
          return Fill(value, place,
                      field->is_repeated() ? reflection->AddMessage(message, field)
                                           : reflection->MutableMessage(message, field));
        });
    }
  }

  // Calls `fill` one message deeper.
  template <typename Filling>
  absl::Status Nested(const SwaggerPlace& place, Filling fill) {
    if (nesting_ == kSwaggerNestingMax) return place.Wrong("is nested too deeply");
    ++nesting_;
    absl::Status status = fill();
    --nesting_;
    return status;
  }

  absl::node_hash_map<const Descriptor*, MessageForm> forms_;
  int nesting_ = 0;
};

}  // namespace

absl::StatusOr<std::string> SwaggerToProtobuf(const crd::Json& document) {
  google::protobuf::Arena arena;
  auto* const message = google::protobuf::Arena::CreateMessage<swagger::Document>(&arena);
  TM_RETURN_IF_ERROR(SwaggerFiller().Fill(document, SwaggerPlace(), message));
  std::string bytes;
  if (!message->SerializeToString(&bytes)) return absl::InvalidArgumentError("document: is too large for a message");
  return bytes;
}

}  // namespace tidemark::openapi
