#include "cmd/definition_follower.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <set>
#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/status.h"
#include "crd/definition.h"
#include "crd/definition_resources.h"

namespace tidemark::cmd {
namespace {

// Definitions and changes looked at a time.
constexpr size_t kDefinitionsAtATime = 64;

// What stands behind one definition.
struct Announced {
  std::string fingerprint;
  std::shared_ptr<cache::Mirror> mirror;
  std::vector<http::ServedRow> rows;
};

using AnnouncedByName = std::map<std::string, Announced, std::less<>>;

}  // namespace

// Held by its tasks; the lock keeps them from running together with Stop.
class DefinitionFollower::Core : public std::enable_shared_from_this<Core> {
 public:
  explicit Core(Options options) : options_(std::move(options)) {}

  void Start() { PostLook(absl::InfinitePast()); }
  void Stop() {
    MutexLock lock(&mu_);
    stopped_ = true;
    cursor_.reset();
  }
  bool ready() const { return ready_.load(); }

 private:
  // Runs `task` on the executor, unless it is stopped by then.
  template <typename Task>
  void PostTask(absl::Time when, Task task) {
    options_.executor->PostAt(when, [weak = weak_from_this(), task = std::move(task)] {
      const std::shared_ptr<Core> self = weak.lock();
      if (self == nullptr) return;
      MutexLock lock(&self->mu_);
      if (!self->stopped_) task(self.get());
    });
  }
  void PostLook(absl::Time when) {
    PostTask(when, [](Core* self) ABSL_NO_THREAD_SAFETY_ANALYSIS { self->Look(); });
  }

  // Takes in what has changed since the last look.
  void Look() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status ListAll() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  absl::Status TakeChanges() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Take(const cache::Object& object, Revision revision) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Announce(const std::string& name, crd::Definition definition) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void TakeReady(const std::string& name, const std::string& fingerprint) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Drop(absl::string_view name, Revision revision) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void DropLoading(absl::string_view name) ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void PublishSoon() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  void Publish() ABSL_EXCLUSIVE_LOCKS_REQUIRED(mu_);
  bool Wanted(const crd::Definition& definition) const;

  const Options options_;
  std::atomic<bool> ready_{false};

  Mutex mu_;
  bool stopped_ ABSL_GUARDED_BY(mu_) = false;
  std::unique_ptr<cache::WatchCursor> cursor_ ABSL_GUARDED_BY(mu_);  // null: the next look lists
  AnnouncedByName served_ ABSL_GUARDED_BY(mu_);
  AnnouncedByName loading_ ABSL_GUARDED_BY(mu_);  // their mirrors have no first list yet
  bool listed_ ABSL_GUARDED_BY(mu_) = false;      // once
  bool publishing_ ABSL_GUARDED_BY(mu_) = false;  // a task is on its way
};

void DefinitionFollower::Core::Look() {
  absl::Status status = cursor_ == nullptr ? ListAll() : absl::OkStatus();
  if (status.ok()) status = TakeChanges();
  if (status.ok()) return;
  cursor_.reset();
  if (KindOf(status) != ErrorKind::kStopped) PostLook(options_.executor->clock().Now() + kDefinitionsRetryGap);
}

absl::Status DefinitionFollower::Core::ListAll() {
  absl::StatusOr<cache::View> view = absl::InternalError("a read of what is there did not answer at once");
  options_.cache->Read(options_.definitions, {.freshness = cache::Freshness::kAny},
                       [&view](absl::StatusOr<cache::View> answer) { view = std::move(answer); });
  TM_RETURN_IF_ERROR(view.status());
  std::set<std::string, std::less<>> names;
  const std::unique_ptr<cache::ListCursor> cursor = view->snapshot->List({});
  for (bool more = true; more;) {
    std::vector<const cache::Object*> objects;
    TM_ASSIGN_OR_RETURN(more, cursor->Next(kDefinitionsAtATime, &objects));
    for (const cache::Object* object : objects) {
      names.emplace(object->key());
      Take(*object, object->mod_revision());
    }
  }
  std::vector<std::string> gone;
  for (const AnnouncedByName* known : {&served_, &loading_}) {
    for (const auto& [name, announced] : *known) {
      if (!names.contains(name)) gone.push_back(name);
    }
  }
  for (const std::string& name : gone) Drop(name, view->revision);
  // The waker comes from the mirror's writer: it only posts.
  TM_ASSIGN_OR_RETURN(cursor_, options_.definitions->Watch({.after = view->revision}, [weak = weak_from_this()] {
    if (const std::shared_ptr<Core> self = weak.lock()) self->PostLook(absl::InfinitePast());
  }));
  listed_ = true;
  if (loading_.empty()) PublishSoon();
  return absl::OkStatus();
}

absl::Status DefinitionFollower::Core::TakeChanges() {
  for (std::vector<cache::WatchEvent> events;; events.clear()) {
    TM_RETURN_IF_ERROR(cursor_->Next(kDefinitionsAtATime, &events));
    if (events.empty()) return absl::OkStatus();
    for (const cache::WatchEvent& event : events) {
      if (event.type == cache::WatchEvent::Type::kDeleted) {
        Drop(event.object->key(), event.revision);
      } else {
        Take(*event.object, event.revision);
      }
    }
  }
}

void DefinitionFollower::Core::Take(const cache::Object& object, Revision revision) {
  const std::string name(object.key());
  absl::StatusOr<crd::Definition> definition =
      object.unreadable() ? absl::InvalidArgumentError(object.reason()) : crd::ParseDefinition(object.Json());
  if (!definition.ok()) {
    return Log(LogLevel::kWarning, "a definition of custom resources cannot be read",
               {{"name", name}, {"reason", definition.status().message()}});
  }
  if (!Wanted(*definition)) return Drop(name, revision);
  Announce(name, *std::move(definition));
}

bool DefinitionFollower::Core::Wanted(const crd::Definition& definition) const {
  const std::string group_resource = absl::StrCat(definition.names.plural, ".", definition.group);
  const std::string prefix = absl::StrCat(definition.group, "/", definition.names.plural);
  const auto taken = [&](const config::Resource& row) {
    return row.GroupResource() == group_resource || row.prefix == prefix;
  };
  return definition.established && options_.selection.Takes(definition.names.plural, group_resource) &&
         std::none_of(options_.fixed.begin(), options_.fixed.end(), taken);
}

void DefinitionFollower::Core::Announce(const std::string& name, crd::Definition definition) {
  const auto loading = loading_.find(name);
  const auto served = served_.find(name);
  if (loading != loading_.end() && loading->second.fingerprint == definition.fingerprint) return;
  DropLoading(name);
  if (served != served_.end() && served->second.fingerprint == definition.fingerprint) return;
  std::string fingerprint = definition.fingerprint;
  crd::DefinitionResources resources = crd::ResourcesOf(std::move(definition));
  config::Resource& mirrored = resources.mirrored;
  if (options_.encryption) mirrored.encryption = options_.encryption->ProvidersOf(mirrored.group, mirrored.plural);
  Announced announced{.fingerprint = fingerprint};
  announced.mirror = options_.cache->Add(
      std::move(resources.mirrored), [weak = weak_from_this(), name, fingerprint = std::move(fingerprint)] {
        const std::shared_ptr<Core> self = weak.lock();
        if (self == nullptr) return;
        self->PostTask(absl::InfinitePast(), [name, fingerprint](Core* core) ABSL_NO_THREAD_SAFETY_ANALYSIS {
          core->TakeReady(name, fingerprint);
        });
      });
  for (config::Resource& row : resources.served) {
    announced.rows.push_back(std::make_shared<const http::ServedResource>(http::ServedResource{
        .resource = std::make_shared<const config::Resource>(std::move(row)), .mirror = announced.mirror}));
  }
  loading_.emplace(name, std::move(announced));
}

void DefinitionFollower::Core::TakeReady(const std::string& name, const std::string& fingerprint) {
  const auto loaded = loading_.find(name);
  if (loaded == loading_.end() || loaded->second.fingerprint != fingerprint) return;
  Announced before = std::exchange(served_[name], std::move(loaded->second));
  loading_.erase(loaded);
  // The new rows first: nobody shall find the old ones while their mirror says that it is gone.
  if (before.mirror != nullptr) {
    Publish();
    options_.cache->Remove(before.mirror, Revision());
  } else {
    PublishSoon();
  }
}

void DefinitionFollower::Core::Drop(absl::string_view name, Revision revision) {
  DropLoading(name);
  const auto served = served_.find(name);
  if (served == served_.end()) return;
  const std::shared_ptr<cache::Mirror> mirror = served->second.mirror;
  served_.erase(served);
  Publish();
  options_.cache->Remove(mirror, revision);
}

void DefinitionFollower::Core::DropLoading(absl::string_view name) {
  const auto loading = loading_.find(name);
  if (loading == loading_.end()) return;
  options_.cache->Remove(loading->second.mirror, Revision());
  loading_.erase(loading);
  if (loading_.empty()) PublishSoon();
}

void DefinitionFollower::Core::PublishSoon() {
  if (std::exchange(publishing_, true)) return;
  PostTask(absl::InfinitePast(), [](Core* self) ABSL_NO_THREAD_SAFETY_ANALYSIS {
    self->publishing_ = false;
    self->Publish();
  });
}

void DefinitionFollower::Core::Publish() {
  std::vector<http::ServedRow> rows;
  for (const auto& [name, announced] : served_) rows.insert(rows.end(), announced.rows.begin(), announced.rows.end());
  options_.publish(std::move(rows));
  if (listed_ && loading_.empty()) ready_.store(true);
}

DefinitionFollower::DefinitionFollower(Options options) : core_(std::make_shared<Core>(std::move(options))) {}
DefinitionFollower::~DefinitionFollower() { Stop(); }
void DefinitionFollower::Start() { core_->Start(); }
void DefinitionFollower::Stop() { core_->Stop(); }
bool DefinitionFollower::ready() const { return core_->ready(); }

}  // namespace tidemark::cmd
