// FollowerTest drives one Follower in a test and writes down what it does, one word per action:
//
//   read(100) read@7(400) store watch@8 close ask change
//   list@7 page(a,b) done events(+a@8) progress@9 interrupted rewound      calls of the observer; keys without the prefix
#ifndef TIDEMARK_STORECLIENT_FOLLOWER_DRIVER_H_
#define TIDEMARK_STORECLIENT_FOLLOWER_DRIVER_H_

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "storeclient/follower.h"

namespace tidemark::storeclient {

class FollowerTest : public testing::Test {
 protected:
  static constexpr char kPrefix[] = "/p/";

  std::string Start() {
    return Do([&](auto* actions) { follower_.Start(now_, actions); });
  }

  // `keys` as "ab": each with mod revision 2.
  std::string Page(absl::string_view keys, bool more, int64_t revision, size_t bytes = 1000) {
    RangeView page;
    page.header = Header(revision);
    page.more = more;
    page.count = static_cast<int64_t>(keys.size());
    for (const char key : keys) page.kvs.push_back({Key(key), "v", Revision(2), Revision(2)});
    return Do([&](auto* actions) { follower_.OnPage(now_, page, bytes, actions); });
  }
  std::string PageFailed(const absl::Status& status) {
    return Do([&](auto* actions) { follower_.OnPageFailed(now_, status, actions); });
  }
  std::string Store(int64_t revision) {
    return Do([&](auto* actions) { follower_.OnStore(now_, Header(revision), actions); });
  }
  std::string StoreFailed() {
    return Do([&](auto* actions) { follower_.OnStoreFailed(now_, absl::UnavailableError("down"), actions); });
  }
  // Words: "+a@5", "-a@6", "created", "fragment", "canceled", "compacted@3", "reason"; none is progress.
  std::string Watch(int64_t revision, const std::vector<std::string>& words = {}) {
    WatchView message;
    message.header = Header(revision);
    for (const std::string& word : words) {
      if (word == "created") {
        message.created = true;
      } else if (word == "fragment") {
        message.fragment = true;
      } else if (word == "canceled") {
        message.canceled = true;
        message.cancel_reason = "etcdserver: no leader";
      } else if (word.substr(0, 10) == "compacted@") {
        message.canceled = true;
        message.compact_revision = Revision(std::stoll(word.substr(10)));
      } else {
        message.events.push_back({word[0] == '+' ? EventView::Type::kPut : EventView::Type::kDelete,
                                  {Key(word[1]), "v", Revision(2), Revision(std::stoll(word.substr(3)))}});
      }
    }
    return Do([&](auto* actions) { follower_.OnWatch(now_, message, actions); });
  }
  std::string Closed() {
    return Do([&](auto* actions) { follower_.OnWatchClosed(now_, absl::UnavailableError("broken"), actions); });
  }
  std::string Ask(int64_t store_revision = 0) {
    return Do([&](auto* actions) { follower_.RequestProgress(now_, Revision(store_revision), actions); });
  }
  std::string Recheck() {
    return Do([&](auto* actions) { follower_.Recheck(now_, absl::UnavailableError("doubt"), actions); });
  }
  // Lets the next timer fire.
  std::string Timer() {
    EXPECT_NE(follower_.NextTimer(), absl::InfiniteFuture());
    now_ = std::max(now_, follower_.NextTimer());
    return Do([&](auto* actions) { follower_.OnTimer(now_, actions); });
  }
  // A follower whose watch is open after a list at `revision`.
  void Watching(int64_t revision) {
    Start();
    Page("a", false, revision);
    EXPECT_EQ(Watch(revision, {"created"}), "");
  }

  StoreHeader Header(int64_t revision) const { return {cluster_id_, Revision(revision), term_}; }

  template <typename Call>
  std::string Do(Call call) {
    Follower::Actions actions;
    call(&actions);
    std::vector<std::string> words;
    for (const FollowAction& action : actions) words.push_back(Word(action));
    return absl::StrJoin(words, " ");
  }

  std::string Word(const FollowAction& action) {
    const int64_t revision = action.revision.value();
    switch (action.kind) {
      case FollowAction::Kind::kListBegin:
        return absl::StrCat("list@", revision);
      case FollowAction::Kind::kListPage: {
        std::vector<absl::string_view> names;
        for (const KeyValueView& kv : action.page) names.push_back(kv.key.substr(3));
        return absl::StrCat("page(", absl::StrJoin(names, ","), ")");
      }
      case FollowAction::Kind::kListDone:
        return "done";
      case FollowAction::Kind::kEvents: {
        std::vector<std::string> words;
        for (const EventView& event : action.events) {
          words.push_back(absl::StrCat(event.type == EventView::Type::kPut ? "+" : "-", event.kv.key.substr(3), "@",
                                       event.kv.mod_revision.value()));
        }
        return absl::StrCat("events(", absl::StrJoin(words, ","), ")");
      }
      case FollowAction::Kind::kProgress:
        return absl::StrCat("progress@", revision);
      case FollowAction::Kind::kInterrupted:
        return "interrupted";
      case FollowAction::Kind::kRewound:
        return "rewound";
      case FollowAction::Kind::kReadPage:
        return revision == 0 ? absl::StrCat("read(", action.limit, ")")
                             : absl::StrCat("read@", revision, "(", action.limit, ")");
      case FollowAction::Kind::kReadStore:
        return "store";
      case FollowAction::Kind::kOpenWatch:
        return absl::StrCat("watch@", revision);
      case FollowAction::Kind::kCloseWatch:
        return "close";
      case FollowAction::Kind::kSendProgress:
        return "ask";
      case FollowAction::Kind::kChangeEndpoint:
        return "change";
    }
    return "?";
  }

  absl::string_view Key(char name) {
    keys_.push_back(absl::StrCat(kPrefix, std::string(1, name)));
    return keys_.back();
  }

  absl::Time now_ = absl::UnixEpoch();
  uint64_t cluster_id_ = 11;
  uint64_t term_ = 3;
  std::deque<std::string> keys_;
  Follower follower_{kPrefix, 1};
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_FOLLOWER_DRIVER_H_
