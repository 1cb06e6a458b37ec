// PageSizer chooses how many keys the next page of a list asks for, from the bytes that the last one had.
//
// Thread-safety: thread-compatible.
// Units:         keys; bytes of messages.
// Source:        measured: etcd counts all keys behind the page at each page, so few big pages are fastest; beyond some 10 MB they
//                only cost memory.
#ifndef TIDEMARK_STORECLIENT_PAGE_SIZER_H_
#define TIDEMARK_STORECLIENT_PAGE_SIZER_H_

#include <cstddef>
#include <cstdint>

namespace tidemark::storeclient {

class PageSizer {
 public:
  // Nothing is known of the objects yet: 100 of the largest that etcd takes (1.5 MB) are still bearable.
  static constexpr int64_t kKeysFirst = 100;
  // Two pages are held at a time, one in the reader's hands and one under way.
  static constexpr int64_t kPageBytesAim = 16 << 20;
  static constexpr int64_t kKeysMin = 10;
  static constexpr int64_t kKeysMax = 50000;
  // A page may meet objects much larger than the last one did: grow in steps.
  static constexpr int64_t kGrowthMax = 4;

  int64_t keys() const { return keys_; }
  void Saw(int64_t keys, size_t bytes);
  void Reset() { keys_ = kKeysFirst; }

 private:
  int64_t keys_ = kKeysFirst;
};

}  // namespace tidemark::storeclient

#endif  // TIDEMARK_STORECLIENT_PAGE_SIZER_H_
