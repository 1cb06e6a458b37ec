#include "http/table_encoder.h"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "http/column_definitions.h"
#include "http/json_encoder.h"
#include "http/json_view.h"

namespace tidemark::http {
namespace {

// Where kube-apiserver's own table convertors differ from kind to kind.
constexpr absl::string_view kFlowSchemas = "flowschemas.flowcontrol.apiserver.k8s.io";
constexpr absl::string_view kDefinitions = "customresourcedefinitions.apiextensions.k8s.io";
constexpr absl::string_view kApiServices = "apiservices.apiregistration.k8s.io";

// Each thread's own, as EncoderScratch() is.
JsonDocument& Document() {
  thread_local JsonDocument document;
  return document;
}

}  // namespace

TableEncoder::TableEncoder(const AnswerForm& form, const config::Resource& resource, const Clock& clock)
    : whole_(ShownObject::Whole(resource)),
      metadata_(ShownObject::Metadata(resource, form.meta_v1beta1)),
      include_(form.include_object),
      api_version_(metadata_.api_version()),
      columns_(resource.object_columns.get()),
      printer_(TablePrinter::Of(resource.MirrorGroup(), resource.kind)),
      clock_(clock) {}

std::string TableEncoder::Head(const ListHead& head, bool with_columns) const {
  return absl::StrCat(R"({"kind":"Table","apiVersion":")", api_version_, R"(","metadata":{)", ListMetaJson(head),
                      R"(},"columnDefinitions":)", with_columns ? ColumnsJson() : "null", R"(,"rows":[)");
}

std::string TableEncoder::ColumnsJson() const {
  return ColumnDefinitionsJson(columns_ == nullptr ? printer_.columns() : columns_->columns());
}

void TableEncoder::AppendCells(const cache::Object& object, Revision at, std::string* row) {
  if (columns_ == nullptr) {
    Document().Parse(whole_.StoredJson(object, at, EncoderScratch()));
    printer_.AppendRow(Document().root(), clock_.Now(), row);
    return;
  }
  *row += "\"cells\":[";
  const size_t cells = row->size();
  if (!columns_->AppendCells(whole_.Json(object, at, EncoderScratch()), clock_.Now(), row).ok()) {
    // Every object has a name, and a cell that cannot be found is null.
    row->resize(cells);
    AppendGoJsonString(object.name(), row);
    for (size_t i = 1; i < columns_->columns().size(); ++i) *row += ",null";
  }
  *row += "]";
}

std::string TableEncoder::Row(const cache::Object& object, Revision at) {
  std::string row = "{";
  AppendCells(object, at, &row);
  row += ",\"object\":";
  if (include_ == AnswerForm::IncludeObject::kNone) {
    row += "null}";
    return row;
  }
  const ShownObject& shown = include_ == AnswerForm::IncludeObject::kObject ? whole_ : metadata_;
  absl::StrAppend(&row, shown.JsonPrefix(), shown.Json(object, at, EncoderScratch()).substr(1), "}");
  return row;
}

void TableEncoder::Arrange(std::vector<const cache::Object*>* objects) {
  // The only kind that is printed in another order: that in which flow schemas are matched.
  if (whole_.resource().GroupResource() != kFlowSchemas) return;
  std::map<const cache::Object*, int64_t> precedence;
  for (const cache::Object* object : *objects) {
    Document().Parse(whole_.StoredJson(*object, object->mod_revision(), EncoderScratch()));
    precedence[object] = Document().root().At("spec", "matchingPrecedence").Number();
  }
  std::stable_sort(objects->begin(), objects->end(),
                   [&](const cache::Object* a, const cache::Object* b) { return precedence[a] < precedence[b]; });
}

void TableEncoder::AppendHead(const ListHead& head, Pieces* pieces) {
  std::string text = Head(head, true);
  // Its rows are a nil slice until there is one.
  if (head.empty && whole_.resource().GroupResource() == kDefinitions) text.replace(text.size() - 1, 1, "null");
  pieces->AddCopy(text);
}

absl::Status TableEncoder::AppendItem(const cache::Object& object, bool last, Pieces* pieces) {
  pieces->AddCopy(Row(object, object.mod_revision()));
  if (!last) pieces->AddCopy(",");
  return absl::OkStatus();
}

void TableEncoder::AppendTail(bool empty, Pieces* pieces) {
  pieces->AddCopy(empty && whole_.resource().GroupResource() == kDefinitions ? "}\n" : "]}\n");
}

absl::StatusOr<std::string> TableEncoder::Whole(const cache::Object& object) {
  return absl::StrCat(Head({.revision = object.mod_revision()}, true), Row(object, object.mod_revision()), "]}");
}

std::string TableEncoder::Frame(absl::string_view type, const cache::Object& object, Revision at) {
  const bool with_columns = !std::exchange(columns_sent_, true) || whole_.resource().GroupResource() == kApiServices;
  return absl::StrCat("{\"type\":\"", type, "\",\"object\":", Head({.revision = at}, with_columns), Row(object, at),
                      "]}}\n");
}

absl::Status TableEncoder::AppendAdded(const cache::Object& object, Pieces* pieces) {
  pieces->AddCopy(Frame(EventTypeName(cache::WatchEvent::Type::kAdded), object, object.mod_revision()));
  return absl::OkStatus();
}

absl::Status TableEncoder::AppendEvent(const cache::WatchEvent& event, Pieces* pieces) {
  pieces->AddCopy(Frame(EventTypeName(event.type), *event.object, ShownRevision(event)));
  return absl::OkStatus();
}

absl::Status TableEncoder::AppendBookmark(Revision revision, bool initial_events_end, Pieces* pieces) {
  const cache::ObjectRef bookmark = whole_.Bookmark(revision, initial_events_end);
  pieces->AddCopy(Frame("BOOKMARK", *bookmark, revision));
  return absl::OkStatus();
}

void TableEncoder::AppendError(const ApiStatus& status, Pieces* pieces) { pieces->AddCopy(ErrorFrameJson(status)); }

}  // namespace tidemark::http
