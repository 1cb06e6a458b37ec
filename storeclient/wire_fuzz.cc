// Any bytes: the parsers must neither read outside them nor say OK for views outside them.
#include <cstddef>
#include <cstdint>

#include "absl/strings/string_view.h"
#include "base/check.h"
#include "storeclient/wire.h"

using tidemark::storeclient::EventView;
using tidemark::storeclient::KeyValueView;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const absl::string_view bytes(reinterpret_cast<const char*>(data), size);
  const auto check = [&](const KeyValueView& kv) {
    for (const absl::string_view part : {kv.key, kv.value}) {
      TM_CHECK(part.empty() ||
               (part.data() >= bytes.data() && part.data() + part.size() <= bytes.data() + bytes.size()));
    }
  };
  static tidemark::storeclient::RangeView range;
  if (tidemark::storeclient::ParseRange(bytes, &range).ok()) {
    for (const KeyValueView& kv : range.kvs) check(kv);
  }
  static tidemark::storeclient::WatchView watch;
  if (tidemark::storeclient::ParseWatch(bytes, &watch).ok()) {
    for (const EventView& event : watch.events) check(event.kv);
  }
  return 0;
}
