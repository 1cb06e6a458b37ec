// Pieces collects the slices of a body as one Pull hands them out, and keeps the text that was made for it until the next Pull.
// Text is kept in blocks, side by side, so that what follows one another goes out as one slice.
//
// Thread-safety: thread-compatible.
// Ownership:     slices of Add point to bytes of others; those of AddCopy lie in here until Begin or the destruction.
// Cost:          AddCopy one copy; nothing is kept when idle.
#ifndef TIDEMARK_HTTP_PIECES_H_
#define TIDEMARK_HTTP_PIECES_H_

#include <cstddef>
#include <memory>
#include <vector>

#include "absl/strings/string_view.h"

namespace tidemark::http {

class Pieces {
 public:
  // The first block is small, since many an answer is slices but for its head; each next one is as large as all before it, up
  // to the largest: text of a LIST is some KB per object, and is handed out with little slack.
  static constexpr size_t kBlockBytesMin = size_t{4} << 10;
  static constexpr size_t kBlockBytesMax = size_t{64} << 10;

  // Lets go of what the last Pull made; from here on slices go to `slices`.
  void Begin(std::vector<absl::string_view>* slices);
  void Add(absl::string_view bytes);
  void AddCopy(absl::string_view bytes);
  // Since Begin.
  size_t bytes() const { return bytes_; }
  // Memory of the blocks.
  size_t held_bytes() const { return held_bytes_; }

 private:
  std::vector<absl::string_view>* slices_ = nullptr;
  std::vector<std::unique_ptr<char[]>> blocks_;
  char* free_ = nullptr;  // in the last block
  size_t free_bytes_ = 0;
  size_t bytes_ = 0;
  size_t held_bytes_ = 0;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_PIECES_H_
