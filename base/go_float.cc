#include "base/go_float.h"

#include <charconv>
#include <cstddef>
#include <iterator>

#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"

namespace tidemark {

std::string GoFloatText(double number) {
  constexpr int kPlainMin = -4, kPlainEnd = 6;  // the exponents that are written out
  constexpr size_t kBytesMax = 32;
  char buffer[kBytesMax];
  const auto written = std::to_chars(std::begin(buffer), std::end(buffer), number, std::chars_format::scientific);
  const absl::string_view text(buffer, static_cast<size_t>(written.ptr - buffer));
  int exponent = 0;
  if (!absl::SimpleAtoi(text.substr(text.find('e') + 1), &exponent)) return std::string(text);
  if (exponent < kPlainMin || exponent >= kPlainEnd) return std::string(text);
  const auto plain = std::to_chars(std::begin(buffer), std::end(buffer), number, std::chars_format::fixed);
  return std::string(buffer, plain.ptr);
}

}  // namespace tidemark
