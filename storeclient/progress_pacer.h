// ProgressPacer decides when a wanted progress request is sent, and notices a stream that does not answer while the store goes on,
// or answers with less than the store had when it was asked: its member lags.
//
// One request is in flight at most. The store may drop one without an answer (the watch lags, or has not reached its start), so
// after kAnswerWait it no longer counts as in flight. What is wanted meanwhile is one request afterwards: the answer under way may
// be too old for those who came later.
//
// Thread-safety: thread-compatible.
#ifndef TIDEMARK_STORECLIENT_PROGRESS_PACER_H_
#define TIDEMARK_STORECLIENT_PROGRESS_PACER_H_

#include "absl/time/time.h"
#include "base/revision.h"

namespace tidemark::storeclient {

class ProgressPacer {
 public:
  // etcd tries a lagging watch again every 100 ms: earlier it would only drop the request once more.
  static constexpr absl::Duration kAnswerWait = absl::Milliseconds(100);
  // Requests further apart belong to different waits: nobody was left without an answer between them.
  static constexpr absl::Duration kWaitGap = absl::Seconds(1);
  // Two thirds of the longest wait of a consistent read, so that the next endpoint still can answer it.
  static constexpr absl::Duration kSilenceFirst = absl::Seconds(2);
  // A store that never answers gets a new stream this seldom.
  static constexpr absl::Duration kSilenceMax = absl::Minutes(2);

  void Want() { wanted_ = true; }
  bool MaySend(absl::Time now) const { return wanted_ && now >= Earliest(); }
  // When a wanted request may be sent; InfiniteFuture when none is wanted.
  absl::Time NextTime() const { return wanted_ ? Earliest() : absl::InfiniteFuture(); }
  // `store`: the newest revision that the store is known to have.
  void Sent(absl::Time now, Revision store);
  // `member`: the revision that the answer's header shows.
  void Answered(Revision member);
  // Some other message came: the stream lives, though it has not answered.
  void Heard(Revision member);
  // Whether requests have stayed unanswered, and the stream quiet or behind, for longer than is bearable.
  bool IsSilent(absl::Time now) const;
  // The stream is given up for its silence: the next may be silent for twice as long.
  void GaveUp();
  // A new stream: nothing is in flight. What is wanted stays wanted.
  void StreamOpened();

 private:
  absl::Time Earliest() const;

  bool wanted_ = false;
  bool in_flight_ = false;
  absl::Time last_sent_ = absl::InfinitePast();
  absl::Time silent_since_ = absl::InfiniteFuture();  // the first request after the last message that was not behind
  Revision silent_below_;  // the store's revision at that request: less does not break the silence
  absl::Duration silence_bearable_ = kSilenceFirst;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_PROGRESS_PACER_H_
