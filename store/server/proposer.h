// Proposer takes commands to the log and brings back what the state machine made of them; it is both ends of the log.
//
//   proposer.Propose(mvcc::Command{put}, [](mvcc::CommandResult result) { ... });
//
// Thread-safety: Propose is thread-safe; Apply is the log's callback.
// Ownership:     borrows state and log, which outlive it.
// Errors:        a proposal that the log refuses comes back with the log's status in the result; kStoreUnavailable once
//                the state cannot be written (StateMachine::health), and then nothing more comes into the log.
#ifndef TIDEMARK_STORE_SERVER_PROPOSER_H_
#define TIDEMARK_STORE_SERVER_PROPOSER_H_

#include <cstddef>
#include <functional>
#include <string>
#include <utility>

#include "absl/functional/any_invocable.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "metrics/store_metrics.h"
#include "store/mvcc/command.h"
#include "store/mvcc/state_machine.h"
#include "store/raft/replicated_log.h"
#include "store/server/header_source.h"

namespace tidemark::store {

class Proposer {
 public:
  // Inside the log's apply callback (replicated_log.h), on the thread that the answers are posted to, or on any thread
  // when it is refused. Must be quick.
  using Done = absl::AnyInvocable<void(mvcc::CommandResult)>;

  // Counts proposals_pending, from Propose until answered, and proposals_failed.
  Proposer(mvcc::StateMachine* state, raft::ReplicatedLog* log, HeaderSource* header,
           const metrics::StoreMetrics& metrics = {})
      : state_(state),
        log_(log),
        header_(header),
        pending_(metrics.proposals_pending),
        failed_(metrics.proposals_failed) {}

  void Propose(mvcc::Command command, Done done);
  // The same for a request whose bytes are at hand, so that they need not be encoded again.
  // REQUIRES: `encoded` is EncodeCommand's form of the command.
  void Propose(mvcc::Command command, std::string encoded, Done done);

  // For ReplicatedLog::Start.
  void Apply(absl::Span<raft::CommittedOperation> operations);
  // Several answers that are ready at once are given in one task of this. REQUIRES: before the first Propose.
  using PostAnswers = std::function<void(absl::AnyInvocable<void()>)>;
  void set_post_answers(PostAnswers post) { post_answers_ = std::move(post); }
  // Called inside the log's apply callback when a compaction was applied. REQUIRES: before the log starts.
  void set_on_compaction(std::function<void()> on_compaction) { on_compaction_ = std::move(on_compaction); }

 private:
  static constexpr size_t kCommandsMax = 64;

  void ApplyTogether(absl::Span<raft::CommittedOperation> operations);

  mvcc::StateMachine* const state_;
  raft::ReplicatedLog* const log_;
  HeaderSource* const header_;
  const metrics::Gauge pending_;
  const metrics::Counter failed_;
  PostAnswers post_answers_;
  std::function<void()> on_compaction_;
};

// EncodeCommand's form of a request that is encoded already: the place of its alternative, then its bytes.
std::string EncodedCommand(const mvcc::Command& command, absl::string_view request_bytes);

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_PROPOSER_H_
