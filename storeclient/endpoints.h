// Endpoints are the addresses of one store and the connections to them. Each endpoint has one connection for watches, one for pages
// of lists and one for reads of the revision, so that a big answer holds back neither an event nor a revision.
//
// Thread-safety: immutable.
// Errors:        InvalidArgument for a wrong address or an unreadable TLS file.
// Source:        etcd issue 15402: a watch starves behind big answers on its connection.
#ifndef TIDEMARK_STORECLIENT_ENDPOINTS_H_
#define TIDEMARK_STORECLIENT_ENDPOINTS_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "storeclient/store_address.h"

namespace tidemark::storeclient {

struct Endpoint {
  std::string name;  // as configured; for the log
  std::shared_ptr<grpc::Channel> watch;
  std::shared_ptr<grpc::Channel> bulk;
  std::shared_ptr<grpc::Channel> revision;
};

using Endpoints = std::vector<Endpoint>;

// An address's own channel is the one endpoint, for everything: it has no connection that could be held back.
absl::StatusOr<Endpoints> MakeEndpoints(const StoreAddress& store);

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_ENDPOINTS_H_
