// RandomRequests makes requests for random tests: few keys, so that they meet often, and every option.
//
// Thread-safety: thread-compatible. The same seed gives the same requests.
#ifndef TIDEMARK_STORE_MVCC_RANDOM_REQUESTS_H_
#define TIDEMARK_STORE_MVCC_RANDOM_REQUESTS_H_

#include <cstdint>
#include <random>
#include <string>

#include "absl/strings/str_cat.h"
#include "proto/rpc.pb.h"

namespace tidemark::mvcc {

class RandomRequests {
 public:
  explicit RandomRequests(uint32_t seed) : random_(seed) {}

  int Below(int limit) { return static_cast<int>(random_() % static_cast<uint32_t>(limit)); }
  bool OneIn(int n) { return Below(n) == 0; }

  std::string Key() { return absl::StrCat("/", std::string(1, static_cast<char>('a' + Below(3))), "/", Below(8)); }

  // Empty (one key), unbounded, a prefix, or any other key, which may lie below.
  std::string RangeEnd() {
    switch (Below(5)) {
      case 0:
        return "";
      case 1:
        return std::string(1, '\0');
      case 2:
        return "/d";
      default:
        return Key();
    }
  }

  etcdserverpb::PutRequest Put() {
    etcdserverpb::PutRequest request;
    request.set_key(Key());
    request.set_value(absl::StrCat("v", Below(50)));
    request.set_prev_kv(OneIn(2));
    return request;
  }

  etcdserverpb::DeleteRangeRequest Delete() {
    etcdserverpb::DeleteRangeRequest request;
    request.set_key(Key());
    if (OneIn(2)) request.set_range_end(RangeEnd());
    request.set_prev_kv(OneIn(2));
    return request;
  }

  // Below `newest` + 2, so that it may also be compacted or in the future.
  int64_t Revision(int64_t newest) { return OneIn(2) ? 0 : Below(static_cast<int>(newest) + 2); }

  etcdserverpb::RangeRequest Range(int64_t newest) {
    etcdserverpb::RangeRequest request;
    request.set_key(OneIn(5) ? std::string(1, '\0') : Key());
    request.set_range_end(RangeEnd());
    request.set_limit(OneIn(2) ? 0 : Below(6));
    request.set_sort_order(static_cast<etcdserverpb::RangeRequest::SortOrder>(Below(3)));
    request.set_sort_target(static_cast<etcdserverpb::RangeRequest::SortTarget>(Below(5)));
    request.set_keys_only(OneIn(4));
    request.set_count_only(OneIn(6));
    if (OneIn(4)) request.set_min_mod_revision(Revision(newest));
    if (OneIn(4)) request.set_max_mod_revision(Revision(newest));
    if (OneIn(4)) request.set_min_create_revision(Revision(newest));
    if (OneIn(4)) request.set_max_create_revision(Revision(newest));
    return request;
  }

  etcdserverpb::Compare Compare(int64_t newest) {
    etcdserverpb::Compare compare;
    compare.set_key(Key());
    if (OneIn(4)) compare.set_range_end(RangeEnd());
    compare.set_result(static_cast<etcdserverpb::Compare::CompareResult>(Below(4)));
    compare.set_target(static_cast<etcdserverpb::Compare::CompareTarget>(Below(5)));
    switch (OneIn(8) ? Below(5) : static_cast<int>(compare.target())) {
      case 0:
        compare.set_version(Below(4));
        break;
      case 1:
        compare.set_create_revision(Revision(newest));
        break;
      case 2:
        compare.set_mod_revision(Revision(newest));
        break;
      case 3:
        compare.set_value(absl::StrCat("v", Below(50)));
        break;
      default:
        compare.set_lease(Below(2));
        break;
    }
    return compare;
  }

  // May break the rule against duplicate keys. Inner ranges name no revision.
  etcdserverpb::TxnRequest Txn(int64_t newest, int depth = 0) {
    etcdserverpb::TxnRequest request;
    for (int i = Below(3); i > 0; --i) *request.add_compare() = Compare(newest);
    for (int i = Below(4); i > 0; --i) *request.add_success() = Op(newest, depth);
    for (int i = Below(4); i > 0; --i) *request.add_failure() = Op(newest, depth);
    return request;
  }

 private:
  etcdserverpb::RequestOp Op(int64_t newest, int depth) {
    etcdserverpb::RequestOp op;
    switch (Below(depth < 2 ? 7 : 6)) {
      case 0:
      case 1:
        *op.mutable_request_range() = Range(newest);
        break;
      case 2: {
        // An unbounded delete beside puts of the same keys would make two changes of one key in one revision.
        *op.mutable_request_delete_range() = Delete();
        if (op.request_delete_range().range_end() == std::string(1, '\0'))
          op.mutable_request_delete_range()->set_range_end("0");
        break;
      }
      case 6:
        *op.mutable_request_txn() = Txn(newest, depth + 1);
        break;
      default:
        *op.mutable_request_put() = Put();
        break;
    }
    return op;
  }

  std::mt19937 random_;
};

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_RANDOM_REQUESTS_H_
