#include "http/json_encoder.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "cache/event.h"
#include "http/frame_forms.h"
#include "http/resource_version.h"

namespace tidemark::http {
namespace {

constexpr absl::string_view kFrameEnd = "}\n";

// A list without a Go type has its token also when it is empty.
std::string UntypedListMetaJson(const ListHead& head) {
  std::string json = absl::StrCat("\"continue\":", GoJsonString(head.continue_token));
  if (head.remaining.has_value()) absl::StrAppend(&json, ",\"remainingItemCount\":", *head.remaining);
  return absl::StrCat(json, ",\"resourceVersion\":\"", PrintResourceVersion(head.revision), "\"");
}

}  // namespace

JsonEncoder::JsonEncoder(ShownObject form)
    : form_(std::move(form)),
      prefix_(form_.JsonPrefix()),
      added_prefix_(absl::StrCat("{\"type\":\"ADDED\",\"object\":", prefix_)) {}

void JsonEncoder::AppendHead(const ListHead& head, Pieces* pieces) {
  if (form_.untyped()) {
    // Here, too, the fields come in the order of their names.
    untyped_tail_ = absl::StrCat("],\"kind\":", GoJsonString(form_.list_kind()), ",\"metadata\":{",
                                 UntypedListMetaJson(head), "}}\n");
    pieces->AddCopy(absl::StrCat("{\"apiVersion\":", GoJsonString(form_.api_version()), ",\"items\":["));
    return;
  }
  const std::string kind = absl::StrCat("{\"kind\":", GoJsonString(form_.list_kind()),
                                        ",\"apiVersion\":", GoJsonString(form_.api_version()));
  // An empty list of metadata is a nil slice, and all others are made.
  const bool null = head.empty && !form_.whole();
  pieces->AddCopy(
      absl::StrCat(kind, ",\"metadata\":{", ListMetaJson(head), null ? "},\"items\":null" : "},\"items\":["));
}

absl::Status JsonEncoder::AppendItem(const cache::Object& object, bool last, Pieces* pieces) {
  if (form_.items_have_kind()) {
    pieces->Add(prefix_);
    AppendBody(object, pieces);
    if (!last) pieces->Add(",");
  } else if (form_.as_stored() && !object.is_protobuf()) {
    pieces->Add(last ? object.Json() : object.Item());
  } else {
    pieces->AddCopy(form_.Json(object, object.mod_revision(), EncoderScratch()));
    if (!last) pieces->AddCopy(",");
  }
  return absl::OkStatus();
}

void JsonEncoder::AppendTail(bool empty, Pieces* pieces) {
  if (form_.untyped()) return pieces->Add(untyped_tail_);
  pieces->Add(empty && !form_.whole() ? "}\n" : "]}\n");
}

void JsonEncoder::AppendBody(const cache::Object& object, Pieces* pieces) {
  std::string* const scratch = EncoderScratch();
  const absl::string_view json = form_.Json(object, object.mod_revision(), scratch);
  if (json.data() == scratch->data()) {
    pieces->AddCopy(json.substr(1));
  } else {
    pieces->Add(json.substr(1));
  }
}

absl::StatusOr<std::string> JsonEncoder::Whole(const cache::Object& object) {
  return absl::StrCat(prefix_, form_.Json(object, object.mod_revision(), EncoderScratch()).substr(1));
}

absl::Status JsonEncoder::AppendAdded(const cache::Object& object, Pieces* pieces) {
  pieces->Add(added_prefix_);
  AppendBody(object, pieces);
  pieces->Add(kFrameEnd);
  return absl::OkStatus();
}

std::string JsonEncoder::Frame(absl::string_view type, const cache::Object& object, Revision at) const {
  std::string scratch;
  const absl::string_view json = form_.Json(object, at, &scratch);
  return absl::StrCat("{\"type\":\"", type, "\",\"object\":", prefix_, json.substr(1), kFrameEnd);
}

absl::Status JsonEncoder::AppendEvent(const cache::WatchEvent& event, Pieces* pieces) {
  const auto build = [&] { return Frame(EventTypeName(event.type), *event.object, ShownRevision(event)); };
  pieces->Add(event.event->Frame(cache::FrameSlot(FrameFormOf(form_, /*protobuf=*/false), event.type), build));
  return absl::OkStatus();
}

absl::Status JsonEncoder::AppendBookmark(Revision revision, bool initial_events_end, Pieces* pieces) {
  const cache::ObjectRef bookmark = form_.Bookmark(revision, initial_events_end);
  pieces->AddCopy(Frame("BOOKMARK", *bookmark, revision));
  return absl::OkStatus();
}

void JsonEncoder::AppendError(const ApiStatus& status, Pieces* pieces) { pieces->AddCopy(ErrorFrameJson(status)); }

std::string ListMetaJson(const ListHead& head) {
  std::string json = absl::StrCat("\"resourceVersion\":\"", PrintResourceVersion(head.revision), "\"");
  if (!head.continue_token.empty()) absl::StrAppend(&json, ",\"continue\":", GoJsonString(head.continue_token));
  if (head.remaining.has_value()) absl::StrAppend(&json, ",\"remainingItemCount\":", *head.remaining);
  return json;
}

std::string ErrorFrameJson(const ApiStatus& status) {
  return absl::StrCat("{\"type\":\"ERROR\",\"object\":", status.ToJson(), kFrameEnd);
}

}  // namespace tidemark::http
