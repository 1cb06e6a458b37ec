#include "cache/store_list.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "cache/overlay_snapshot.h"

namespace tidemark::cache {
namespace {

// The part of the resource's keys that a scope needs.
struct StoreKeys {
  std::string key;
  std::string end;  // empty: the single key
};

StoreKeys StoreKeysOf(const StoreList::Query& query) {
  const Scope& scope = query.scope;
  const bool namespaced = query.resource->namespaced;
  if (!scope.name.empty() && (!namespaced || !scope.namespace_name.empty())) {
    return {namespaced ? absl::StrCat(query.prefix, scope.namespace_name, "/", scope.name) : query.prefix + scope.name,
            ""};
  }
  std::string prefix = query.prefix;
  if (namespaced && !scope.namespace_name.empty()) absl::StrAppend(&prefix, scope.namespace_name, "/");
  std::string end = storeclient::PrefixEnd(prefix);
  return {std::move(prefix), std::move(end)};
}

absl::Status Stopped() { return MakeError(ErrorKind::kStopped, "the cache stops"); }

}  // namespace

void StoreList::Read(Query query, absl::Time deadline, Callback done) {
  const absl::Time now = executor_->clock().Now();
  if (deadline <= now || deadline == absl::InfiniteFuture()) deadline = now + kStoreListReadTimeout;
  auto reader = std::make_shared<Reader>();
  absl::StatusOr<Listed> at_once = absl::UnknownError("");
  bool answered = true;
  {
    MutexLock lock(&mu_);
    const std::string name = NameOf(query);
    if (auto kept = kept_.find(name); kept != kept_.end()) {
      kept->second.until = now + kStoreListKeep;
      at_once = kept->second.listed;
    } else if (absl::Status joined = Join(name, std::move(query), reader); !joined.ok()) {
      at_once = std::move(joined);
    } else {
      reader->done = std::move(done);
      answered = false;
    }
  }
  if (answered) return done(std::move(at_once));
  executor_->PostAt(deadline, [weak = weak_from_this(), weak_reader = std::weak_ptr<Reader>(reader)] {
    auto self = weak.lock();
    auto waiting = weak_reader.lock();
    if (self != nullptr && waiting != nullptr) self->Expire(waiting);
  });
  StartWaiting();
}

void StoreList::Housekeep() {
  std::vector<Listed> dropped;
  const absl::Time now = executor_->clock().Now();
  MutexLock lock(&mu_);
  for (auto kept = kept_.begin(); kept != kept_.end();) {
    if (kept->second.until > now) {
      ++kept;
      continue;
    }
    dropped.push_back(std::move(kept->second.listed));
    kept = kept_.erase(kept);
  }
}

void StoreList::Forget() {
  std::map<std::string, Kept> dropped;
  MutexLock lock(&mu_);
  dropped.swap(kept_);
  for (const FlightPtr& flight : running_) flight->forgotten = true;
}

void StoreList::Stop() {
  std::vector<Callback> ended;
  std::map<std::string, Kept> dropped;
  {
    MutexLock lock(&mu_);
    stopped_ = true;
    dropped.swap(kept_);
    waiting_.insert(waiting_.end(), running_.begin(), running_.end());
    for (const FlightPtr& flight : waiting_) {
      for (const ReaderPtr& reader : flight->readers) {
        if (reader->done) ended.push_back(std::exchange(reader->done, nullptr));
      }
      flight->readers.clear();
    }
    waiting_.clear();
    running_.clear();
    readers_ = 0;
  }
  for (Callback& done : ended) done(Stopped());
}

absl::Status StoreList::Join(const std::string& name, Query query, ReaderPtr reader) {
  if (stopped_) return Stopped();
  if (readers_ >= kStoreListReadersMax) return MakeError(ErrorKind::kOverloaded, "too many lists wait for the store");
  const bool fixed = !query.revision.is_none();
  for (const FlightPtr& flight : running_) {
    if (!fixed || flight->forgotten || NameOf(flight->query) != name) continue;
    Board(flight, std::move(reader));
    return absl::OkStatus();
  }
  auto same = std::find_if(waiting_.begin(), waiting_.end(),
                           [&name](const FlightPtr& flight) { return NameOf(flight->query) == name; });
  if (same == waiting_.end()) {
    if (waiting_.size() >= kStoreListsWaitingMax)
      return MakeError(ErrorKind::kOverloaded, "too many lists wait for the store");
    auto flight = std::make_shared<Flight>();
    flight->query = std::move(query);
    same = waiting_.insert(waiting_.end(), std::move(flight));
  }
  Board(*same, std::move(reader));
  return absl::OkStatus();
}

void StoreList::Board(const FlightPtr& flight, ReaderPtr reader) {
  reader->flight = flight;
  flight->readers.push_back(std::move(reader));
  ++readers_;
}

void StoreList::StartWaiting() {
  while (true) {
    FlightPtr flight;
    {
      MutexLock lock(&mu_);
      if (running_.size() >= kStoreListsRunningMax) return;
      // One of the same name at a time: the store is spared, and those who wait share the next.
      const auto next = std::find_if(waiting_.begin(), waiting_.end(), [this](const FlightPtr& waiting) {
        mu_.AssertHeld();
        const std::string name = NameOf(waiting->query);
        return std::none_of(running_.begin(), running_.end(),
                            [&name](const FlightPtr& running) { return NameOf(running->query) == name; });
      });
      if (next == waiting_.end()) return;
      flight = *next;
      waiting_.erase(next);
      running_.push_back(flight);
    }
    flight->revision = flight->query.revision;
    ReadPage(flight, StoreKeysOf(flight->query).key);
  }
}

void StoreList::ReadPage(const FlightPtr& flight, std::string start) {
  const size_t average = flight->kvs.empty() ? 0 : std::max<size_t>(1, flight->bytes / flight->kvs.size());
  const int64_t limit =
      average == 0 ? kStoreListFirstPageKeys : static_cast<int64_t>(kStoreListPageBytes / average) + 1;
  client_->Range({.key = std::move(start),
                  .range_end = StoreKeysOf(flight->query).end,
                  .revision = flight->revision,
                  .limit = limit},
                 executor_->clock().Now() + kStoreListPageTimeout,
                 [weak = weak_from_this(), flight](absl::StatusOr<storeclient::RangeResult> page) {
                   if (auto self = weak.lock()) self->OnPage(flight, std::move(page));
                 });
}

void StoreList::OnPage(const FlightPtr& flight, absl::StatusOr<storeclient::RangeResult> page) {
  if (!page.ok()) return Land(flight, page.status());
  bool wanted = true;
  {
    MutexLock lock(&mu_);
    if (stopped_) return;
    wanted = !flight->readers.empty();
    if (!wanted) flight->forgotten = true;  // who comes before it has landed takes the next
  }
  if (!wanted) return Land(flight, MakeError(ErrorKind::kStoreUnavailable, "nobody waits for the list any more"));
  if (flight->revision.is_none()) flight->revision = page->store_revision;
  for (storeclient::KeyValue& kv : page->kvs) {
    flight->bytes += kv.key.size() + kv.value.size();
    flight->kvs.push_back(std::move(kv));
  }
  if (flight->bytes > kStoreListBytesMax) {
    return Land(flight, MakeError(ErrorKind::kOverloaded, "the list is too big to be served from the store"));
  }
  if (page->more && !flight->kvs.empty()) return ReadPage(flight, flight->kvs.back().key + '\0');
  post_([self = shared_from_this(), flight] { self->Build(flight); });
}

void StoreList::Build(const FlightPtr& flight) {
  absl::StatusOr<SnapshotRef> snapshot =
      MakeSnapshotFromValues(*flight->query.resource, flight->revision, flight->query.prefix, flight->kvs);
  flight->kvs = {};
  if (!snapshot.ok()) return Land(flight, snapshot.status());
  Land(flight, Listed{.snapshot = *std::move(snapshot), .revision = flight->revision});
}

void StoreList::Land(const FlightPtr& flight, absl::StatusOr<Listed> listed) {
  std::vector<Callback> ready;
  Listed dropped;  // freed outside the lock: it may be a whole resource
  {
    MutexLock lock(&mu_);
    if (stopped_) return;
    if (flight->forgotten) listed = MakeError(ErrorKind::kNotReady, "the store was restored from a backup");
    running_.erase(std::find(running_.begin(), running_.end(), flight));
    readers_ -= flight->readers.size();
    for (const ReaderPtr& reader : flight->readers) {
      if (reader->done) ready.push_back(std::exchange(reader->done, nullptr));
    }
    if (listed.ok() && !flight->query.revision.is_none()) {
      if (kept_.size() >= kStoreListsKeptMax) {
        const auto oldest = std::min_element(
            kept_.begin(), kept_.end(), [](const auto& a, const auto& b) { return a.second.until < b.second.until; });
        dropped = std::move(oldest->second.listed);
        kept_.erase(oldest);
      }
      kept_[NameOf(flight->query)] = {*listed, executor_->clock().Now() + kStoreListKeep};
    }
  }
  for (Callback& done : ready) done(listed);
  StartWaiting();
}

void StoreList::Expire(const ReaderPtr& reader) {
  Callback done;
  {
    MutexLock lock(&mu_);
    done = std::exchange(reader->done, nullptr);
    const FlightPtr flight = reader->flight.lock();
    if (done && flight != nullptr) {
      flight->readers.erase(std::find(flight->readers.begin(), flight->readers.end(), reader));
      --readers_;
      const auto waits = std::find(waiting_.begin(), waiting_.end(), flight);
      if (flight->readers.empty() && waits != waiting_.end()) waiting_.erase(waits);
    }
  }
  if (done) done(MakeError(ErrorKind::kStoreUnavailable, "the store did not answer the list in time"));
}

std::string StoreList::NameOf(const Query& query) {
  return absl::StrCat(query.prefix, "\n", query.scope.namespace_name, "\n", query.scope.name, "\n",
                      query.revision.value());
}

}  // namespace tidemark::cache
