#include "storeclient/messages.h"

#include "base/status.h"
#include "proto/rpc.pb.h"

namespace tidemark::storeclient {
namespace {

template <typename Message>
absl::StatusOr<Message> Parse(absl::string_view bytes, const char* name) {
  Message message;
  if (!message.ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return MakeError(ErrorKind::kCorrupt, std::string("the store's answer is no ") + name);
  }
  return message;
}

}  // namespace

std::string RangeRequestBytes(const RangeRequest& request) {
  etcdserverpb::RangeRequest message;
  message.set_key(request.key);
  message.set_range_end(request.range_end);
  message.set_revision(request.revision.value());
  message.set_limit(request.limit);
  message.set_count_only(request.count_only);
  return message.SerializeAsString();
}

std::string HeaderRequestBytes(absl::string_view key) {
  return RangeRequestBytes({.key = std::string(key), .count_only = true});
}

std::string WatchCreateBytes(absl::string_view prefix, Revision start) {
  etcdserverpb::WatchRequest message;
  etcdserverpb::WatchCreateRequest* create = message.mutable_create_request();
  create->set_key(std::string(prefix));
  create->set_range_end(PrefixEnd(prefix));
  create->set_start_revision(start.value());
  create->set_progress_notify(true);
  create->set_fragment(true);
  return message.SerializeAsString();
}

std::string WatchProgressBytes() {
  etcdserverpb::WatchRequest message;
  message.mutable_progress_request();
  return message.SerializeAsString();
}

std::string PutRequestBytes(absl::string_view key, absl::string_view value) {
  etcdserverpb::PutRequest message;
  message.set_key(std::string(key));
  message.set_value(std::string(value));
  return message.SerializeAsString();
}

std::string DeleteRequestBytes(absl::string_view key) {
  etcdserverpb::DeleteRangeRequest message;
  message.set_key(std::string(key));
  return message.SerializeAsString();
}

absl::StatusOr<std::string> ParseStatusVersion(absl::string_view bytes) {
  TM_ASSIGN_OR_RETURN(const auto message, Parse<etcdserverpb::StatusResponse>(bytes, "StatusResponse"));
  return message.version();
}

}  // namespace tidemark::storeclient
