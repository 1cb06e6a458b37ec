// ModelStore is what the store has to be, written without regard to cost: the whole state after each revision in a map
// of maps. Random tests compare the store with it.
//
// Thread-safety: thread-compatible.
#ifndef TIDEMARK_STORE_MVCC_MODEL_STORE_H_
#define TIDEMARK_STORE_MVCC_MODEL_STORE_H_

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "proto/rpc.pb.h"

namespace tidemark::mvcc {

struct ModelEvent {
  int64_t revision = 0;
  bool is_delete = false;
  std::string key;
  std::string value;
  bool is_create = false;
};

class ModelStore {
 public:
  using State = std::map<std::string, mvccpb::KeyValue>;

  ModelStore() { states_[1] = {}; }

  int64_t revision() const { return states_.rbegin()->first; }
  int64_t compacted() const { return compacted_; }
  const std::vector<ModelEvent>& events() const { return events_; }
  // The state at a revision that has been written.
  const State& at(int64_t revision) const { return std::prev(states_.upper_bound(revision))->second; }

  etcdserverpb::PutResponse Put(const etcdserverpb::PutRequest& request) {
    Begin();
    etcdserverpb::PutResponse response = PutNow(request);
    End();
    return response;
  }

  etcdserverpb::DeleteRangeResponse DeleteRange(const etcdserverpb::DeleteRangeRequest& request) {
    Begin();
    etcdserverpb::DeleteRangeResponse response = DeleteNow(request);
    End();
    return response;
  }

  // REQUIRES: the request passes CheckTxn, and its ranges name no revision.
  etcdserverpb::TxnResponse Txn(const etcdserverpb::TxnRequest& request) {
    Begin();
    before_ = working_;
    etcdserverpb::TxnResponse response = TxnNow(request);
    End();
    response.mutable_header()->set_revision(revision());
    return response;
  }

  // False when the store has to refuse.
  bool Compact(int64_t revision) {
    if (revision == 0 && compacted_ == 0) return true;  // the first may be at 0, where it does nothing
    if (revision <= compacted_ || revision > this->revision()) return false;
    compacted_ = revision;
    return true;
  }

  etcdserverpb::RangeResponse Range(const etcdserverpb::RangeRequest& request) const {
    return RangeOf(at(request.revision() > 0 ? request.revision() : revision()), request, revision());
  }

  static bool InRange(const std::string& key, const std::string& begin, const std::string& end) {
    if (end.empty()) return key == begin;
    return key >= begin && (end == std::string(1, '\0') || key < end);
  }

 private:
  using Range_ = etcdserverpb::RangeRequest;

  void Begin() {
    working_ = states_.rbegin()->second;
    main_ = revision() + 1;
    changed_ = false;
  }

  void End() {
    if (changed_) states_[main_] = working_;
  }

  int64_t ReadRevision() const { return changed_ ? main_ : main_ - 1; }

  etcdserverpb::PutResponse PutNow(const etcdserverpb::PutRequest& request) {
    etcdserverpb::PutResponse response;
    mvccpb::KeyValue& kv = working_[request.key()];
    const bool exists = kv.version() > 0;
    if (request.prev_kv() && exists) *response.mutable_prev_kv() = kv;
    if (!exists) kv.set_create_revision(main_);
    kv.set_key(request.key());
    kv.set_mod_revision(main_);
    kv.set_version(kv.version() + 1);
    if (!request.ignore_value()) kv.set_value(request.value());
    if (!request.ignore_lease()) kv.set_lease(request.lease());
    changed_ = true;
    events_.push_back({main_, false, request.key(), kv.value(), !exists});
    response.mutable_header()->set_revision(main_);
    return response;
  }

  etcdserverpb::DeleteRangeResponse DeleteNow(const etcdserverpb::DeleteRangeRequest& request) {
    etcdserverpb::DeleteRangeResponse response;
    for (auto it = working_.begin(); it != working_.end();) {
      if (!InRange(it->first, request.key(), request.range_end())) {
        ++it;
        continue;
      }
      if (request.prev_kv()) *response.add_prev_kvs() = it->second;
      response.set_deleted(response.deleted() + 1);
      events_.push_back({main_, true, it->first, "", false});
      it = working_.erase(it);
      changed_ = true;
    }
    response.mutable_header()->set_revision(ReadRevision());
    return response;
  }

  etcdserverpb::TxnResponse TxnNow(const etcdserverpb::TxnRequest& request) {
    etcdserverpb::TxnResponse response;
    response.mutable_header();
    response.set_succeeded(std::all_of(request.compare().begin(), request.compare().end(),
                                       [&](const auto& compare) { return Holds(compare); }));
    for (const auto& op : response.succeeded() ? request.success() : request.failure()) {
      auto* out = response.add_responses();
      if (op.has_request_range())
        *out->mutable_response_range() = RangeOf(working_, op.request_range(), ReadRevision());
      if (op.has_request_put()) *out->mutable_response_put() = PutNow(op.request_put());
      if (op.has_request_delete_range()) *out->mutable_response_delete_range() = DeleteNow(op.request_delete_range());
      if (op.has_request_txn()) *out->mutable_response_txn() = TxnNow(op.request_txn());
    }
    return response;
  }

  bool Holds(const etcdserverpb::Compare& compare) const {
    bool any = false;
    for (const auto& [key, kv] : before_) {
      if (!InRange(key, compare.key(), compare.range_end())) continue;
      any = true;
      if (!HoldsFor(compare, kv)) return false;
    }
    return any || (compare.target() != etcdserverpb::Compare::VALUE && HoldsFor(compare, mvccpb::KeyValue()));
  }

  static bool HoldsFor(const etcdserverpb::Compare& compare, const mvccpb::KeyValue& kv) {
    const auto decide = [&](const auto& left, const auto& right) {
      switch (compare.result()) {
        case etcdserverpb::Compare::EQUAL:
          return left == right;
        case etcdserverpb::Compare::NOT_EQUAL:
          return left != right;
        case etcdserverpb::Compare::GREATER:
          return left > right;
        default:
          return left < right;
      }
    };
    switch (compare.target()) {
      case etcdserverpb::Compare::VERSION:
        return decide(kv.version(), compare.version());
      case etcdserverpb::Compare::CREATE:
        return decide(kv.create_revision(), compare.create_revision());
      case etcdserverpb::Compare::MOD:
        return decide(kv.mod_revision(), compare.mod_revision());
      case etcdserverpb::Compare::LEASE:
        return decide(kv.lease(), compare.lease());
      default:
        return decide(kv.value(), compare.value());
    }
  }

  static etcdserverpb::RangeResponse RangeOf(const State& state, const Range_& request, int64_t header_revision) {
    etcdserverpb::RangeResponse response;
    std::vector<mvccpb::KeyValue> found;
    for (const auto& [key, kv] : state) {
      if (!InRange(key, request.key(), request.range_end())) continue;
      response.set_count(response.count() + 1);
      if (!Filtered(request, kv)) found.push_back(kv);
    }
    response.mutable_header()->set_revision(header_revision);
    if (request.count_only()) return response;
    std::stable_sort(found.begin(), found.end(), [&](const auto& a, const auto& b) {
      return request.sort_order() == Range_::DESCEND ? Less(request, b, a) : Less(request, a, b);
    });
    for (mvccpb::KeyValue& kv : found) {
      if (request.limit() > 0 && response.kvs_size() == request.limit()) {
        response.set_more(true);
        break;
      }
      if (request.keys_only()) {
        kv.clear_value();
        // Answered from the index, which knows no lease; a sort by value reads the record (etcd 3.7).
        if (request.sort_target() != Range_::VALUE) kv.clear_lease();
      }
      *response.add_kvs() = kv;
    }
    return response;
  }

  static bool Filtered(const Range_& request, const mvccpb::KeyValue& kv) {
    return (request.min_mod_revision() != 0 && kv.mod_revision() < request.min_mod_revision()) ||
           (request.max_mod_revision() != 0 && kv.mod_revision() > request.max_mod_revision()) ||
           (request.min_create_revision() != 0 && kv.create_revision() < request.min_create_revision()) ||
           (request.max_create_revision() != 0 && kv.create_revision() > request.max_create_revision());
  }

  static bool Less(const Range_& request, const mvccpb::KeyValue& a, const mvccpb::KeyValue& b) {
    switch (request.sort_target()) {
      case Range_::VERSION:
        return a.version() < b.version();
      case Range_::CREATE:
        return a.create_revision() < b.create_revision();
      case Range_::MOD:
        return a.mod_revision() < b.mod_revision();
      case Range_::VALUE:
        return a.value() < b.value();
      default:
        return a.key() < b.key();
    }
  }

  std::map<int64_t, State> states_;
  std::vector<ModelEvent> events_;
  int64_t compacted_ = 0;

  // Of the operation under way.
  State working_;
  State before_;
  int64_t main_ = 0;
  bool changed_ = false;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_MODEL_STORE_H_
