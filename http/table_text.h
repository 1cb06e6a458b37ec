// The texts that many cells of Tables are made of: ages, labels, selectors, shortened lists.
//
// Thread-safety: pure functions.
// Units:         times as Go has them: kGoZeroTime is "no time".
// Source:        what kube-apiserver answers; apimachinery's duration, labels and metav1 packages.
#ifndef TIDEMARK_HTTP_TABLE_TEXT_H_
#define TIDEMARK_HTTP_TABLE_TEXT_H_

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "http/json_view.h"

namespace tidemark::http {

inline constexpr absl::string_view kNone = "<none>";
inline constexpr absl::string_view kUnset = "<unset>";
inline constexpr absl::string_view kUnknown = "<unknown>";
// Of a list in one cell so many are shown.
inline constexpr size_t kListedMax = 3;

// Of a text as RFC 3339 has it; kGoZeroTime when it is none.
absl::Time ReadTime(const JsonView& time);

// "a=b,c=d", by key; "<none>".
std::string LabelsText(const JsonView& labels);
// A metav1.LabelSelector as a query has it: "a=b,c in (d,e),!f"; empty when it selects by nothing, nullopt when it is not valid.
std::optional<std::string> SelectorText(const JsonView& selector);
// The same for a cell: "<none>", "<error>".
std::string SelectorCell(const JsonView& selector);

// "a,b,c + 2 more...".
std::string ListWithMore(absl::Span<const std::string> list);
// The texts of an array, with commas between them.
std::string JoinTexts(const JsonView& texts);
// The same of a field of each element: Containers' names and images.
std::string JoinField(const JsonView& elements, absl::string_view field);

// The first element whose `type` is this one; absent when there is none.
JsonView FindByType(const JsonView& elements, absl::string_view type);
// Of a pointer to a text: its text, or what stands for nil.
std::string TextIfPresent(const JsonView& text, absl::string_view otherwise);
// A resource.Quantity as text; "0" when it is absent.
std::string QuantityText(const JsonView& quantity);
// Without white space at both ends, as Go's strings.TrimSpace has it.
absl::string_view TrimGoSpace(absl::string_view text);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_TABLE_TEXT_H_
