#include "store/mvcc/event.h"

#include <utility>

#include "store/mvcc/record.h"
#include "store/mvcc/wire.h"

namespace tidemark::mvcc {
namespace {

constexpr int kModRevisionField = 3;  // of mvccpb.KeyValue

kv::Bytes WireForm(ChangeId change, bool tombstone, kv::Bytes record) {
  if (!tombstone) return record;
  std::string wire = *record;
  AppendIntField(kModRevisionField, change.main, &wire);
  return kv::MakeBytes(std::move(wire));
}

}  // namespace

Event::Event(ChangeId change, bool tombstone, kv::Bytes record)
    : change_(change),
      tombstone_(tombstone),
      kv_(WireForm(change, tombstone, std::move(record))),
      key_(KeyOfRecord(*kv_)) {}

}  // namespace tidemark::mvcc
