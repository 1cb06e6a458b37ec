// StoreWriter puts many objects into a store, many at a time: it is for loading a store that is not yet anybody's, and apart from
// StoreClient, which never writes.
//
//   auto writer = StoreWriter::Create({.store = {.endpoints = {"http://127.0.0.1:2379"}}});
//   for (...) TM_RETURN_IF_ERROR((*writer)->Put(key, value));
//   TM_RETURN_IF_ERROR((*writer)->Flush());
//
// Writes of one key happen in the order of their calls, writes of different keys in any order. A write whose answer was lost is
// made again, so the store may count it twice.
//
// Thread-safety: thread-compatible; OnProgress runs in the caller's thread, inside Put, Delete and Flush.
// Ownership:     owns its connections and one thread, store-writer. The destructor waits for what is under way.
// Errors:        the first failure is what every later call returns; kStoreUnavailable when a write found no
//                endpoint within kWriteDeadline.
#ifndef TIDEMARK_STORECLIENT_STORE_WRITER_H_
#define TIDEMARK_STORECLIENT_STORE_WRITER_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "storeclient/store_address.h"

namespace tidemark::storeclient {

struct StoreWriterOptions {
  StoreAddress store;
  // etcd gains little beyond 500 (measured: 11,000 puts/s at 64, 16,000 at 1,000); it also bounds the memory.
  int in_flight_max = 512;
};

class StoreWriter {
 public:
  struct Progress {
    int64_t writes = 0;  // acknowledged
    int64_t bytes = 0;   // of their keys and values
  };

  // Of one write, over all attempts: a store that restarts is waited for.
  static constexpr absl::Duration kWriteDeadline = absl::Seconds(60);

  static absl::StatusOr<std::unique_ptr<StoreWriter>> Create(const StoreWriterOptions& options);
  ~StoreWriter();
  StoreWriter(const StoreWriter&) = delete;
  StoreWriter& operator=(const StoreWriter&) = delete;

  // Called after each write that was waited for; it decides itself how often to print.
  void OnProgress(std::function<void(const Progress&)> callback) { on_progress_ = std::move(callback); }

  // Waits while in_flight_max writes, or one of this key, are under way.
  absl::Status Put(absl::string_view key, absl::string_view value);
  absl::Status Delete(absl::string_view key);
  // Waits until everything has been acknowledged.
  absl::Status Flush();
  Progress progress() const;

 private:
  class Core;

  explicit StoreWriter(std::unique_ptr<Core> core);
  absl::Status Write(const char* method, absl::string_view key, std::string request, int64_t bytes);

  const std::unique_ptr<Core> core_;
  std::function<void(const Progress&)> on_progress_;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_STORE_WRITER_H_
