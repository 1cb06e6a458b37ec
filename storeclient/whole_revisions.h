// WholeRevisions turns the messages of one watch into batches that hold whole revisions only: what a fragment leaves open is kept
// until the rest of that revision has come, and what has been delivered before is dropped.
//
//   fragment  [+a@6 +b@7]    -> +a@6          (7 may go on)
//   last      [-c@7 +d@8]    -> +b@7 -c@7, +d@8
//
// Thread-safety: thread-compatible.
// Ownership:     batches point into the message, or into this object until its next call. Only an open revision is copied.
// Errors:        kCorrupt when revisions go down inside a message or from message to message.
// Invariants:    batches ascend, and are above the position given.
// Source:        etcd splits a revision over fragments only, never over whole responses.
#ifndef TIDEMARK_STORECLIENT_WHOLE_REVISIONS_H_
#define TIDEMARK_STORECLIENT_WHOLE_REVISIONS_H_

#include <deque>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "base/revision.h"
#include "storeclient/store_client.h"
#include "storeclient/wire.h"

namespace tidemark::storeclient {

class WholeRevisions {
 public:
  // Appends the batches that are whole now: two at most. Events up to `position` have been delivered before.
  absl::Status Add(const WatchView& message, Revision position, std::vector<absl::Span<const EventView>>* batches);
  // Forgets an open revision: the stream ended, and the next one delivers it again.
  void Clear();

 private:
  struct Event {
    EventView::Type type;
    std::string key;
    std::string value;
    Revision create_revision;
    Revision mod_revision;
  };

  static absl::Status CheckOrder(const WatchView& message, Revision open_revision);
  bool HasOpen() const { return !open_.empty(); }
  Revision open_revision() const { return open_.empty() ? Revision() : open_.front().mod_revision; }
  void Keep(const EventView& event);
  // The open revision, which is whole now; its events stay until the next call.
  absl::Span<const EventView> CloseOpen();

  std::deque<Event> open_;    // of one revision, not delivered
  std::deque<Event> closed_;  // what the last call delivered from open_
  std::vector<EventView> closed_views_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_WHOLE_REVISIONS_H_
