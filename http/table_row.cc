#include "http/table_row.h"

#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "base/human_duration.h"
#include "http/table_text.h"

namespace tidemark::http {

TableRow::TableRow(absl::Time now, std::string* out) : now_(now), out_(out) { out_->append(R"("cells":[)"); }

void TableRow::Comma() {
  if (!first_) out_->push_back(',');
  first_ = false;
}

void TableRow::Text(absl::string_view text) {
  Comma();
  AppendGoJsonString(text, out_);
}

void TableRow::Number(int64_t number) {
  Comma();
  absl::StrAppend(out_, number);
}

void TableRow::Bool(bool flag) {
  Comma();
  out_->append(flag ? "true" : "false");
}

void TableRow::Age(const JsonView& time) { Text(TimeSince(ReadTime(time), now_)); }

void TableRow::SetCompleted(absl::string_view reason, absl::string_view message) {
  reason_ = reason;
  message_ = message;
}

void TableRow::Finish() {
  out_->push_back(']');
  if (reason_.empty()) return;
  out_->append(R"(,"conditions":[{"type":"Completed","status":"True","reason":)");
  AppendGoJsonString(reason_, out_);
  out_->append(R"(,"message":)");
  AppendGoJsonString(message_, out_);
  out_->append("}]");
}

}  // namespace tidemark::http
