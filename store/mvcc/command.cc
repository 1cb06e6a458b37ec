#include "store/mvcc/command.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::mvcc {
namespace {

// Makes alternative number `wanted` and parses the bytes into it; false when there is no such alternative or they do
// not parse.
template <size_t N = 0>
bool ParseAlternative(size_t wanted, absl::string_view bytes, Command::Request* request) {
  if constexpr (N == std::variant_size_v<Command::Request>) {
    return false;
  } else if (wanted != N) {
    return ParseAlternative<N + 1>(wanted, bytes, request);
  } else if constexpr (N == 0) {
    return bytes.empty();
  } else {
    return request->emplace<N>().ParseFromArray(bytes.data(), static_cast<int>(bytes.size()));
  }
}

}  // namespace

std::string EncodeCommand(const Command& command) {
  std::string bytes(1, static_cast<char>(command.request.index()));
  std::visit(
      [&](const auto& request) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(request)>, std::monostate>) request.AppendToString(&bytes);
      },
      command.request);
  return bytes;
}

absl::StatusOr<Command> DecodeCommand(absl::string_view bytes) {
  Command command;
  if (bytes.empty() || !ParseAlternative(static_cast<uint8_t>(bytes[0]), bytes.substr(1), &command.request)) {
    return MakeError(ErrorKind::kCorrupt, absl::StrCat("no command: ", bytes.size(), " bytes"));
  }
  return command;
}

}  // namespace tidemark::mvcc
