// StoreAddress says where a store is and how it is reached: by its endpoints, or by a channel that is there already.
//
// Thread-safety: thread-compatible.
// Errors:        found by MakeEndpoints (endpoints.h), not here.
#ifndef TIDEMARK_STORECLIENT_STORE_ADDRESS_H_
#define TIDEMARK_STORECLIENT_STORE_ADDRESS_H_

#include <memory>
#include <string>
#include <vector>

namespace grpc {
class Channel;
}

namespace tidemark::storeclient {

struct StoreAddress {
  // As etcd takes them, one per member: "http://host:port" or "https://host:port"; without a scheme it is http.
  std::vector<std::string> endpoints;
  // For https: the store's authority (empty: the system's), and our certificate and key (both or none).
  std::string ca_file;
  std::string cert_file;
  std::string key_file;
  // Instead of endpoints: a channel, such as the one to a server in this process. Its receive size must be unlimited.
  std::shared_ptr<grpc::Channel> channel;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_STORE_ADDRESS_H_
