// TableRow writes one row of a Table up to its object: the cells, and the conditions if it has any.
//
//   TableRow row(now, &out);
//   row.Text("web-0");
//   row.Age(created);
//   row.Finish();                // "cells":["web-0","5d3h"]
//
// Thread-safety: thread-compatible.
// Ownership:     appends to `out`, which outlives it.
// Source:        kube-apiserver's metav1.TableRow.
#ifndef TIDEMARK_HTTP_TABLE_ROW_H_
#define TIDEMARK_HTTP_TABLE_ROW_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "http/json_view.h"

namespace tidemark::http {

class TableRow {
 public:
  // `now`: what ages are counted from.
  TableRow(absl::Time now, std::string* out);
  TableRow(const TableRow&) = delete;
  TableRow& operator=(const TableRow&) = delete;

  absl::Time now() const { return now_; }

  void Text(absl::string_view text);
  // `otherwise` when the text is empty.
  void TextOr(absl::string_view text, absl::string_view otherwise) { Text(text.empty() ? otherwise : text); }
  void Number(int64_t number);
  void Bool(bool flag);
  // How long ago the time of a JSON text was.
  void Age(const JsonView& time);
  // metadata.name and metadata.creationTimestamp of an object.
  void NameOf(const JsonView& object) { Text(object.At("metadata", "name").Text()); }
  void AgeOf(const JsonView& object) { Age(object.At("metadata", "creationTimestamp")); }

  // The row is about something that has ended.
  // REQUIRES: the texts outlive the row.
  void SetCompleted(absl::string_view reason, absl::string_view message);
  // The last call.
  void Finish();

 private:
  void Comma();

  const absl::Time now_;
  std::string* const out_;
  bool first_ = true;
  absl::string_view reason_;  // empty: not completed
  absl::string_view message_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_TABLE_ROW_H_
