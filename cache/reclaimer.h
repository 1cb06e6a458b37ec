// Reclaimer frees the nodes and objects of one IndexedStore once no snapshot can see them, without reference
// counts on them: a piece is visible in the versions [birth, death), and free when none of those is a
// snapshot that somebody holds.
//
//   versions          1   2   3   4   5   6
//   piece                [--------)            birth 2, death 4: seen by 2 and 3
//   held snapshots    x           x       x    1, 4 and 6: the piece can go
//
// A version is one published batch. `birth == the version being built` also means "not published yet, change it in
// place". A piece that a held snapshot still sees hangs on that snapshot until it is released, so nothing is looked at
// twice without cause.
//
// Thread-safety: confined to the store's writer. Snapshots are released by their readers, which only counts down; the
//                writer notices.
// Ownership:     owns dead pieces, and the snapshots it was given.
// Cost:          two words per dead piece; Sweep frees a bounded number of pieces, about 0.6 us each.
// Source:        interval-based reclamation, measured for this project against counted nodes (see ARCHITECTURE.md).
#ifndef TIDEMARK_CACHE_RECLAIMER_H_
#define TIDEMARK_CACHE_RECLAIMER_H_

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "base/revision.h"
#include "cache/object.h"

namespace tidemark::cache {

// What every node begins with. Only the writer looks at it.
struct Piece {
  uint32_t birth;  // relative to the reclaimer's base; 0: at or before the base
};

// A published version, as the reclaimer needs to know it.
class HeldVersion {
 public:
  virtual ~HeldVersion() = default;
  // Whether anyone but the store holds it. Once false for a version that is not the newest, it stays false.
  virtual bool IsHeld() const = 0;
};

class Reclaimer {
 public:
  // Pieces freed per batch at least: 40 us. A batch that made more dead pieces frees twice as many as it made, so that
  // they do not pile up.
  static constexpr size_t kPiecesPerBatch = 64;
  // Older snapshots looked at per batch: their holders let go in any order.
  static constexpr size_t kVersionsPerBatch = 16;

  Reclaimer() = default;
  ~Reclaimer();
  Reclaimer(const Reclaimer&) = delete;
  Reclaimer& operator=(const Reclaimer&) = delete;

  // Memory for a node of the version being built; its birth is set.
  Piece* Allocate(size_t bytes);
  // Whether the node was made for the version being built: nobody else sees it.
  bool IsMine(const Piece* piece) const { return piece->birth == birth_; }
  // The version being built no longer refers to the piece. The reference to an object goes over.
  void Drop(Piece* piece);
  void DropObject(const Object* object);

  // How many versions were built since births were counted anew.
  uint32_t births() const { return birth_; }
  // The version being built is complete; the next begins.
  void Publish(std::unique_ptr<HeldVersion> version, Revision revision);
  // Bytes of nodes that the version last marked sees and the version being built does not: what they cost whoever keeps
  // that version. Mark marks the newest one published; before the first Mark all count.
  size_t bytes_since_mark() const { return bytes_since_mark_; }
  void Mark();
  // Every node that is alive has been given birth 0: count on from here.
  void ResetBirths();

  // Frees up to `pieces_max`, after looking at `versions_max` snapshots (and at the last one replaced). False when the
  // rest has to wait for readers.
  bool Sweep(size_t pieces_max, size_t versions_max);
  // What Publish leaves to be done after each batch.
  void SweepAfterBatch();

  size_t waiting_pieces() const { return waiting_; }
  size_t versions() const { return versions_.size(); }
  // Gives up all versions, for an owner that is closing. The dead pieces stay.
  std::vector<std::unique_ptr<HeldVersion>> TakeVersions();

 private:
  struct Dead {
    uintptr_t piece;  // bit 0 set: an object
    uint64_t birth;   // version, or an object's mod revision
    uint64_t death;   // the first version that does not see it
  };
  struct Version {
    std::unique_ptr<HeldVersion> held;
    uint64_t number;
    Revision revision;
    std::vector<Dead> pinned;  // seen by this version and by no younger one
  };

  static void Free(const Dead& dead);
  // The youngest version that sees the piece, or nullptr.
  Version* FindSeer(const Dead& dead);
  // Removes the version if nobody holds it; its pieces are looked at again.
  bool ReleaseIfFree(size_t index);

  std::deque<Dead> queue_;         // to be looked at: the newly dead, and what a released version had pinned
  std::vector<Version> versions_;  // ascending; the last is the current one
  size_t waiting_ = 0;             // queue_ and all pinned
  size_t dropped_in_batch_ = 0;
  uint64_t marked_ = 0;  // a version
  size_t bytes_since_mark_ = 0;
  size_t next_version_ = 0;  // where the next look begins
  uint64_t building_ = 1;
  uint64_t base_ = 0;  // building_ == base_ + birth_
  uint32_t birth_ = 1;
};

}  // namespace tidemark::cache

#endif  // TIDEMARK_CACHE_RECLAIMER_H_
