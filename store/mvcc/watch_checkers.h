// The guarantees of a watch, each a checker with a name (etcd's robustness suite): given what one watch has seen and
// the true history, a checker answers "" or what is wrong.
//
// Thread-safety: pure.
// Source:        etcd v3 tests/robustness/validate/watch.go.
#ifndef TIDEMARK_STORE_MVCC_WATCH_CHECKERS_H_
#define TIDEMARK_STORE_MVCC_WATCH_CHECKERS_H_

#include <algorithm>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "proto/rpc.pb.h"
#include "store/mvcc/model_store.h"

namespace tidemark::mvcc {

// One watch as its client saw it.
struct WatchObservation {
  etcdserverpb::WatchCreateRequest request;
  int64_t created_revision = 0;  // header of the created response
  std::vector<etcdserverpb::WatchResponse>
      responses;  // events and progress, in order; also progress for the whole stream

  static bool IsProgress(const etcdserverpb::WatchResponse& response) { return response.events().empty(); }

  // The first revision that concerns it.
  int64_t First() const { return request.start_revision() != 0 ? request.start_revision() : created_revision + 1; }

  bool Wants(bool is_delete, const std::string& key) const {
    const auto filter =
        is_delete ? etcdserverpb::WatchCreateRequest::NODELETE : etcdserverpb::WatchCreateRequest::NOPUT;
    if (std::count(request.filters().begin(), request.filters().end(), filter) > 0) return false;
    const std::string begin = request.key().empty() ? std::string(1, '\0') : request.key();
    return ModelStore::InRange(key, begin, request.range_end());
  }

  std::vector<mvccpb::Event> Events() const {
    std::vector<mvccpb::Event> events;
    for (const auto& response : responses)
      events.insert(events.end(), response.events().begin(), response.events().end());
    return events;
  }
};

inline bool IsDelete(const mvccpb::Event& event) { return event.type() == mvccpb::Event::DELETE; }

inline std::string CheckFilter(const WatchObservation& watch) {
  for (const auto& event : watch.Events()) {
    if (!watch.Wants(IsDelete(event), event.kv().key())) return "filter: " + event.ShortDebugString();
  }
  return "";
}

inline std::string CheckOrdered(const WatchObservation& watch) {
  int64_t last = 0;
  for (const auto& event : watch.Events()) {
    if (event.kv().mod_revision() < last) return absl::StrCat("ordered: ", event.kv().mod_revision(), " after ", last);
    last = event.kv().mod_revision();
  }
  return "";
}

inline std::string CheckUnique(const WatchObservation& watch) {
  std::set<std::pair<int64_t, std::string>> seen;
  std::set<std::pair<int64_t, std::string>> deleted;
  for (const auto& event : watch.Events()) {
    // A nested transaction may put a key and delete it after that.
    auto& group = IsDelete(event) ? deleted : seen;
    if (!group.emplace(event.kv().mod_revision(), event.kv().key()).second)
      return "unique: " + event.ShortDebugString();
  }
  return "";
}

inline std::string CheckAtomic(const WatchObservation& watch) {
  int64_t last = 0;
  for (const auto& response : watch.responses) {
    if (WatchObservation::IsProgress(response)) continue;
    if (response.events(0).kv().mod_revision() == last) return absl::StrCat("atomic: revision ", last, " was split");
    last = response.events().rbegin()->kv().mod_revision();
  }
  return "";
}

inline std::string CheckBookmarkable(const WatchObservation& watch) {
  int64_t progress = 0, last_event = 0;
  for (const auto& response : watch.responses) {
    if (WatchObservation::IsProgress(response)) {
      if (response.header().revision() < std::max(progress, last_event)) return "bookmarkable: progress went back";
      progress = response.header().revision();
    }
    for (const auto& event : response.events()) {
      if (event.kv().mod_revision() <= progress) {
        return absl::StrCat("bookmarkable: ", event.kv().mod_revision(), " after progress ", progress);
      }
      last_event = event.kv().mod_revision();
    }
  }
  return "";
}

// The true events that the watch concerns, from its first revision up to `last`.
inline std::vector<ModelEvent> ExpectedEvents(const WatchObservation& watch, const ModelStore& model, int64_t last) {
  std::vector<ModelEvent> expected;
  for (const ModelEvent& event : model.events()) {
    if (event.revision < watch.First() || event.revision > last) continue;
    if (watch.Wants(event.is_delete, event.key)) expected.push_back(event);
  }
  return expected;
}

inline std::string CheckResumable(const WatchObservation& watch, const ModelStore& model) {
  const std::vector<mvccpb::Event> events = watch.Events();
  if (events.empty()) return "";
  const std::vector<ModelEvent> expected = ExpectedEvents(watch, model, model.revision());
  if (expected.empty()) return "resumable: an event that never was";
  return events[0].kv().mod_revision() == expected[0].revision
             ? ""
             : absl::StrCat("resumable: begins at ", events[0].kv().mod_revision(), " not ", expected[0].revision);
}

inline std::string CheckIsCreate(const WatchObservation& watch, const ModelStore& model) {
  for (const auto& event : watch.Events()) {
    if (IsDelete(event)) continue;
    const bool is_create = event.kv().create_revision() == event.kv().mod_revision();
    const bool existed = model.at(event.kv().mod_revision() - 1).count(event.kv().key()) > 0;
    if (is_create == existed) return "is create: " + event.ShortDebugString();
  }
  return "";
}

// `complete_to`: what the watch must have seen in any case, 0 when nothing is known.
inline std::string CheckReliable(const WatchObservation& watch, const ModelStore& model, int64_t complete_to) {
  int64_t last = complete_to;
  for (const auto& response : watch.responses) {
    if (WatchObservation::IsProgress(response)) last = std::max(last, response.header().revision());
    for (const auto& event : response.events()) last = std::max(last, event.kv().mod_revision());
  }
  const std::vector<mvccpb::Event> events = watch.Events();
  const std::vector<ModelEvent> expected = ExpectedEvents(watch, model, last);
  for (size_t i = 0; i < std::max(events.size(), expected.size()); ++i) {
    if (i >= events.size()) return absl::StrCat("reliable: missing ", expected[i].key, " at ", expected[i].revision);
    const auto& event = events[i];
    if (i >= expected.size() || event.kv().mod_revision() != expected[i].revision ||
        event.kv().key() != expected[i].key || IsDelete(event) != expected[i].is_delete ||
        event.kv().value() != expected[i].value) {
      return "reliable: unexpected " + event.ShortDebugString();
    }
  }
  return "";
}

inline std::string CheckPrevKv(const WatchObservation& watch, const ModelStore& model) {
  for (const auto& event : watch.Events()) {
    const ModelStore::State& before = model.at(event.kv().mod_revision() - 1);
    const auto found = before.find(event.kv().key());
    if (!event.has_prev_kv()) {
      // Absence is allowed only where the history may be compacted.
      const bool compacted = event.kv().mod_revision() - 1 < model.compacted();
      if (watch.request.prev_kv() && found != before.end() && !compacted) {
        return "prev kv: absent in " + event.ShortDebugString();
      }
      continue;
    }
    if (!watch.request.prev_kv() || found == before.end() ||
        found->second.SerializeAsString() != event.prev_kv().SerializeAsString()) {
      return "prev kv: " + event.ShortDebugString();
    }
  }
  return "";
}

// All of them; the first complaint.
inline std::string CheckWatch(const WatchObservation& watch, const ModelStore& model, int64_t complete_to) {
  for (const std::string& complaint :
       {CheckFilter(watch), CheckOrdered(watch), CheckUnique(watch), CheckAtomic(watch), CheckBookmarkable(watch),
        CheckResumable(watch, model), CheckIsCreate(watch, model), CheckReliable(watch, model, complete_to),
        CheckPrevKv(watch, model)}) {
    if (!complaint.empty()) return complaint;
  }
  return "";
}

}  // namespace tidemark::mvcc

#endif  // TIDEMARK_STORE_MVCC_WATCH_CHECKERS_H_
