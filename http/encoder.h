// Encoder writes the objects of one resource in one form: a list with its head, items and tail, a single object, and the frames
// of a watch. JSON, protobuf and Table have one each; MakeEncoder picks.
//
//   const std::unique_ptr<Encoder> encoder = MakeEncoder(form, resource, clock);
//   TM_RETURN_IF_ERROR(encoder->AppendItem(*object, /*last=*/true, &pieces));
//
// What an object's own bytes say is never parsed nor copied where a slice will do.
//
// Thread-safety: thread-compatible; each answer has its own.
// Ownership:     slices point into the encoder, the objects, the events and the pieces.
// Errors:        of an object that has no such form: JSON in the store that is no message of its kind.
// Source:        apimachinery's serializers and watch frames; kube-apiserver's list and table answers.
#ifndef TIDEMARK_HTTP_ENCODER_H_
#define TIDEMARK_HTTP_ENCODER_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "base/revision.h"
#include "cache/cache.h"
#include "cache/object.h"
#include "config/resource.h"
#include "http/answer_form.h"
#include "http/pieces.h"
#include "http/shown_object.h"
#include "http/status.h"

namespace tidemark::http {

// What a list's head says.
struct ListHead {
  Revision revision;
  std::string continue_token;        // empty: the list ends here
  std::optional<int64_t> remaining;  // items behind the page
  bool empty = false;
  uint64_t item_bytes = 0;  // the sum of ItemBytes
};

class Encoder {
 public:
  virtual ~Encoder() = default;

  // Whether a list says its length before its items.
  virtual bool NeedsItemBytes() const { return false; }
  // What an item adds to that length, wherever it stands: 0 where a list does not say it.
  virtual absl::StatusOr<uint64_t> ItemBytes(const cache::Object&) const { return 0; }

  // Puts the objects of a list that is read at once into the order in which this form shows them: that of their keys, but for
  // few tables.
  virtual void Arrange(std::vector<const cache::Object*>*) {}
  virtual void AppendHead(const ListHead& head, Pieces* pieces) = 0;
  // REQUIRES (for all that takes an object or an event): it is not unreadable.
  virtual absl::Status AppendItem(const cache::Object& object, bool last, Pieces* pieces) = 0;
  virtual void AppendTail(bool empty, Pieces* pieces) = 0;

  virtual absl::StatusOr<std::string> Whole(const cache::Object& object) = 0;

  // An object that is there when a watch begins.
  virtual absl::Status AppendAdded(const cache::Object& object, Pieces* pieces) = 0;
  virtual absl::Status AppendEvent(const cache::WatchEvent& event, Pieces* pieces) = 0;
  virtual absl::Status AppendBookmark(Revision revision, bool initial_events_end, Pieces* pieces) = 0;
  virtual void AppendError(const ApiStatus& status, Pieces* pieces) = 0;
};

// `resource` and `clock` outlive the encoder.
std::unique_ptr<Encoder> MakeEncoder(const AnswerForm& form, const config::Resource& resource, const Clock& clock);

// Shared by the encoders.

// Each thread's own, for what is copied before the next call: thousands of watches would each keep what their largest object
// needed.
std::string* EncoderScratch();
absl::string_view EventTypeName(cache::WatchEvent::Type type);
// The revision that the event's object shows: a deleted object, or one that is no longer selected, is the last one that was,
// at the revision at which it went.
Revision ShownRevision(const cache::WatchEvent& event);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_ENCODER_H_
