// TableEncoder writes objects as rows of a Table: cells for people, and beside them the object, its metadata, or nothing.
//
// Thread-safety, ownership, errors: http/encoder.h.
// Cost:          some 3 us per row beside reading the object; nothing is shared between watches, whose ages differ.
// Source:        kube-apiserver's table convertor. Of a watch only the first event names the columns.
#ifndef TIDEMARK_HTTP_TABLE_ENCODER_H_
#define TIDEMARK_HTTP_TABLE_ENCODER_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "http/encoder.h"
#include "http/table_printer.h"

namespace tidemark::http {

class TableEncoder : public Encoder {
 public:
  TableEncoder(const AnswerForm& form, const config::Resource& resource, const Clock& clock);

  void Arrange(std::vector<const cache::Object*>* objects) override;
  void AppendHead(const ListHead& head, Pieces* pieces) override;
  absl::Status AppendItem(const cache::Object& object, bool last, Pieces* pieces) override;
  void AppendTail(bool empty, Pieces* pieces) override;
  absl::StatusOr<std::string> Whole(const cache::Object& object) override;
  absl::Status AppendAdded(const cache::Object& object, Pieces* pieces) override;
  absl::Status AppendEvent(const cache::WatchEvent& event, Pieces* pieces) override;
  absl::Status AppendBookmark(Revision revision, bool initial_events_end, Pieces* pieces) override;
  void AppendError(const ApiStatus& status, Pieces* pieces) override;

 private:
  std::string ColumnsJson() const;
  void AppendCells(const cache::Object& object, Revision at, std::string* row);
  // {"kind":"Table",... up to the first row.
  std::string Head(const ListHead& head, bool with_columns) const;
  std::string Row(const cache::Object& object, Revision at);
  std::string Frame(absl::string_view type, const cache::Object& object, Revision at);

  const ShownObject whole_;
  const ShownObject metadata_;
  const AnswerForm::IncludeObject include_;
  const std::string api_version_;
  const config::ObjectColumns* const columns_;  // nullptr: printer_ has them
  const TablePrinter& printer_;
  const Clock& clock_;
  bool columns_sent_ = false;  // by an earlier event of this watch
};

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_TABLE_ENCODER_H_
