#include "storeclient/page_sizer.h"

#include <algorithm>

namespace tidemark::storeclient {

void PageSizer::Saw(int64_t keys, size_t bytes) {
  if (keys <= 0) return;
  const double bytes_per_key = std::max(static_cast<double>(bytes) / static_cast<double>(keys), 1.0);
  const int64_t fitting = static_cast<int64_t>(static_cast<double>(kPageBytesAim) / bytes_per_key);
  keys_ = std::clamp(std::min(fitting, keys_ * kGrowthMax), kKeysMin, kKeysMax);
}

}  // namespace tidemark::storeclient
