#include "crd/object_meta.h"

#include <cctype>
#include <cstdlib>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/types/span.h"
#include "base/human_duration.h"

namespace tidemark::crd {
namespace {

// Reads one field's value; false when it cannot be read. Null is what leaves the field as it is: out.
using ReadField = bool (*)(const Json& value, Json* read);

bool ReadText(const Json& value, Json* read) {
  if (!value.is_string()) return false;
  if (!value.get_ref<const std::string&>().empty()) *read = value;
  return true;
}

// Null stands for 0, and a number with a fraction for none.
bool ReadInteger(const Json& value, Json* read) {
  std::optional<int64_t> number = Integer(value);
  if (!number.has_value() && value.is_number_float()) {
    const double real = value.get<double>();
    const bool whole = real >= -9.2e18 && real <= 9.2e18 && real == static_cast<double>(static_cast<int64_t>(real));
    if (whole) number = static_cast<int64_t>(real);
  }
  if (!number.has_value()) return false;
  *read = *number;
  return true;
}

bool ReadGeneration(const Json& value, Json* read) {
  if (!ReadInteger(value, read)) return false;
  if (*read == 0) *read = Json();
  return true;
}

bool ReadTime(const Json& value, Json* read) {
  if (!value.is_string()) return false;
  const std::optional<absl::Time> time = ParseGoTime(value.get_ref<const std::string&>());
  if (!time.has_value()) return false;
  if (*time != kGoZeroTime) *read = GoTimeText(*time);
  return true;
}

bool ReadTexts(const Json& value, Json* read) {
  if (!value.is_array()) return false;
  Json texts = Json::array();
  for (const Json& element : value) {
    if (!element.is_string() && !element.is_null()) return false;
    texts.push_back(element.is_null() ? Json("") : element);
  }
  if (!texts.empty()) *read = std::move(texts);
  return true;
}

bool ReadTextMap(const Json& value, Json* read) {
  if (!value.is_object()) return false;
  Json texts = Json::object();
  for (const auto& [name, element] : value.items()) {
    if (!element.is_string() && !element.is_null()) return false;
    texts[name] = element.is_null() ? Json("") : element;
  }
  if (!texts.empty()) *read = std::move(texts);
  return true;
}

bool ReadBool(const Json& value, Json* read) {
  if (value.is_boolean()) *read = value;
  return value.is_boolean();
}

bool ReadAny(const Json& value, Json* read) {
  *read = value;
  return true;
}

struct FieldOf {
  absl::string_view name;
  ReadField read;
  bool always = false;  // an empty text is written too
};

bool ReadFields(const Json& value, absl::Span<const FieldOf> fields, Json* read) {
  if (value.is_null()) *read = Json::object();
  for (const FieldOf& field : fields) {
    const Json* const member = Member(value, field.name);
    Json content;
    if (member != nullptr && !member->is_null() && !field.read(*member, &content)) return false;
    if (!content.is_null()) (*read)[std::string(field.name)] = std::move(content);
    if (content.is_null() && field.always && Member(*read, field.name) == nullptr)
      (*read)[std::string(field.name)] = "";
  }
  return value.is_object() || value.is_null();
}

constexpr FieldOf kOwnerFields[] = {{"apiVersion", ReadText, true}, {"kind", ReadText, true},
                                    {"name", ReadText, true},       {"uid", ReadText, true},
                                    {"controller", ReadBool},       {"blockOwnerDeletion", ReadBool}};
constexpr FieldOf kManagedFields[] = {{"manager", ReadText},    {"operation", ReadText},  {"apiVersion", ReadText},
                                      {"time", ReadTime},       {"fieldsType", ReadText}, {"fieldsV1", ReadAny},
                                      {"subresource", ReadText}};

bool ReadList(const Json& value, absl::Span<const FieldOf> fields, Json* read) {
  if (!value.is_array()) return false;
  Json list = Json::array();
  for (const Json& element : value) {
    Json entry = Json::object();
    if (!ReadFields(element, fields, &entry)) return false;
    list.push_back(std::move(entry));
  }
  if (!list.empty()) *read = std::move(list);
  return true;
}

bool ReadOwners(const Json& value, Json* read) { return ReadList(value, kOwnerFields, read); }
bool ReadManaged(const Json& value, Json* read) { return ReadList(value, kManagedFields, read); }

constexpr FieldOf kMetaFields[] = {{"name", ReadText},
                                   {"generateName", ReadText},
                                   {"namespace", ReadText},
                                   {"selfLink", ReadText},
                                   {"uid", ReadText},
                                   {"resourceVersion", ReadText},
                                   {"generation", ReadGeneration},
                                   {"creationTimestamp", ReadTime},
                                   {"deletionTimestamp", ReadTime},
                                   {"deletionGracePeriodSeconds", ReadInteger},
                                   {"labels", ReadTextMap},
                                   {"annotations", ReadTextMap},
                                   {"ownerReferences", ReadOwners},
                                   {"finalizers", ReadTexts},
                                   {"managedFields", ReadManaged}};

bool HasDigits(absl::string_view text, absl::string_view form) {
  if (text.size() < form.size()) return false;
  for (size_t i = 0; i < form.size(); ++i) {
    const bool fits = form[i] == '0' ? std::isdigit(static_cast<unsigned char>(text[i])) != 0 : text[i] == form[i];
    if (!fits) return false;
  }
  return true;
}

int Number(absl::string_view digits) {
  int number = 0;
  for (const char c : digits) number = number * 10 + (c - '0');
  return number;
}

}  // namespace

std::optional<absl::Time> ParseGoTime(absl::string_view text) {
  if (!HasDigits(text, "0000-00-00T00:00:00")) return std::nullopt;
  const int year = Number(text.substr(0, 4)), month = Number(text.substr(5, 2)), day = Number(text.substr(8, 2));
  const int hour = Number(text.substr(11, 2)), minute = Number(text.substr(14, 2)), second = Number(text.substr(17, 2));
  const absl::CivilSecond civil(year, month, day, hour, minute, second);
  // What is out of its range has moved to another field.
  if (civil.month() != month || civil.day() != day || civil.hour() != hour || civil.minute() != minute ||
      civil.second() != second) {
    return std::nullopt;
  }
  absl::Time time = absl::FromCivil(civil, absl::UTCTimeZone());
  text.remove_prefix(19);
  if (!text.empty() && (text[0] == '.' || text[0] == ',')) {
    size_t end = 1;
    while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end])) != 0) ++end;
    if (end == 1) return std::nullopt;
    double fraction = 0;
    if (!absl::SimpleAtod(absl::StrCat("0.", text.substr(1, end - 1)), &fraction)) return std::nullopt;
    time += absl::Seconds(fraction);
    text.remove_prefix(end);
  }
  if (text == "Z") return time;
  if (text.size() != 6 || (text[0] != '+' && text[0] != '-') || !HasDigits(text.substr(1), "00:00"))
    return std::nullopt;
  const int hours = Number(text.substr(1, 2)), minutes = Number(text.substr(4, 2));
  if (hours > 24 || minutes > 60) return std::nullopt;  // Go's own limits
  const absl::Duration offset = absl::Hours(hours) + absl::Minutes(minutes);
  return text[0] == '+' ? time - offset : time + offset;
}

std::string GoTimeText(absl::Time time) {
  const absl::CivilSecond civil = absl::ToCivilSecond(time, absl::UTCTimeZone());
  return absl::StrFormat("%04d-%02d-%02dT%02d:%02d:%02dZ", civil.year(), civil.month(), civil.day(), civil.hour(),
                         civil.minute(), civil.second());
}

absl::Status CoerceObjectMeta(Json* metadata) {
  if (!metadata->is_object() && !metadata->is_null()) {
    return absl::InvalidArgumentError("its metadata is not an object");
  }
  Json read = Json::object();
  for (const FieldOf& field : kMetaFields) {
    const Json* const member = Member(*metadata, field.name);
    Json content;
    if (member == nullptr || member->is_null() || !field.read(*member, &content) || content.is_null()) continue;
    read[std::string(field.name)] = std::move(content);
  }
  *metadata = std::move(read);
  return absl::OkStatus();
}

}  // namespace tidemark::crd
