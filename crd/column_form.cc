#include "crd/column_form.h"

#include "base/status.h"
#include "crd/json_tree.h"
#include "crd/printer_columns.h"

namespace tidemark::crd {
namespace {

class ColumnForm : public config::ObjectForm {
 public:
  explicit ColumnForm(const std::vector<config::TableColumn>& columns) : columns_(columns) {}

  absl::StatusOr<std::string> Decode(absl::string_view value) const override { return std::string(value); }
  absl::Status Servable() const override { return absl::OkStatus(); }
  bool Converts() const override { return false; }
  absl::StatusOr<std::string> Serve(absl::string_view json) const override { return std::string(json); }
  const std::vector<config::TableColumn>& columns() const override { return columns_.columns(); }
  absl::Status AppendCells(absl::string_view json, absl::Time now, std::string* out) const override {
    TM_ASSIGN_OR_RETURN(const Json object, ParseJson(json));
    columns_.AppendCells(object, now, out);
    return absl::OkStatus();
  }
  absl::StatusOr<std::string> Scale(absl::string_view) const override { return absl::NotFoundError("it has no scale"); }

 private:
  const PrinterColumns columns_;
};

}  // namespace

std::shared_ptr<const config::ObjectForm> MakeColumnForm(const std::vector<config::TableColumn>& columns) {
  return std::make_shared<ColumnForm>(columns);
}

}  // namespace tidemark::crd
