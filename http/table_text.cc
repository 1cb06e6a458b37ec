#include "http/table_text.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/time/civil_time.h"
#include "base/human_duration.h"
#include "base/utf8.h"
#include "cache/label_syntax.h"

namespace tidemark::http {
namespace {

// One requirement of a selector: what it is about, and its text.
using Requirement = std::pair<std::string, std::string>;

bool IsLabelKey(absl::string_view key) { return cache::WhyNotLabelKey(key).empty(); }

std::optional<std::string> RequirementText(const JsonView& expression) {
  const absl::string_view key = expression.Field("key").Text();
  const absl::string_view op = expression.Field("operator").Text();
  if (!IsLabelKey(key)) return std::nullopt;
  std::vector<absl::string_view> values;
  for (const JsonView& value : expression.Field("values").elements()) {
    if (!cache::WhyNotLabelValue(value.Text()).empty()) return std::nullopt;
    values.push_back(value.Text());
  }
  if (op == "Exists" || op == "DoesNotExist") {
    if (!values.empty()) return std::nullopt;
    return absl::StrCat(op == "Exists" ? "" : "!", key);
  }
  if ((op != "In" && op != "NotIn") || values.empty()) return std::nullopt;
  std::sort(values.begin(), values.end());
  return absl::StrCat(key, op == "In" ? " in (" : " notin (", absl::StrJoin(values, ","), ")");
}

// Go's unicode.IsSpace.
bool IsGoSpace(uint32_t rune) {
  if (rune < 0x80) return rune == ' ' || (rune >= '\t' && rune <= '\r');
  return rune == 0x85 || rune == 0xA0 || rune == 0x1680 || (rune >= 0x2000 && rune <= 0x200A) || rune == 0x2028 ||
         rune == 0x2029 || rune == 0x202F || rune == 0x205F || rune == 0x3000;
}

// The number that stands in `text` at `at`; -1 when that is none.
int DigitsAt(absl::string_view text, size_t at, size_t count) {
  int number = 0;
  for (const char digit : text.substr(at, count)) {
    if (digit < '0' || digit > '9') return -1;
    number = number * 10 + (digit - '0');
  }
  return number;
}

// "2026-11-21T01:00:00Z", the form that nearly every time has; nullopt for any other, and for what is no time of day.
std::optional<absl::Time> ReadPlainTime(absl::string_view text) {
  if (text.size() != 20 || text[4] != '-' || text[7] != '-' || text[10] != 'T' || text[13] != ':' || text[16] != ':' ||
      text[19] != 'Z') {
    return std::nullopt;
  }
  const int year = DigitsAt(text, 0, 4), month = DigitsAt(text, 5, 2), day = DigitsAt(text, 8, 2);
  const int hour = DigitsAt(text, 11, 2), minute = DigitsAt(text, 14, 2), second = DigitsAt(text, 17, 2);
  const absl::CivilSecond civil(year, month, day, hour, minute, second);
  // What was out of range has been carried over.
  if (civil.year() != year || civil.month() != month || civil.day() != day || civil.hour() != hour ||
      civil.minute() != minute || civil.second() != second) {
    return std::nullopt;
  }
  return absl::FromUnixSeconds(civil - absl::CivilSecond(1970));
}

}  // namespace

absl::Time ReadTime(const JsonView& time) {
  const absl::string_view text = time.Text();
  if (const std::optional<absl::Time> plain = ReadPlainTime(text); plain.has_value()) return *plain;
  absl::Time parsed;
  // Abseil knows words for infinity, too.
  if (text.empty() || text.front() < '0' || text.front() > '9') return kGoZeroTime;
  return absl::ParseTime(absl::RFC3339_full, text, &parsed, nullptr) ? parsed : kGoZeroTime;
}

std::string LabelsText(const JsonView& labels) {
  std::vector<std::string> pairs;
  for (const auto& [key, value] : labels.members()) pairs.push_back(absl::StrCat(key, "=", value.Text()));
  std::sort(pairs.begin(), pairs.end());
  return pairs.empty() ? std::string(kNone) : absl::StrJoin(pairs, ",");
}

std::optional<std::string> SelectorText(const JsonView& selector) {
  std::vector<Requirement> requirements;
  for (const auto& [key, value] : selector.Field("matchLabels").members()) {
    if (!IsLabelKey(key) || !cache::WhyNotLabelValue(value.Text()).empty()) return std::nullopt;
    requirements.emplace_back(key, absl::StrCat(key, "=", value.Text()));
  }
  for (const JsonView& expression : selector.Field("matchExpressions").elements()) {
    const std::optional<std::string> text = RequirementText(expression);
    if (!text.has_value()) return std::nullopt;
    requirements.emplace_back(expression.Field("key").Text(), *text);
  }
  std::stable_sort(requirements.begin(), requirements.end(),
                   [](const Requirement& a, const Requirement& b) { return a.first < b.first; });
  return absl::StrJoin(requirements, ",",
                       [](std::string* out, const Requirement& requirement) { out->append(requirement.second); });
}

std::string SelectorCell(const JsonView& selector) {
  std::optional<std::string> text = SelectorText(selector);
  if (!text.has_value()) return "<error>";
  return text->empty() ? std::string(kNone) : *std::move(text);
}

std::string ListWithMore(absl::Span<const std::string> list) {
  std::string shown = absl::StrJoin(list.subspan(0, kListedMax), ",");
  if (list.size() > kListedMax) return absl::StrCat(shown, " + ", list.size() - kListedMax, " more...");
  return shown;
}

std::string JoinTexts(const JsonView& texts) {
  return absl::StrJoin(texts.elements(), ",", [](std::string* out, const JsonView& text) {
    out->append(text.Text().data(), text.Text().size());
  });
}

std::string JoinField(const JsonView& elements, absl::string_view field) {
  return absl::StrJoin(elements.elements(), ",", [field](std::string* out, const JsonView& element) {
    absl::StrAppend(out, element.Field(field).Text());
  });
}

JsonView FindByType(const JsonView& elements, absl::string_view type) {
  for (const JsonView& element : elements.elements()) {
    if (element.Field("type").Text() == type) return element;
  }
  return {};
}

std::string TextIfPresent(const JsonView& text, absl::string_view otherwise) {
  return std::string(text.present() ? text.Text() : otherwise);
}

std::string QuantityText(const JsonView& quantity) {
  std::string text = quantity.Scalar();
  return text.empty() ? "0" : text;
}

absl::string_view TrimGoSpace(absl::string_view text) {
  size_t begin = text.size();
  size_t end = 0;
  size_t length = 0;
  for (size_t at = 0; at < text.size(); at += length) {
    if (IsGoSpace(DecodeRune(text.substr(at), &length))) continue;
    begin = std::min(begin, at);
    end = at + length;
  }
  return begin < end ? text.substr(begin, end - begin) : absl::string_view();
}

}  // namespace tidemark::http
