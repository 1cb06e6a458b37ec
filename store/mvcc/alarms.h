// Alarms are raised and disarmed by commands of the log, and survive a restart. NOSPACE refuses what needs room,
// CORRUPT every write.
//
// Engine table kAlarm: etcdserverpb.AlarmMember in protobuf -> empty.
//
// Thread-safety: Apply has one caller at a time: inside the log's apply callback (replicated_log.h).
//                Everything else is thread-safe.
// Source:        etcd v3 server/etcdserver/api/v3alarm.
#ifndef TIDEMARK_STORE_MVCC_ALARMS_H_
#define TIDEMARK_STORE_MVCC_ALARMS_H_

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "base/mutex.h"
#include "store/kv/write_buffer.h"

namespace etcdserverpb {
class AlarmRequest;
class AlarmResponse;
}  // namespace etcdserverpb

namespace tidemark::mvcc {

enum class AlarmKind : uint8_t { kNone = 0, kNoSpace = 1, kCorrupt = 2 };  // etcd's numbers

struct Alarm {
  uint64_t member_id = 0;
  AlarmKind kind = AlarmKind::kNone;
  friend auto operator<=>(const Alarm&, const Alarm&) = default;
};

class Alarms {
 public:
  // Activates, deactivates or lists.
  void Apply(const etcdserverpb::AlarmRequest& request, kv::WriteBuffer* buffer, etcdserverpb::AlarmResponse* response);
  absl::Status Restore(absl::string_view table_key);

  std::vector<Alarm> List() const;
  bool IsActive(AlarmKind kind) const;

 private:
  mutable Mutex mu_;
  std::set<Alarm> alarms_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_ALARMS_H_
