#include "store/mvcc/alarms.h"

#include <string>

#include "base/status.h"
#include "proto/rpc.pb.h"

namespace tidemark::mvcc {
namespace {

void Add(const Alarm& alarm, etcdserverpb::AlarmResponse* response) {
  etcdserverpb::AlarmMember* member = response->add_alarms();
  member->set_memberid(alarm.member_id);
  member->set_alarm(static_cast<etcdserverpb::AlarmType>(alarm.kind));
}

std::string TableKey(const Alarm& alarm) {
  etcdserverpb::AlarmMember member;
  member.set_memberid(alarm.member_id);
  member.set_alarm(static_cast<etcdserverpb::AlarmType>(alarm.kind));
  return member.SerializeAsString();
}

}  // namespace

void Alarms::Apply(const etcdserverpb::AlarmRequest& request, kv::WriteBuffer* buffer,
                   etcdserverpb::AlarmResponse* response) {
  const Alarm alarm{.member_id = request.memberid(), .kind = static_cast<AlarmKind>(request.alarm())};
  MutexLock lock(&mu_);
  switch (request.action()) {
    case etcdserverpb::AlarmRequest::ACTIVATE:
      if (alarm.kind == AlarmKind::kNone) return;
      if (alarms_.insert(alarm).second) buffer->Put(kv::Table::kAlarm, TableKey(alarm), kv::MakeBytes(""));
      Add(alarm, response);
      return;
    case etcdserverpb::AlarmRequest::DEACTIVATE:
      if (alarms_.erase(alarm) == 0) return;
      buffer->Delete(kv::Table::kAlarm, TableKey(alarm));
      Add(alarm, response);
      return;
    default:
      for (const Alarm& active : alarms_) {
        if (alarm.kind == AlarmKind::kNone || alarm.kind == active.kind) Add(active, response);
      }
  }
}

absl::Status Alarms::Restore(absl::string_view table_key) {
  etcdserverpb::AlarmMember member;
  if (!member.ParseFromArray(table_key.data(), static_cast<int>(table_key.size()))) {
    return MakeError(ErrorKind::kCorrupt, "table alarm: not an alarm");
  }
  MutexLock lock(&mu_);
  alarms_.insert({.member_id = member.memberid(), .kind = static_cast<AlarmKind>(member.alarm())});
  return absl::OkStatus();
}

std::vector<Alarm> Alarms::List() const {
  MutexLock lock(&mu_);
  return {alarms_.begin(), alarms_.end()};
}

bool Alarms::IsActive(AlarmKind kind) const {
  MutexLock lock(&mu_);
  for (const Alarm& alarm : alarms_) {
    if (alarm.kind == kind) return true;
  }
  return false;
}

}  // namespace tidemark::mvcc
