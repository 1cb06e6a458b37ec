// The numbers of the frames that an event keeps (cache/event.h): one for each form that all watches of a resource share. Tables
// are not among them: their first frame differs from the rest, and their ages from second to second.
//
// Thread-safety: pure.
#ifndef TIDEMARK_HTTP_FRAME_FORMS_H_
#define TIDEMARK_HTTP_FRAME_FORMS_H_

#include <cstdint>

#include "http/shown_object.h"

namespace tidemark::http {

inline uint32_t FrameFormOf(const ShownObject& form, bool protobuf) {
  const uint32_t shape = form.whole() ? 0 : form.meta_v1beta1() ? 2 : 1;
  // The versions of a resource have one mirror, and so share its events.
  const uint32_t version = static_cast<uint32_t>(form.resource().version_number);
  return version << 3 | shape << 1 | static_cast<uint32_t>(protobuf);
}

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_FRAME_FORMS_H_
