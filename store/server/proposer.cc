#include "store/server/proposer.h"

#include <memory>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/status.h"

namespace tidemark::store {
namespace {

class CommandProposal : public raft::Proposal {
 public:
  CommandProposal(mvcc::Command command, std::string encoded, Proposer::Done done, metrics::Gauge pending,
                  metrics::Counter failed)
      : raft::Proposal(std::move(encoded)),
        command_(std::move(command)),
        done_(std::move(done)),
        pending_(pending),
        failed_(failed) {
    pending_.Add(1);
  }
  ~CommandProposal() override { pending_.Add(-1); }

  const mvcc::Command& command() const { return command_; }
  void Finish(mvcc::CommandResult result) { done_(std::move(result)); }

  void Fail(const absl::Status& reason) override {
    failed_.Increment();
    mvcc::CommandResult result;
    result.status = reason;
    done_(std::move(result));
  }

 private:
  const mvcc::Command command_;
  Proposer::Done done_;
  metrics::Gauge pending_;
  metrics::Counter failed_;
};

// Only commands are proposed, here.
CommandProposal& AsCommand(raft::Proposal& proposal) { return static_cast<CommandProposal&>(proposal); }

}  // namespace

std::string EncodedCommand(const mvcc::Command& command, absl::string_view request_bytes) {
  return absl::StrCat(std::string(1, static_cast<char>(command.request.index())), request_bytes);
}

void Proposer::Propose(mvcc::Command command, Done done) {
  std::string encoded = mvcc::EncodeCommand(command);
  Propose(std::move(command), std::move(encoded), std::move(done));
}

void Proposer::Propose(mvcc::Command command, std::string encoded, Done done) {
  auto proposal =
      std::make_unique<CommandProposal>(std::move(command), std::move(encoded), std::move(done), pending_, failed_);
  // What the state would refuse must not come into the log: the next start would execute it.
  if (const absl::Status usable = state_->health(); !usable.ok()) return proposal->Fail(usable);
  log_->Propose(std::move(proposal));
}

void Proposer::Apply(absl::Span<raft::CommittedOperation> operations) {
  while (!operations.empty()) {
    // Commands of one term go to the state machine together, but not so many that the first waits long for its answer.
    size_t count = 1;
    while (count < operations.size() && count < kCommandsMax && operations[count].term == operations[0].term) ++count;
    ApplyTogether(operations.subspan(0, count));
    operations.remove_prefix(count);
  }
  // Memory stays bounded when the disk is slower than the log; its failure shows in every later Apply.
  if (state_->CommitDue()) (void)state_->Commit();
}

void Proposer::ApplyTogether(absl::Span<raft::CommittedOperation> operations) {
  const raft::Term term = operations.front().term;
  header_->SetTerm(term);
  std::vector<mvcc::Command> decoded;
  decoded.reserve(operations.size());
  std::vector<const mvcc::Command*> commands;
  commands.reserve(operations.size());
  bool compacts = false;
  for (const raft::CommittedOperation& operation : operations) {
    if (operation.proposal != nullptr) {
      commands.push_back(&AsCommand(*operation.proposal).command());
    } else {
      absl::StatusOr<mvcc::Command> command = mvcc::DecodeCommand(operation.payload);
      TM_CHECK(command.ok()) << "log index " << operation.index << ": " << command.status().ToString();
      decoded.push_back(*std::move(command));
      commands.push_back(&decoded.back());
    }
    compacts = compacts || std::holds_alternative<etcdserverpb::CompactionRequest>(commands.back()->request);
  }
  std::vector<mvcc::CommandResult> results = state_->Apply(operations.back().index.value(), term, commands);
  if (compacts && on_compaction_ != nullptr) on_compaction_();
  std::vector<std::unique_ptr<raft::Proposal>> proposals;
  for (raft::CommittedOperation& operation : operations) proposals.push_back(std::move(operation.proposal));
  auto answer = [proposals = std::move(proposals), results = std::move(results)]() mutable {
    for (size_t i = 0; i < proposals.size(); ++i) {
      if (proposals[i] != nullptr) AsCommand(*proposals[i]).Finish(std::move(results[i]));
    }
  };
  // A single answer is not worth waking another thread, and replayed commands have none.
  if (commands.size() > decoded.size() + 1 && post_answers_ != nullptr) {
    post_answers_(std::move(answer));
  } else {
    answer();
  }
}

}  // namespace tidemark::store
