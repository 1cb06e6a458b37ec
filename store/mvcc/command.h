// Command is what one log entry asks of the store, and CommandResult what came of it. A command is plain data: it reads
// the same and does the same on every member and at every replay. What a member has to choose (a lease id, which lease
// has expired) is chosen before the command is proposed.
//
// Format of an encoded command: one byte that names the request (the index of its alternative in Request), then the
// request's protobuf bytes. "\x00" is the empty command of a new leader.
//
// Thread-safety: plain values.
// Errors:        DecodeCommand is kCorrupt when the bytes are no command.
#ifndef TIDEMARK_STORE_MVCC_COMMAND_H_
#define TIDEMARK_STORE_MVCC_COMMAND_H_

#include <string>
#include <variant>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/revision.h"
#include "proto/rpc.pb.h"

namespace tidemark::mvcc {

struct Command {
  // Append only: the place of an alternative is in every log.
  using Request =
      std::variant<std::monostate, etcdserverpb::PutRequest, etcdserverpb::DeleteRangeRequest, etcdserverpb::TxnRequest,
                   etcdserverpb::CompactionRequest, etcdserverpb::LeaseGrantRequest, etcdserverpb::LeaseRevokeRequest,
                   etcdserverpb::AlarmRequest>;
  Request request;
};

std::string EncodeCommand(const Command& command);
absl::StatusOr<Command> DecodeCommand(absl::string_view bytes);

// The answer to the client: headers carry nothing; whoever answers fills them from `revision`.
struct CommandResult {
  using Response =
      std::variant<std::monostate, etcdserverpb::PutResponse, etcdserverpb::DeleteRangeResponse,
                   etcdserverpb::TxnResponse, etcdserverpb::CompactionResponse, etcdserverpb::LeaseGrantResponse,
                   etcdserverpb::LeaseRevokeResponse, etcdserverpb::AlarmResponse>;
  // An etcd text of errors.h when the command was refused; a refusal is part of the answer and changes nothing.
  absl::Status status;
  Revision revision;     // the store's revision after this command
  bool skipped = false;  // the entry lies at or below the applied index: nothing was done, nothing is answered
  Response response;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_COMMAND_H_
