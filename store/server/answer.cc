#include "store/server/answer.h"

#include <type_traits>
#include <variant>

#include "base/check.h"

namespace tidemark::store {

absl::Status ParseRequest(absl::string_view bytes, google::protobuf::MessageLite* request) {
  if (request->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) return absl::OkStatus();
  return absl::InvalidArgumentError("the request cannot be parsed");
}

void Answer(mvcc::CommandResult result, const HeaderSource& header, Reply reply) {
  if (!result.status.ok()) {
    reply.Fail(result.status);
    return;
  }
  std::visit(
      [&](auto& response) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(response)>, std::monostate>) {
          header.Fill(result.revision, response.mutable_header());
          reply.Send(response.SerializeAsString());
        }
      },
      result.response);
}

}  // namespace tidemark::store
