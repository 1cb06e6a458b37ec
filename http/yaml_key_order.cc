#include "http/yaml_key_order.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "base/utf8.h"
#include "http/unicode_classes.h"

namespace tidemark::http {
namespace {

// A run of digits counts with 64 bits, whatever then is left of it.
uint64_t ConsumeNumber(absl::string_view* text, uint64_t number) {
  while (!text->empty()) {
    size_t length = 0;
    const uint32_t rune = DecodeRune(*text, &length);
    if (!IsDigit(rune)) break;
    number = number * 10 + (static_cast<uint64_t>(rune) - '0');
    text->remove_prefix(length);
  }
  return number;
}

// Whether a digit other than 0 stands before this place without anything but digits between.
bool StandsInNumber(absl::string_view before) {
  while (!before.empty()) {
    size_t begin = before.size() - 1;
    while (begin > 0 && IsInsideRune(before[begin])) --begin;
    size_t length = 0;
    const uint32_t rune = DecodeRune(before.substr(begin), &length);
    if (!IsDigit(rune)) return false;
    if (rune != '0') return true;
    before.remove_suffix(before.size() - begin);
  }
  return false;
}

}  // namespace

bool YamlKeyLess(absl::string_view a, absl::string_view b) {
  size_t same = static_cast<size_t>(
      std::mismatch(a.begin(), a.begin() + std::min(a.size(), b.size()), b.begin()).first - a.begin());
  if (same == a.size() || same == b.size()) return a.size() < b.size();
  while (same > 0 && IsInsideRune(a[same])) --same;
  absl::string_view rest_a = a.substr(same), rest_b = b.substr(same);
  size_t length = 0;
  const uint32_t first_a = DecodeRune(rest_a, &length), first_b = DecodeRune(rest_b, &length);
  const bool letter_a = IsLetter(first_a), letter_b = IsLetter(first_b);
  if (letter_a && letter_b) return first_a < first_b;
  if (letter_a || letter_b) return letter_b;
  const bool inside = (first_a == '0' || first_b == '0') && StandsInNumber(a.substr(0, same));
  const auto number_a = static_cast<int64_t>(ConsumeNumber(&rest_a, inside ? 1 : 0));
  const auto number_b = static_cast<int64_t>(ConsumeNumber(&rest_b, inside ? 1 : 0));
  if (number_a != number_b) return number_a < number_b;
  const size_t digits_a = CountRunes(a.substr(same)) - CountRunes(rest_a);
  const size_t digits_b = CountRunes(b.substr(same)) - CountRunes(rest_b);
  return digits_a != digits_b ? digits_a < digits_b : first_a < first_b;
}

}  // namespace tidemark::http
