#include "http/begun_source.h"

namespace tidemark::http {

net::BodySource::State BegunSource::Pull(size_t max_bytes, std::vector<absl::string_view>* slices) {
  if (given_ < begin_.size()) {
    const absl::string_view slice = absl::string_view(begin_).substr(given_, max_bytes);
    slices->push_back(slice);
    given_ += slice.size();
    return given_ < begin_.size() ? State::kMore : state_;
  }
  std::string().swap(begin_);  // taken: a slow client may take minutes for the rest
  given_ = 0;
  return state_ == State::kMore ? source_->Pull(max_bytes, slices) : state_;
}

}  // namespace tidemark::http
