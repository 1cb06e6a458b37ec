#include "cache/reclaimer.h"

#include <malloc.h>

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/check.h"

namespace tidemark::cache {

Reclaimer::~Reclaimer() {
  for (const Dead& dead : queue_) Free(dead);
  for (const Version& version : versions_) {
    for (const Dead& dead : version.pinned) Free(dead);
  }
}

Piece* Reclaimer::Allocate(size_t bytes) {
  Piece* const piece = static_cast<Piece*>(std::malloc(bytes));
  TM_CHECK(piece != nullptr) << "no memory for " << bytes << " bytes";
  piece->birth = birth_;
  return piece;
}

void Reclaimer::Drop(Piece* piece) {
  if (IsMine(piece)) {
    std::free(piece);
    return;
  }
  const uint64_t birth = piece->birth == 0 ? 0 : base_ + piece->birth;
  queue_.push_back({reinterpret_cast<uintptr_t>(piece), birth, building_});
  // Asked of the heap: a drop does not say how big the node is, and few are seen by the marked version.
  if (birth <= marked_) bytes_since_mark_ += malloc_usable_size(piece);
  ++waiting_;
  ++dropped_in_batch_;
}

void Reclaimer::DropObject(const Object* object) {
  queue_.push_back(
      {reinterpret_cast<uintptr_t>(object) | 1, static_cast<uint64_t>(object->mod_revision().value()), building_});
  ++waiting_;
  ++dropped_in_batch_;
}

void Reclaimer::Publish(std::unique_ptr<HeldVersion> version, Revision revision) {
  versions_.push_back({std::move(version), building_, revision, {}});
  ++building_;
  ++birth_;
}

void Reclaimer::Mark() {
  marked_ = building_ - 1;
  bytes_since_mark_ = 0;
}

void Reclaimer::ResetBirths() {
  base_ = building_ - 1;
  birth_ = 1;
}

void Reclaimer::Free(const Dead& dead) {
  if (dead.piece & 1) {
    ObjectRef::Drop(reinterpret_cast<const Object*>(dead.piece & ~uintptr_t{1}));
  } else {
    std::free(reinterpret_cast<void*>(dead.piece));
  }
}

Reclaimer::Version* Reclaimer::FindSeer(const Dead& dead) {
  const auto behind = std::lower_bound(versions_.begin(), versions_.end(), dead.death,
                                       [](const Version& version, uint64_t death) { return version.number < death; });
  if (behind == versions_.begin()) return nullptr;
  // A piece that this one does not see is seen by none that is older: it was born later than this one, or it would still live here.
  Version& youngest = *(behind - 1);
  const uint64_t reached = dead.piece & 1 ? static_cast<uint64_t>(youngest.revision.value()) : youngest.number;
  return reached >= dead.birth ? &youngest : nullptr;
}

bool Reclaimer::ReleaseIfFree(size_t index) {
  Version& version = versions_[index];
  if (version.held->IsHeld()) return false;
  queue_.insert(queue_.end(), version.pinned.begin(), version.pinned.end());
  versions_.erase(versions_.begin() + static_cast<ptrdiff_t>(index));
  return true;
}

bool Reclaimer::Sweep(size_t pieces_max, size_t versions_max) {
  if (versions_.size() > 1) ReleaseIfFree(versions_.size() - 2);
  for (size_t i = 0; i < versions_max && versions_.size() > 1; ++i) {
    if (next_version_ + 1 >= versions_.size()) next_version_ = 0;
    if (!ReleaseIfFree(next_version_)) ++next_version_;
  }
  for (size_t i = 0; i < pieces_max && !queue_.empty(); ++i) {
    const Dead dead = queue_.front();
    queue_.pop_front();
    if (Version* const seer = FindSeer(dead)) {
      seer->pinned.push_back(dead);
    } else {
      Free(dead);
      --waiting_;
    }
  }
  return !queue_.empty();
}

void Reclaimer::SweepAfterBatch() {
  const size_t pieces = std::max(kPiecesPerBatch, 2 * dropped_in_batch_);
  dropped_in_batch_ = 0;
  Sweep(pieces, kVersionsPerBatch);
}

std::vector<std::unique_ptr<HeldVersion>> Reclaimer::TakeVersions() {
  std::vector<std::unique_ptr<HeldVersion>> taken;
  for (Version& version : versions_) taken.push_back(std::move(version.held));
  return taken;
}

}  // namespace tidemark::cache
