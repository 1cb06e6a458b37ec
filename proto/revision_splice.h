// Where metadata.resourceVersion belongs in an object's message. It is stored empty, and written when the object goes out, so
// that the bytes are those that kube-apiserver sends.
//
//   const std::optional<RevisionSplice> splice = FindRevision(message);
//   if (splice) AppendWithRevision(message, *splice, "123", &out);
//
// Thread-safety: pure functions.
// Ownership:     a RevisionSplice holds offsets, and belongs to the message that it was found in.
// Cost:          one pass over the fields of metadata; nothing else is looked at.
// Source:        ObjectMeta is field 1 of every kind, and resourceVersion field 6 of ObjectMeta.
#ifndef TIDEMARK_PROTO_REVISION_SPLICE_H_
#define TIDEMARK_PROTO_REVISION_SPLICE_H_

#include <cstddef>
#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::proto {

struct RevisionSplice {
  size_t metadata_begin = 0;  // of its content
  size_t metadata_end = 0;
  size_t begin = 0;  // what the revision replaces, tag and all; empty where there is none
  size_t end = 0;
};

// nullopt unless metadata comes first and once, and its fields in the order of their numbers, as every writer of Kubernetes
// leaves them.
std::optional<RevisionSplice> FindRevision(absl::string_view message);

size_t SizeWithRevision(absl::string_view message, const RevisionSplice& splice, absl::string_view digits);
// Appends the message with `digits` as its revision.
void AppendWithRevision(absl::string_view message, const RevisionSplice& splice, absl::string_view digits,
                        std::string* out);

}  // namespace tidemark::proto

#endif  // TIDEMARK_PROTO_REVISION_SPLICE_H_
