// RecordingObserver is the observer of tests: it builds the state that the calls describe, keeps a trace of them, and fails the
// test on any call that breaks the grammar of FollowObserver, goes back, repeats or splits a revision.
//
// Trace, one word per call:  list@5 page(a,b) done events(+c@6,-a@7) progress@9 interrupted rewound
// (keys without the prefix)
//
// Thread-safety: thread-safe.
#ifndef TIDEMARK_STORECLIENT_RECORDING_OBSERVER_H_
#define TIDEMARK_STORECLIENT_RECORDING_OBSERVER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/mutex.h"
#include "base/status.h"
#include "storeclient/store_client.h"

namespace tidemark::storeclient {

class RecordingObserver : public FollowObserver {
 public:
  struct Stored {
    std::string value;
    Revision create_revision;
    Revision mod_revision;
    bool operator==(const Stored& other) const {
      return value == other.value && create_revision == other.create_revision && mod_revision == other.mod_revision;
    }
  };
  using State = std::map<std::string, Stored>;

  explicit RecordingObserver(std::string prefix) : prefix_(std::move(prefix)) {}

  void OnListBegin(Revision revision) override {
    MutexLock lock(&mu_);
    Record(absl::StrCat("list@", revision.value()));
    EXPECT_TRUE(rewound_ || revision >= revision_) << "a list at " << revision << " after " << revision_;
    phase_ = Phase::kListing;
    rewound_ = false;
    ++counts_.lists;
    list_revision_ = revision;
    page_state_.clear();
  }

  void OnListPage(absl::Span<const KeyValueView> page) override {
    MutexLock lock(&mu_);
    EXPECT_TRUE(phase_ == Phase::kListing) << "a page outside a list";
    std::vector<std::string> names;
    for (const KeyValueView& kv : page) {
      EXPECT_TRUE(absl::StartsWith(kv.key, prefix_)) << kv.key;
      EXPECT_TRUE(page_state_.empty() || page_state_.rbegin()->first < kv.key)
          << "keys of a list do not ascend at " << kv.key;
      EXPECT_LE(kv.mod_revision, list_revision_) << kv.key;
      EXPECT_LE(kv.create_revision, kv.mod_revision) << kv.key;
      page_state_[std::string(kv.key)] = {std::string(kv.value), kv.create_revision, kv.mod_revision};
      names.emplace_back(kv.key.substr(prefix_.size()));
    }
    Record(absl::StrCat("page(", absl::StrJoin(names, ","), ")"));
  }

  void OnListDone() override {
    MutexLock lock(&mu_);
    EXPECT_TRUE(phase_ == Phase::kListing) << "the end of no list";
    Record("done");
    phase_ = Phase::kWatching;
    state_ = std::move(page_state_);
    page_state_.clear();
    revision_ = list_revision_;
  }

  void OnEvents(absl::Span<const EventView> events) override {
    MutexLock lock(&mu_);
    EXPECT_TRUE(phase_ == Phase::kWatching) << "events before the end of the list";
    EXPECT_FALSE(events.empty());
    std::vector<std::string> words;
    const Revision before = revision_;
    for (const EventView& event : events) {
      const bool put = event.type == EventView::Type::kPut;
      EXPECT_TRUE(absl::StartsWith(event.kv.key, prefix_)) << event.kv.key;
      EXPECT_GT(event.kv.mod_revision, before) << event.kv.key << ": repeated, or a revision in two calls";
      EXPECT_GE(event.kv.mod_revision, revision_) << event.kv.key << ": out of order";
      revision_ = std::max(revision_, event.kv.mod_revision);
      words.push_back(
          absl::StrCat(put ? "+" : "-", event.kv.key.substr(prefix_.size()), "@", event.kv.mod_revision.value()));
      if (put) {
        state_[std::string(event.kv.key)] = {std::string(event.kv.value), event.kv.create_revision,
                                             event.kv.mod_revision};
      } else {
        EXPECT_EQ(state_.erase(std::string(event.kv.key)), 1u) << event.kv.key << " is deleted and was not there";
      }
      ++counts_.events;
    }
    Record(absl::StrCat("events(", absl::StrJoin(words, ","), ")"));
  }

  void OnProgress(Revision revision) override {
    MutexLock lock(&mu_);
    EXPECT_TRUE(phase_ == Phase::kWatching) << "progress before the end of the list";
    EXPECT_GE(revision, revision_) << "progress goes back";
    Record(absl::StrCat("progress@", revision.value()));
    revision_ = std::max(revision_, revision);
  }

  void OnInterrupted(const absl::Status& reason) override {
    MutexLock lock(&mu_);
    EXPECT_FALSE(reason.ok());
    EXPECT_TRUE(phase_ != Phase::kBefore) << "interrupted before anything began";
    Record("interrupted");
    ++counts_.interruptions;
  }

  void OnRewound(const absl::Status& reason) override {
    MutexLock lock(&mu_);
    EXPECT_EQ(KindOf(reason), ErrorKind::kRewound) << reason;
    Record("rewound");
    phase_ = Phase::kBefore;
    rewound_ = true;
    revision_ = Revision();
    ++counts_.rewinds;
  }

  State state() const {
    MutexLock lock(&mu_);
    return state_;
  }
  // What is known to be complete.
  Revision revision() const {
    MutexLock lock(&mu_);
    return revision_;
  }
  // After the end of a list.
  bool listed() const {
    MutexLock lock(&mu_);
    return phase_ == Phase::kWatching;
  }
  bool Has(absl::string_view key, absl::string_view value) const {
    MutexLock lock(&mu_);
    const auto found = state_.find(std::string(key));
    return found != state_.end() && found->second.value == value;
  }
  struct Counts {
    int lists = 0;
    int interruptions = 0;
    int rewinds = 0;
    int events = 0;
  };
  Counts counts() const {
    MutexLock lock(&mu_);
    return counts_;
  }
  // The calls since the last TakeTrace.
  std::string TakeTrace() {
    MutexLock lock(&mu_);
    return absl::StrJoin(std::exchange(trace_, {}), " ");
  }

 private:
  enum class Phase { kBefore, kListing, kWatching };
  // Of a test that never takes it.
  static constexpr size_t kTraceCallsMax = 10000;

  void Record(std::string call) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_) {
    if (trace_.size() < kTraceCallsMax) trace_.push_back(std::move(call));
  }

  const std::string prefix_;
  mutable Mutex mu_;
  Phase phase_ ABSL_GUARDED_BY(mu_) = Phase::kBefore;
  bool rewound_ ABSL_GUARDED_BY(mu_) = false;
  State state_ ABSL_GUARDED_BY(mu_);
  State page_state_ ABSL_GUARDED_BY(mu_);
  Revision list_revision_ ABSL_GUARDED_BY(mu_);
  Revision revision_ ABSL_GUARDED_BY(mu_);
  std::vector<std::string> trace_ ABSL_GUARDED_BY(mu_);
  Counts counts_ ABSL_GUARDED_BY(mu_);
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_RECORDING_OBSERVER_H_
