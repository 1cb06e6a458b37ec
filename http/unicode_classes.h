// Which characters are letters and which are decimal digits.
//
// Thread-safety: pure functions over a constant table of 6 KB.
// Cost:          ASCII at once, the rest a binary search.
// Source:        Unicode's categories L* and Nd, as Go 1.26 has them (Unicode 15).
#ifndef TIDEMARK_HTTP_UNICODE_CLASSES_H_
#define TIDEMARK_HTTP_UNICODE_CLASSES_H_

#include <cstdint>

namespace tidemark::http {

bool IsLetter(uint32_t rune);
bool IsDigit(uint32_t rune);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_UNICODE_CLASSES_H_
