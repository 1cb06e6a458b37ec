#include <algorithm>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/human_duration.h"
#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

absl::string_view FirstNotEmpty(absl::string_view first, absl::string_view second) {
  return first.empty() ? second : first;
}

std::string EventTarget(const JsonView& involved) {
  const std::string kind = absl::AsciiStrToLower(involved.Field("kind").Text());
  const absl::string_view name = involved.Field("name").Text();
  return name.empty() ? kind : absl::StrCat(kind, "/", name);
}

std::string EventSource(const JsonView& event) {
  const JsonView source = event.Field("source");
  const absl::string_view controller = event.Field("reportingComponent").Text();
  const absl::string_view component = FirstNotEmpty(source.Field("component").Text(), controller);
  const absl::string_view instance =
      FirstNotEmpty(source.Field("host").Text(), event.Field("reportingInstance").Text());
  return instance.empty() ? std::string(component) : absl::StrCat(component, ", ", instance);
}

// When it was seen first and last, and how often.
struct EventCount {
  explicit EventCount(const JsonView& event)
      : first(ReadTime(event.Field("firstTimestamp"))),
        last(ReadTime(event.Field("lastTimestamp"))),
        count(event.Field("count").Number()) {
    if (first == kGoZeroTime) first = ReadTime(event.Field("eventTime"));
    if (last == kGoZeroTime) last = first;
    const JsonView series = event.Field("series");
    if (series.present()) {
      last = ReadTime(series.Field("lastObservedTime"));
      count = series.Field("count").Number();
    } else if (count == 0) {
      count = 1;
    }
  }

  absl::Time first;
  absl::Time last;
  int64_t count;
};

}  // namespace

void Default(const JsonView& object, TableRow* row) {
  const absl::Time created = ReadTime(object.At("metadata", "creationTimestamp"));
  row->NameOf(object);
  row->Text(absl::FormatTime("%E4Y-%m-%dT%H:%M:%SZ", created, absl::UTCTimeZone()));
}

void NameAndAge(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->AgeOf(object);
}

void ConfigMap(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Number(static_cast<int64_t>(object.Field("data").size() + object.Field("binaryData").size()));
  row->AgeOf(object);
}

void Event(const JsonView& event, TableRow* row) {
  const EventCount seen(event);
  const JsonView involved = event.Field("involvedObject");
  row->Text(TimeSince(seen.last, row->now()));
  row->Text(event.Field("type").Text());
  row->Text(event.Field("reason").Text());
  row->Text(EventTarget(involved));
  row->Text(involved.Field("fieldPath").Text());
  row->Text(EventSource(event));
  row->Text(TrimGoSpace(event.Field("message").Text()));
  row->Text(TimeSince(seen.first, row->now()));
  row->Number(seen.count);
  row->NameOf(event);
}

void Lease(const JsonView& lease, TableRow* row) {
  row->NameOf(lease);
  row->Text(lease.At("spec", "holderIdentity").Text());
  row->AgeOf(lease);
}

void Namespace(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(object.At("status", "phase").Text());
  row->AgeOf(object);
}

void ResourceQuota(const JsonView& quota, TableRow* row) {
  const JsonView used = quota.At("status", "used");
  JsonView::Members hard = quota.At("status", "hard").members();
  std::sort(hard.begin(), hard.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  std::string requests;
  std::string limits;
  for (const auto& [name, quantity] : hard) {
    std::string* const cell = absl::StartsWith(name, "limits.") ? &limits : &requests;
    absl::StrAppend(cell, cell->empty() ? "" : ", ", name, ": ", QuantityText(used.Field(name)), "/",
                    QuantityText(quantity));
  }
  row->NameOf(quota);
  row->Text(requests);
  row->Text(limits);
  row->AgeOf(quota);
}

void Secret(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(object.Field("type").Text());
  row->Number(static_cast<int64_t>(object.Field("data").size()));
  row->AgeOf(object);
}

}  // namespace tidemark::http::cells
