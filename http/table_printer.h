// TablePrinter knows the columns of one kind and writes an object's row of a Table: what kube-apiserver answers to
// `Accept: application/json;as=Table`, and `kubectl get` shows.
//
//   const TablePrinter& printer = TablePrinter::Of("apps", "Deployment");
//   answer += ColumnDefinitionsJson(printer.columns());
//   JsonDocument document;
//   document.Parse(object_json);
//   printer.AppendRow(document.root(), now, &answer);   // "cells":["web","1/1",1,1,"5d3h","c","i","app=web"]
//
// A kind looks the same in all its versions. Objects are read as they are stored: autoscaling/v2, events of the core group.
// Rows of FlowSchemas stand by matchingPrecedence and name in a list; putting them so is up to the list.
//
// Thread-safety: immutable.
// Ownership:     printers live as long as the program.
// Errors:        none: what cannot be read shows what Go's zero value shows.
// Cost:          finding one a binary search; a row some 1 us, beside reading the object.
#ifndef TIDEMARK_HTTP_TABLE_PRINTER_H_
#define TIDEMARK_HTTP_TABLE_PRINTER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "config/table_column.h"
#include "http/json_view.h"
#include "http/table_row.h"

namespace tidemark::http {

struct KindColumnsRow;

class TablePrinter {
 public:
  using Cells = void (*)(const JsonView& object, TableRow* row);

  // Of a kind without columns of its own: name and time of creation.
  static const TablePrinter& Of(absl::string_view group, absl::string_view kind);

  TablePrinter(const KindColumnsRow& kind, Cells cells);

  const std::vector<config::TableColumn>& columns() const { return columns_; }
  // The fields of a row before its object: `"cells":[...]`, and `,"conditions":[...]` if it has any. Ages are counted to `now`.
  void AppendRow(const JsonView& object, absl::Time now, std::string* out) const;

 private:
  const KindColumnsRow* kind_;
  Cells cells_;
  std::vector<config::TableColumn> columns_;
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_TABLE_PRINTER_H_
