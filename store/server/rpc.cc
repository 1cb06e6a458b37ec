#include "store/server/rpc.h"

#include "base/check.h"
#include "base/status.h"

namespace tidemark::store {

Reply& Reply::operator=(Reply&& other) noexcept {
  TM_CHECK(sink_ == nullptr);
  sink_ = std::exchange(other.sink_, nullptr);
  return *this;
}

Reply::~Reply() {
  if (sink_ != nullptr) Fail(MakeError(ErrorKind::kStopped, "the call was dropped"));
}

void Reply::Send(std::string head, std::string body) {
  TM_CHECK(sink_ != nullptr);
  std::exchange(sink_, nullptr)->Finish(absl::OkStatus(), std::move(head), std::move(body));
}

void Reply::Fail(const absl::Status& status) {
  TM_CHECK(sink_ != nullptr && !status.ok());
  std::exchange(sink_, nullptr)->Finish(status, std::string(), std::string());
}

}  // namespace tidemark::store
