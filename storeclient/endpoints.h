// Endpoints are the addresses of one store and the connections to them. Each endpoint has one connection for watches, one for pages
// of lists and one for reads of the revision, so that a big answer holds back neither an event nor a revision.
//
// Thread-safety: immutable after Create.
// Errors:        InvalidArgument for a wrong address or an unreadable TLS file.
// Source:        etcd issue 15402: a watch starves behind big answers on its connection.
#ifndef TIDEMARK_STORECLIENT_ENDPOINTS_H_
#define TIDEMARK_STORECLIENT_ENDPOINTS_H_

#include <grpcpp/channel.h>

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"

namespace tidemark::storeclient {

struct Endpoint {
  std::string name;  // as configured; for the log
  std::shared_ptr<grpc::Channel> watch;
  std::shared_ptr<grpc::Channel> bulk;
  std::shared_ptr<grpc::Channel> revision;
};

using Endpoints = std::vector<Endpoint>;

struct TlsFiles {
  std::string ca_file;    // empty: the system's roots
  std::string cert_file;  // the client's own, with key_file; both or none
  std::string key_file;
};

// URLs as etcd takes them: "http://host:port" or "https://host:port"; without a scheme it is http.
absl::StatusOr<Endpoints> MakeEndpoints(const std::vector<std::string>& urls, const TlsFiles& tls);
// One channel for everything: the in-process one, which has no connection that could be held back.
Endpoints SingleEndpoint(std::string name, std::shared_ptr<grpc::Channel> channel);

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_ENDPOINTS_H_
