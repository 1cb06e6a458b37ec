// TlsContext is what a TLS listener shows and asks for: certificate, key, and the authority of client certificates, read
// from PEM files and read again when they change. Each reading that works is a generation; a connection keeps the one it
// began with.
//
//   TM_ASSIGN_OR_RETURN(auto tls, TlsContext::Load({.cert_file = "tls.crt", .key_file = "tls.key"}, clock));
//   tls->Reload();  // now and then
//
// TLS 1.2 and 1.3, HTTP/1.1 by ALPN. With an authority a client is asked for a certificate: one that does not verify ends
// the handshake; none at all is accepted.
//
// Thread-safety: thread-safe; Reload by one thread at a time.
// Ownership:     a generation lives as long as somebody holds it. The clock and the registry behind the metrics outlive the
//                context.
// Errors:        Load: kInvalidArgument, one line that names the file. Reload keeps the generation that works, and says so
//                in the log once for each new error.
// Cost:          Reload reads the files, some KB, and compares; current() copies one pointer under a lock.
#ifndef TIDEMARK_NET_TLS_CONTEXT_H_
#define TIDEMARK_NET_TLS_CONTEXT_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "metrics/http_metrics.h"
#include "net/log_gate.h"

struct ssl_ctx_st;

namespace tidemark::net {

// PEM files; empty: not given.
struct TlsFiles {
  std::string cert_file;       // the server's certificate, then those between it and its authority
  std::string key_file;        // its private key
  std::string client_ca_file;  // signs the clients' certificates
};

class TlsContext {
 public:
  using Generation = std::shared_ptr<ssl_ctx_st>;

  // REQUIRES: certificate and key are given.
  static absl::StatusOr<std::shared_ptr<TlsContext>> Load(TlsFiles files, Clock& clock,
                                                          const metrics::NetMetrics& metrics = {});
  TlsContext(const TlsContext&) = delete;
  TlsContext& operator=(const TlsContext&) = delete;

  Generation current() const;
  // Takes what the files hold now.
  void Reload();
  // Counted, and one line in the log, unless there was one just now: clients can cause it at any rate.
  void NoteFailedHandshake(absl::string_view client, absl::string_view error);

 private:
  // What the files held.
  struct Texts {
    std::string cert, key, client_ca;
    bool operator==(const Texts&) const = default;
  };

  TlsContext(TlsFiles files, Clock& clock, const metrics::NetMetrics& metrics)
      : files_(std::move(files)), clock_(clock), metrics_(metrics) {}
  absl::StatusOr<Texts> ReadFiles() const;
  absl::StatusOr<Generation> Build(const Texts& texts) const;

  const TlsFiles files_;
  Clock& clock_;
  metrics::NetMetrics metrics_;
  LogGate handshake_gate_;

  mutable Mutex mu_;
  Generation current_ ABSL_GUARDED_BY(mu_);

  // Confined to Load and Reload.
  Texts loaded_;            // of the current generation
  std::string last_error_;  // why the files that came after cannot be used; empty: there were none
};

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_TLS_CONTEXT_H_
