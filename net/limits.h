// ServerLimits bounds what one HTTP server takes from its clients, each with its reason.
//
// Thread-safety: immutable once the server has started.
#ifndef TIDEMARK_NET_LIMITS_H_
#define TIDEMARK_NET_LIMITS_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "absl/time/time.h"

namespace tidemark::net {

struct HeadLimits {
  // Long `in (...)` selectors and continue tokens lie in the request line: eight times what most servers allow.
  size_t request_line_bytes_max = 64 << 10;
  // The whole head with its request line: room for a big bearer token beside the longest line.
  size_t head_bytes_max = 128 << 10;
  // Clients send 5 to 20, proxies add some.
  size_t header_count_max = 100;
};

struct ServerLimits {
  HeadLimits head;

  // Two clients on each of 10,000 nodes, and as many again while they reconnect; an idle one costs well below 1 KB, with
  // TLS 15 KB. Fewer where the process may not open so many files (ConnectionsWithin).
  size_t connections_max = 40'000;
  // Those from one address, whatever its ports. 0: ConnectionsOfOneAddress, of what connections_max comes to.
  size_t connections_per_address_max = 0;
  // Requests that wait for their handler's answer. A waiting read costs about 2 KB, and is answered within seconds.
  size_t exchanges_max = 20'000;
  // Heads that have not come whole, and what was read behind requests that are being answered, over all connections:
  // the limits of one times the number of them would be gigabytes.
  size_t unread_bytes_max = 256 << 20;
  // Memory made for answers whose readers are behind, over all connections: whole answers, one of which may be 256 MB
  // (YAML), and of streamed ones what their sources hold (BodySource::held_bytes). Each waits for as long as write_window.
  // Beyond it no answer begins that holds more than kSmallAnswerBytesMax; what goes on, or begins with less, then waits in
  // pieces of kScarcePullBytes (or of one object, if that is longer), and the number of connections bounds these.
  size_t unsent_bytes_max = 512 << 20;
  // Bodies are read and dropped, to keep the connection usable: kube-apiserver's own limit on a body.
  uint64_t body_bytes_max = 3 << 20;

  // From the first byte of a head to its last, and from the connection to the first byte, TLS's handshake included.
  absl::Duration head_time = absl::Seconds(15);
  // Between two requests. Longer than the 90 s after which Go clients drop an idle connection themselves: who closes
  // first must not be us, or a request that is on its way is lost.
  absl::Duration idle_time = absl::Seconds(120);
  // The whole of a request's body.
  absl::Duration body_time = absl::Seconds(30);
  // After a refusal the rest of what the client sends is read for so long: closing at once would destroy the answer on
  // its way.
  absl::Duration linger_time = absl::Seconds(2);
  // A reader that leaves bytes waiting has to take so many in each window (32 KB/s), or it is cut: it pins a snapshot.
  // The window is long because the kernel reports space in steps of a third of its buffer.
  absl::Duration write_window = absl::Seconds(30);
  size_t write_window_bytes_min = 30 * (32 << 10);
  // How often the files of TLS are looked at. kube-apiserver looks once a minute; reading them costs next to nothing.
  absl::Duration tls_reload_gap = absl::Seconds(10);
  // How long Stop lets running answers end.
  absl::Duration drain_time = absl::Seconds(10);
};

// One read(2): a head of usual size and some pipelined ones. It bounds what is read ahead of one connection, by bytes and
// whatever the number of requests in them: nothing is read while a complete request has not been answered.
inline constexpr size_t kReadBytes = 64 << 10;
// One Pull of a body: about 512 KB or 256 slices, whichever comes first (http/big in bench/http_server_bench.cc).
inline constexpr size_t kPullBytes = 512 << 10;
// One Pull while more waits than UnsentBytesPlenty: 40,000 readers that stand still then hold some 640 MB, not 20 GB.
inline constexpr size_t kScarcePullBytes = 16 << 10;
// Up to here pieces are large, which is fastest. The other half is room for the answers under way when it is reached.
constexpr size_t UnsentBytesPlenty(size_t unsent_bytes_max) { return unsent_bytes_max / 2; }
inline constexpr size_t kSlicesPerWriteMax = 256;
// Slices of so many bytes together, such as a watch's event in its frame, are written as one piece (e2e/prove_fanout).
inline constexpr size_t kGatheredBytesMax = 4 << 10;
// What one record of TLS can hold.
inline constexpr size_t kTlsRecordBytes = 16 << 10;
// After so many bytes to one client a worker turns to the next one, so that a few big answers do not hold all workers.
inline constexpr size_t kBytesPerTurnMax = 2 << 20;
// After a longer turn a worker sends what waits in its batch: it has waited for as long.
inline constexpr size_t kShortTurnBytes = 64 << 10;
// A pipelined request counts as so many bytes of a turn: 32 requests of one client, then the next client.
inline constexpr size_t kRequestCost = kBytesPerTurnMax / 32;
// Accepts in one turn of the loop, so that a burst of new clients does not hold up the old ones.
inline constexpr int kAcceptsPerTurnMax = 64;
// Connections that the kernel holds for us while we are busy; net.core.somaxconn caps it.
inline constexpr int kListenBacklog = 4096;
// While the process is out of file descriptors, accepting pauses so long instead of spinning.
inline constexpr absl::Duration kAcceptPause = absl::Milliseconds(100);
// Files that connections leave to the rest of the process: the store's files and clients, or a client of the store.
inline constexpr uint64_t kOtherFilesMax = 512;
// How many of `wanted` connections a process that may open `files` takes: more are refused while there is a file left to
// say so, instead of waiting until another one ends.
constexpr size_t ConnectionsWithin(uint64_t files, size_t wanted) {
  return static_cast<size_t>(std::min<uint64_t>(wanted, files - std::min(kOtherFilesMax, files / 2)));
}
// One address leaves a quarter to others, and a proxy on the same machine, behind which all clients are, takes the rest.
constexpr size_t ConnectionsOfOneAddress(size_t connections_max) { return connections_max - connections_max / 4; }
// A smaller answer is sent however many wait: a socket takes it whole unless its client has left many before it unread.
inline constexpr size_t kSmallAnswerBytesMax = 64 << 10;
// After clients have made the process hold so much, unread and unsent, and it is down to a quarter, what was freed goes
// back to the operating system: one burst must not be the process's size for ever.
inline constexpr size_t kBurstBytes = 64 << 20;
// What the kernel may hold unsent for one connection: the loopback needs some 256 KB for full speed, and 10,000 slow
// watchers must not fill the machine's memory.
inline constexpr int kUnsentBytesMax = 512 << 10;

}  // namespace tidemark::net

#endif  // TIDEMARK_NET_LIMITS_H_
