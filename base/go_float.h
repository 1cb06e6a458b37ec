// GoFloatText writes a double as Go's fmt does: with as few digits as tell it apart, and an exponent below -4 and from 6 on.
//
//   GoFloatText(2.5) == "2.5"; GoFloatText(1000000) == "1e+06"
//
// Thread-safety: pure.
// Source:        Go's strconv, format 'g'. JSON has another rule: proto/json_values.h.
#ifndef TIDEMARK_BASE_GO_FLOAT_H_
#define TIDEMARK_BASE_GO_FLOAT_H_

#include <string>

namespace tidemark {

// REQUIRES: a finite number.
std::string GoFloatText(double number);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_GO_FLOAT_H_
