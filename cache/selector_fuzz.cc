// Both selector grammars: any text either parses, or is refused with a message; what parses can be written out and
// parses to the same.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <vector>

#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "cache/selector.h"

namespace {

using tidemark::cache::Requirement;

std::string Write(const std::vector<Requirement>& requirements) {
  return absl::StrJoin(requirements, ",", [](std::string* out, const Requirement& requirement) {
    out->append(tidemark::cache::ToString(requirement));
  });
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  const auto labels = tidemark::cache::ParseLabelSelector(text);
  if (labels.ok()) {
    const auto again = tidemark::cache::ParseLabelSelector(Write(*labels));
    TM_CHECK(again.ok() && Write(*again) == Write(*labels)) << Write(*labels);
  } else {
    TM_CHECK(!labels.status().message().empty()) << "an error without words";
  }
  static const tidemark::config::Resource& pods = []() -> const tidemark::config::Resource& {
    for (const auto& resource : tidemark::config::BuiltinResources()) {
      if (resource.plural == "pods") return resource;
    }
    return tidemark::config::BuiltinResources().front();
  }();
  const auto fields = tidemark::cache::ParseFieldSelector(text, pods);
  TM_CHECK(fields.ok() || !fields.status().message().empty()) << "an error without words";
  return 0;
}
