#include "config/version_order.h"

#include <algorithm>
#include <compare>

#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"

namespace tidemark::config {
namespace {

struct VersionRank {
  int maturity = 0;  // 3: released, 2: beta, 1: alpha, 0: no such name
  int major = 0;
  int minor = 0;

  auto operator<=>(const VersionRank&) const = default;
};

VersionRank RankOf(absl::string_view version) {
  VersionRank rank;
  if (!absl::ConsumePrefix(&version, "v")) return {};
  const size_t digits = std::min(version.find_first_not_of("0123456789"), version.size());
  if (!absl::SimpleAtoi(version.substr(0, digits), &rank.major)) return {};
  version.remove_prefix(digits);
  rank.maturity = version.empty()                          ? 3
                  : absl::ConsumePrefix(&version, "beta")  ? 2
                  : absl::ConsumePrefix(&version, "alpha") ? 1
                                                           : 0;
  if (!version.empty() && !absl::SimpleAtoi(version, &rank.minor)) return {};
  return rank.maturity == 0 ? VersionRank() : rank;
}

}  // namespace

bool IsPreferredVersion(absl::string_view a, absl::string_view b) {
  const VersionRank rank_a = RankOf(a), rank_b = RankOf(b);
  return rank_a != rank_b ? rank_a > rank_b : rank_a.maturity == 0 && a < b;
}

}  // namespace tidemark::config
