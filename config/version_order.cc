#include "config/version_order.h"

#include <algorithm>
#include <compare>
#include <cstdint>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace tidemark::config {
namespace {

struct VersionRank {
  int maturity = 0;  // 3: released, 2: beta, 1: alpha, 0: no such name
  int64_t major = 0;
  int64_t minor = 0;

  auto operator<=>(const VersionRank&) const = default;
};

// Takes the digits that the text begins with; false when there are none, or more than a number holds.
bool TakeNumber(absl::string_view* text, int64_t* number) {
  const size_t digits = std::min(text->find_first_not_of("0123456789"), text->size());
  const bool is_number = absl::SimpleAtoi(text->substr(0, digits), number);
  text->remove_prefix(digits);
  return is_number;
}

// v1, v1beta1, v1alpha1.
VersionRank RankOf(absl::string_view version) {
  VersionRank rank;
  if (!absl::ConsumePrefix(&version, "v") || !TakeNumber(&version, &rank.major)) return {};
  rank.maturity = version.empty()                          ? 3
                  : absl::ConsumePrefix(&version, "beta")  ? 2
                  : absl::ConsumePrefix(&version, "alpha") ? 1
                                                           : 0;
  const bool numbered = rank.maturity == 3 || TakeNumber(&version, &rank.minor);
  return rank.maturity > 0 && numbered && version.empty() ? rank : VersionRank();
}

}  // namespace

bool IsPreferredVersion(absl::string_view a, absl::string_view b) {
  const VersionRank rank_a = RankOf(a), rank_b = RankOf(b);
  return rank_a != rank_b ? rank_a > rank_b : rank_a.maturity == 0 && a < b;
}

}  // namespace tidemark::config
