#include "http/pieces.h"

#include <algorithm>
#include <cstring>

namespace tidemark::http {

void Pieces::Begin(std::vector<absl::string_view>* slices) {
  slices_ = slices;
  blocks_.clear();
  free_ = nullptr;
  free_bytes_ = 0;
  bytes_ = 0;
  held_bytes_ = 0;
}

void Pieces::Add(absl::string_view bytes) {
  slices_->push_back(bytes);
  bytes_ += bytes.size();
}

void Pieces::AddCopy(absl::string_view bytes) {
  if (bytes.empty()) return;
  if (bytes.size() > free_bytes_) {
    free_bytes_ = std::max(std::clamp(held_bytes_, kBlockBytesMin, kBlockBytesMax), bytes.size());
    held_bytes_ += free_bytes_;
    blocks_.push_back(std::unique_ptr<char[]>(new char[free_bytes_]));
    free_ = blocks_.back().get();
  }
  std::memcpy(free_, bytes.data(), bytes.size());
  const bool joins =
      !slices_->empty() && slices_->back().data() + slices_->back().size() == free_ && free_ != blocks_.back().get();
  if (joins) {
    slices_->back() = {slices_->back().data(), slices_->back().size() + bytes.size()};
  } else {
    slices_->push_back({free_, bytes.size()});
  }
  free_ += bytes.size();
  free_bytes_ -= bytes.size();
  bytes_ += bytes.size();
}

}  // namespace tidemark::http
