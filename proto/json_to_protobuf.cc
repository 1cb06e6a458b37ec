#include "proto/json_to_protobuf.h"

#include <map>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "proto/field_writer.h"
#include "proto/message_values.h"
#include "proto/strict_json.h"
#include "simdjson.h"

namespace tidemark::proto {
namespace {

namespace ondemand = simdjson::ondemand;
using ondemand::json_type;

absl::string_view ViewOf(std::string_view text) { return {text.data(), text.size()}; }

absl::Status Wrong(absl::string_view field, absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat(field, ": ", what));
}

absl::Status Parsed(simdjson::error_code error, absl::string_view field) {
  return error ? Wrong(field, simdjson::error_message(error)) : absl::OkStatus();
}

// Appends `value` as field `number`, of the kind that `field` says. Null is zero.
absl::Status AppendValue(const FieldRow& field, uint32_t number, ondemand::value value, std::string* out);
// Each of an array's values as the field.
absl::Status AppendElements(const FieldRow& field, ondemand::value value, std::string* out);
absl::Status AppendZeroMessage(const MessageType& type, std::string* out);

// The fields of one message as they come in, each with its tag, until they are written in the order of their numbers.
class MessageBuilder {
 public:
  explicit MessageBuilder(const MessageType& type) : type_(type), parts_(type.fields().size()) {
    for (size_t i = 0; i < parts_.size(); ++i) {
      const FieldRow& field = type.fields()[i];
      if (field.Has(FieldRow::kInline)) inlined_.emplace_back(i, MessageBuilder(field.message()));
    }
  }

  // False when neither this message nor one inlined in it has such a field.
  absl::StatusOr<bool> Set(absl::string_view name, ondemand::value value) {
    const absl::Span<const FieldRow> fields = type_.fields();
    for (size_t i = 0; i < fields.size(); ++i) {
      if (fields[i].Has(FieldRow::kInline) || fields[i].name() != name) continue;
      parts_[i].clear();
      TM_RETURN_IF_ERROR(Field(fields[i], value, &parts_[i]));
      return true;
    }
    for (auto& [index, builder] : inlined_) {
      TM_ASSIGN_OR_RETURN(const bool taken, builder.Set(name, value));
      if (taken) return true;
    }
    return false;
  }

  absl::Status Finish(std::string* out) {
    for (auto& [index, builder] : inlined_) {
      std::string content;
      TM_RETURN_IF_ERROR(builder.Finish(&content));
      AppendBytesField(type_.fields()[index].number, content, &parts_[index]);
    }
    for (uint32_t number = 1; number < type_.number_end(); ++number) {
      const size_t index = type_.IndexOf(number);
      if (index == 0) continue;
      if (parts_[index - 1].empty()) TM_RETURN_IF_ERROR(Zero(type_.fields()[index - 1], &parts_[index - 1]));
      out->append(parts_[index - 1]);
    }
    return absl::OkStatus();
  }

 private:
  absl::Status Field(const FieldRow& field, ondemand::value value, std::string* part);
  absl::Status Map(const FieldRow& field, ondemand::value value, std::string* part);
  static absl::Status Zero(const FieldRow& field, std::string* part);

  const MessageType& type_;
  std::vector<std::string> parts_;  // by the field's place; empty: not set
  std::vector<std::pair<size_t, MessageBuilder>> inlined_;
};

absl::StatusOr<json_type> TypeOf(ondemand::value value, absl::string_view field) {
  json_type type = json_type::null;
  TM_RETURN_IF_ERROR(Parsed(value.type().get(type), field));
  return type;
}

absl::StatusOr<absl::string_view> TextOf(ondemand::value value, absl::string_view field) {
  std::string_view text;
  TM_RETURN_IF_ERROR(Parsed(value.get_string().get(text), field));
  return ViewOf(text);
}

absl::Status MessageBuilder::Field(const FieldRow& field, ondemand::value value, std::string* part) {
  TM_ASSIGN_OR_RETURN(const json_type type, TypeOf(value, field.name()));
  if (type == json_type::null) return absl::OkStatus();
  if (field.Has(FieldRow::kMap)) return Map(field, value, part);
  if (field.Has(FieldRow::kRepeated)) return AppendElements(field, value, part);
  return AppendValue(field, field.number, value, part);
}

absl::Status MessageBuilder::Map(const FieldRow& field, ondemand::value value, std::string* part) {
  ondemand::object object;
  TM_RETURN_IF_ERROR(Parsed(value.get_object().get(object), field.name()));
  std::map<std::string, std::string> entries;
  for (auto member : object) {
    std::string_view key;
    TM_RETURN_IF_ERROR(Parsed(member.unescaped_key().get(key), field.name()));
    std::string owned(key);
    ondemand::value child;
    TM_RETURN_IF_ERROR(Parsed(member.value().get(child), field.name()));
    std::string entry;
    AppendBytesField(1, owned, &entry);
    TM_ASSIGN_OR_RETURN(const json_type type, TypeOf(child, field.name()));
    const bool absent = field.kind == FieldKind::kBytes && type == json_type::null;
    if (!absent) TM_RETURN_IF_ERROR(AppendValue(field, 2, child, &entry));
    entries[std::move(owned)] = std::move(entry);
  }
  for (const auto& [key, entry] : entries) AppendBytesField(field.number, entry, part);
  return absl::OkStatus();
}

// What generated code writes of a field that was not set.
absl::Status MessageBuilder::Zero(const FieldRow& field, std::string* part) {
  const bool absent = field.Has(FieldRow::kPointer) || field.Has(FieldRow::kRepeated) || field.Has(FieldRow::kMap) ||
                      field.kind == FieldKind::kBytes;
  if (absent) return absl::OkStatus();
  if (field.kind == FieldKind::kMessage) {
    std::string content;
    TM_RETURN_IF_ERROR(AppendZeroMessage(field.message(), &content));
    AppendBytesField(field.number, content, part);
    return absl::OkStatus();
  }
  AppendTag(field.number, WireTypeOf(field.kind), part);
  if (field.kind == FieldKind::kDouble) {
    part->append(8, '\0');
  } else {
    part->push_back('\0');  // no length, or the number 0
  }
  return absl::OkStatus();
}

// Behind its tag.
absl::Status AppendScalar(const FieldRow& field, ondemand::value value, std::string* out) {
  const absl::string_view name = field.name();
  TM_ASSIGN_OR_RETURN(const json_type type, TypeOf(value, name));
  const bool null = type == json_type::null;
  switch (field.kind) {
    case FieldKind::kString: {
      absl::string_view text;
      if (!null) {
        TM_ASSIGN_OR_RETURN(text, TextOf(value, name));
      }
      AppendLengthAndBytes(text, out);
      return absl::OkStatus();
    }
    case FieldKind::kBytes: {
      std::string bytes;
      absl::string_view text;
      if (!null) {
        TM_ASSIGN_OR_RETURN(text, TextOf(value, name));
      }
      if (text.size() % 4 != 0 || !absl::Base64Unescape(text, &bytes)) return Wrong(name, "no base64");
      AppendLengthAndBytes(bytes, out);
      return absl::OkStatus();
    }
    case FieldKind::kBool: {
      bool flag = false;
      if (!null) TM_RETURN_IF_ERROR(Parsed(value.get_bool().get(flag), name));
      out->push_back(flag ? '\1' : '\0');
      return absl::OkStatus();
    }
    case FieldKind::kDouble: {
      double number = 0;
      if (!null) TM_RETURN_IF_ERROR(Parsed(value.get_double().get(number), name));
      out->append(reinterpret_cast<const char*>(&number), sizeof(number));
      return absl::OkStatus();
    }
    default: {
      int64_t number = 0;
      if (!null) TM_RETURN_IF_ERROR(Parsed(value.get_int64().get(number), name));
      if (field.kind == FieldKind::kInt32 && number != static_cast<int32_t>(number)) return Wrong(name, "out of range");
      AppendVarint(static_cast<uint64_t>(number), out);
      return absl::OkStatus();
    }
  }
}

absl::Status Object(const MessageType& type, ondemand::value value, std::string* out) {
  ondemand::object object;
  TM_RETURN_IF_ERROR(Parsed(value.get_object().get(object), "object"));
  MessageBuilder builder(type);
  for (auto member : object) {
    std::string_view key;
    TM_RETURN_IF_ERROR(Parsed(member.unescaped_key().get(key), "object"));
    const std::string name(key);  // the view lasts until the next text is read
    ondemand::value child;
    TM_RETURN_IF_ERROR(Parsed(member.value().get(child), name));
    TM_RETURN_IF_ERROR(builder.Set(name, child).status());
  }
  return builder.Finish(out);
}

// Of the forms that are one text.
absl::Status Text(MessageForm form, ondemand::value value, std::string* out) {
  TM_ASSIGN_OR_RETURN(const absl::string_view text, TextOf(value, "text"));
  if (form == MessageForm::kTime) return AppendTimeMessage(text, out);
  if (form == MessageForm::kMicroTime) return AppendMicroTimeMessage(text, out);
  return AppendDurationMessage(text, out);
}

absl::Status IntOrString(ondemand::value value, std::string* out) {
  TM_ASSIGN_OR_RETURN(const json_type type, TypeOf(value, "number or text"));
  if (type == json_type::string) {
    TM_ASSIGN_OR_RETURN(const absl::string_view text, TextOf(value, "number or text"));
    AppendTextMessage(text, out);
    return absl::OkStatus();
  }
  int64_t number = 0;
  TM_RETURN_IF_ERROR(Parsed(value.get_int64().get(number), "number or text"));
  if (number != static_cast<int32_t>(number)) return Wrong("number or text", "out of range");
  AppendIntMessage(number, out);
  return absl::OkStatus();
}

absl::Status Quantity(ondemand::value value, std::string* out) {
  TM_ASSIGN_OR_RETURN(const json_type type, TypeOf(value, "quantity"));
  absl::string_view text = absl::StripAsciiWhitespace(ViewOf(value.raw_json_token()));
  if (type == json_type::string) {
    TM_ASSIGN_OR_RETURN(text, TextOf(value, "quantity"));
  } else if (type != json_type::number) {
    return Wrong("quantity", "neither a text nor a number");
  }
  return AppendQuantityMessage(text, out);
}

absl::Status Raw(ondemand::value value, std::string* out) {
  std::string_view text;
  TM_RETURN_IF_ERROR(Parsed(simdjson::to_json_string(value).get(text), "raw JSON"));
  AppendBytesField(1, absl::StripAsciiWhitespace(ViewOf(text)), out);
  return absl::OkStatus();
}

// The three forms that hold one of two things.
absl::Status Either(const MessageType& type, ondemand::value value, std::string* out) {
  TM_ASSIGN_OR_RETURN(const json_type json, TypeOf(value, "schema"));
  const bool or_bool = type.form() == MessageForm::kSchemaOrBool;
  const FieldRow& schema = type.fields()[or_bool ? 1 : 0];
  if (json == json_type::array && !or_bool) return AppendElements(type.fields()[1], value, out);
  if (json == json_type::object) {
    if (or_bool) AppendNumberField(1, 1, out);
    return AppendValue(schema, schema.number, value, out);
  }
  if (!or_bool) return absl::OkStatus();  // Go takes no notice of anything else
  bool flag = false;
  TM_RETURN_IF_ERROR(Parsed(value.get_bool().get(flag), "schema"));
  AppendNumberField(1, flag ? 1 : 0, out);
  return absl::OkStatus();
}

absl::Status AppendMessage(const MessageType& type, ondemand::value value, std::string* out) {
  TM_ASSIGN_OR_RETURN(const json_type json, TypeOf(value, "object"));
  if (json == json_type::null && type.form() != MessageForm::kRaw) return AppendZeroMessage(type, out);
  switch (type.form()) {
    case MessageForm::kObject:
      return Object(type, value, out);
    case MessageForm::kList:
      return AppendElements(type.fields()[0], value, out);  // an array is all that it is
    case MessageForm::kRaw:
      return json == json_type::null ? absl::OkStatus() : Raw(value, out);
    case MessageForm::kTime:
    case MessageForm::kMicroTime:
    case MessageForm::kDuration:
      return Text(type.form(), value, out);
    case MessageForm::kQuantity:
      return Quantity(value, out);
    case MessageForm::kIntOrString:
      return IntOrString(value, out);
    case MessageForm::kSchemaOrArray:
    case MessageForm::kSchemaOrBool:
    case MessageForm::kSchemaOrStringArray:
      return Either(type, value, out);
  }
  return Wrong("object", "no form");
}

absl::Status AppendValue(const FieldRow& field, uint32_t number, ondemand::value value, std::string* out) {
  if (field.kind != FieldKind::kMessage) {
    AppendTag(number, WireTypeOf(field.kind), out);
    return AppendScalar(field, value, out);
  }
  std::string content;
  TM_RETURN_IF_ERROR(AppendMessage(field.message(), value, &content));
  AppendBytesField(number, content, out);
  return absl::OkStatus();
}

absl::Status AppendElements(const FieldRow& field, ondemand::value value, std::string* out) {
  ondemand::array array;
  TM_RETURN_IF_ERROR(Parsed(value.get_array().get(array), field.name()));
  for (auto element : array) {
    ondemand::value child;
    TM_RETURN_IF_ERROR(Parsed(element.get(child), field.name()));
    TM_RETURN_IF_ERROR(AppendValue(field, field.number, child, out));
  }
  return absl::OkStatus();
}

absl::Status AppendZeroMessage(const MessageType& type, std::string* out) {
  if (type.form() == MessageForm::kObject) return MessageBuilder(type).Finish(out);
  AppendZeroValue(type.form(), out);
  return absl::OkStatus();
}

}  // namespace

struct JsonToProtobuf::Parser {
  ondemand::parser parser;
  std::string text;
};

JsonToProtobuf::JsonToProtobuf() : parser_(std::make_unique<Parser>()) {}
JsonToProtobuf::~JsonToProtobuf() = default;

absl::Status JsonToProtobuf::Append(const MessageType& type, absl::string_view json, std::string* message) {
  parser_->text.assign(json.data(), json.size());
  parser_->text.resize(json.size() + simdjson::SIMDJSON_PADDING);
  ondemand::document document;
  const auto padded = simdjson::padded_string_view(parser_->text.data(), json.size(), parser_->text.size());
  TM_RETURN_IF_ERROR(Parsed(parser_->parser.iterate(padded).get(document), "object"));
  // All of it first: what is left out, or pasted as it is, is read nowhere else.
  ondemand::value value;
  TM_RETURN_IF_ERROR(Parsed(document.get_value().get(value), "object"));
  TM_RETURN_IF_ERROR(Parsed(CheckJson(value, 0), "object"));
  if (document.current_location().error() != simdjson::OUT_OF_BOUNDS)
    return Wrong("object", "something stands behind it");
  document.rewind();
  TM_RETURN_IF_ERROR(Parsed(document.get_value().get(value), "object"));
  return AppendMessage(type, value, message);
}

}  // namespace tidemark::proto
