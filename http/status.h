// ApiStatus is a Kubernetes Status object: what every answer that is no success says. FromReadError is the one table
// from domain errors (base/status.h) to HTTP.
//
//   responder.Fail(FromReadError(view.status(), {.read = ReadKind::kExact, .version = 120, .resource = &resource}));
//
// Thread-safety: values; functions are pure.
// Source:        kube-apiserver 1.36.3's answers, apimachinery's api/errors.
#ifndef TIDEMARK_HTTP_STATUS_H_
#define TIDEMARK_HTTP_STATUS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "config/resource.h"

namespace tidemark::http {

struct StatusCause {
  std::string reason;
  std::string message;
  std::string field;
};

struct StatusDetails {
  std::string name;
  std::string group;
  std::string kind;
  std::vector<StatusCause> causes;
  int retry_after_seconds = 0;
};

struct ApiStatus {
  int code = 500;
  std::string reason;  // empty: left out
  std::string message;
  std::optional<StatusDetails> details;
  std::string continue_token;  // metadata.continue: how to go on after an expired token

  int retry_after_seconds() const { return details.has_value() ? details->retry_after_seconds : 0; }
  // Compact, without a newline at the end.
  std::string ToJson() const;
};

// A T, or the Status to answer instead.
template <typename T>
class ApiStatusOr {
 public:
  ApiStatusOr(T value) : state_(std::move(value)) {}            // NOLINT(google-explicit-constructor)
  ApiStatusOr(ApiStatus status) : state_(std::move(status)) {}  // NOLINT(google-explicit-constructor)

  bool ok() const { return std::holds_alternative<T>(state_); }
  // REQUIRES: ok() for the first two, !ok() for the last.
  T& operator*() { return std::get<T>(state_); }
  T* operator->() { return &std::get<T>(state_); }
  const ApiStatus& status() const { return std::get<ApiStatus>(state_); }

 private:
  std::variant<T, ApiStatus> state_;
};

ApiStatus BadRequest(absl::string_view message);
// One validation error prints bare, several as a list.
ApiStatus InvalidListOptions(std::vector<StatusCause> causes);
// `pods "x" not found`.
ApiStatus ObjectNotFound(const config::Resource& resource, absl::string_view name);
// A path that names no resource of a group version.
ApiStatus ResourceNotFound();
ApiStatus MethodNotAllowed(absl::string_view why);
// No media type that the client takes can be given; `restricted`: its parameters (as=...) cannot.
ApiStatus NotAcceptable(absl::string_view available, bool restricted);
// What kube-apiserver says of an error that it did not foresee; 500.
ApiStatus InternalFailure(absl::string_view why);
// A plain error that carries no reason, as kube-apiserver answers for a version that is no number on GET and WATCH.
ApiStatus PlainError(absl::string_view message);

enum class ReadKind {
  kAny,
  kNotOlderThan,
  kExact,
  kContinue,  // an exact read by a continue token
  kConsistent,
  kWatch,       // from a revision
  kWatchState,  // the state first, then what changes
};

struct ReadContext {
  ReadKind read = ReadKind::kConsistent;
  absl::string_view verb = "list";  // or get, watch
  uint64_t version = 0;             // that the client asked for
  const config::Resource* resource = nullptr;
  std::string fresh_token;  // for kContinue: the same place at the latest state
};

ApiStatus FromReadError(const absl::Status& error, const ReadContext& context);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_STATUS_H_
