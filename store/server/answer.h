// The last step of a call: a result becomes a message with its header, or a refusal.
//
// Thread-safety: pure, but for the reply.
#ifndef TIDEMARK_STORE_SERVER_ANSWER_H_
#define TIDEMARK_STORE_SERVER_ANSWER_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "google/protobuf/message_lite.h"
#include "store/mvcc/command.h"
#include "store/server/header_source.h"
#include "store/server/rpc.h"

namespace tidemark::store {

// kInvalidArgument when the bytes are no such message.
absl::Status ParseRequest(absl::string_view bytes, google::protobuf::MessageLite* request);

// Sends the result's response with a header at its revision, or its refusal.
void Answer(mvcc::CommandResult result, const HeaderSource& header, Reply reply);

template <typename Response>
void AnswerAt(Revision revision, const HeaderSource& header, Response response, Reply reply) {
  header.Fill(revision, response.mutable_header());
  reply.Send(response.SerializeAsString());
}

}  // namespace tidemark::store

#endif  // TIDEMARK_STORE_SERVER_ANSWER_H_
