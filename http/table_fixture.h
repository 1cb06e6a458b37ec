// TableCase is an object and the row that kube-apiserver 1.36 makes of it; ExpectRows compares ours with it. Objects hold what the
// row shows and little else.
//
// Thread-safety: pure functions.
#ifndef TIDEMARK_HTTP_TABLE_FIXTURE_H_
#define TIDEMARK_HTTP_TABLE_FIXTURE_H_

#include <gtest/gtest.h>

#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/civil_time.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "http/json_view.h"
#include "http/table_printer.h"

namespace tidemark::http {

struct TableCase {
  absl::string_view name;
  absl::string_view group;
  absl::string_view kind;
  absl::string_view object;
  absl::string_view row;
};

// What ages in the cases are counted to.
inline absl::Time TableNow() { return absl::FromCivil(absl::CivilSecond(2026, 11, 21, 1, 0, 0), absl::UTCTimeZone()); }

inline std::string RowOf(absl::string_view group, absl::string_view kind, absl::string_view object) {
  JsonDocument document;
  document.Parse(object);
  std::string row;
  TablePrinter::Of(group, kind).AppendRow(document.root(), TableNow(), &row);
  return row;
}

inline void ExpectRows(absl::Span<const TableCase> cases) {
  for (const TableCase& c : cases) EXPECT_EQ(RowOf(c.group, c.kind, c.object), c.row) << c.kind << ": " << c.name;
}

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_TABLE_FIXTURE_H_
