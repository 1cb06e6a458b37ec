#include "http/yaml_writer.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "base/status.h"
#include "http/yaml_emitter.h"
#include "http/yaml_key_order.h"

namespace tidemark::http {
namespace {

constexpr int kOutside = -1;  // of every indentation

int Deeper(int indent) { return indent == kOutside ? 0 : indent + YamlEmitter::kIndent; }

}  // namespace

absl::Status YamlWriter::Append(absl::string_view json, std::string* out) {
  TM_RETURN_IF_ERROR(nodes_.Read(json));
  YamlEmitter emitter(out, out->size() + bytes_max_);
  Value(0, kOutside, false, &emitter);
  emitter.Line(0);
  if (!emitter.full()) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      absl::StrCat("as YAML this is longer than ", bytes_max_ >> 20, " MiB: ask for JSON"));
}

void YamlWriter::Value(size_t place, int indent, bool in_object, YamlEmitter* emitter) {
  const YamlNode& node = nodes_.nodes()[place];
  const bool is_empty = node.end == place + 1;
  switch (node.kind) {
    case YamlNode::Kind::kPlain:
      return emitter->Plain(node.text);
    case YamlNode::Kind::kText:
      return emitter->Text(node.text, indent == kOutside ? YamlEmitter::kIndent : Deeper(indent), false);
    case YamlNode::Kind::kObject:
      return is_empty ? emitter->Plain("{}") : Members(place, Deeper(indent), emitter);
    case YamlNode::Kind::kList:
      break;
  }
  if (is_empty) return emitter->Plain("[]");
  // A list that is the value of a key stands as far left as the key.
  const int items_indent = in_object && !emitter->fresh() ? indent : Deeper(indent);
  for (size_t item = place + 1; item < node.end && !emitter->full(); item = nodes_.nodes()[item].end) {
    emitter->Line(items_indent);
    emitter->Mark('-', true, true);
    Value(item, items_indent, false, emitter);
  }
}

// Appends the object's keys to keys_, sorted; of a key that is there twice the last one counts.
void YamlWriter::SortedKeys(size_t place) {
  const std::vector<YamlNode>& nodes = nodes_.nodes();
  const auto begin = static_cast<std::ptrdiff_t>(keys_.size());
  for (size_t key = place + 1; key < nodes[place].end; key = nodes[key + 1].end)
    keys_.push_back(static_cast<uint32_t>(key));
  std::stable_sort(keys_.begin() + begin, keys_.end(),
                   [&nodes](uint32_t a, uint32_t b) { return YamlKeyLess(nodes[a].text, nodes[b].text); });
  auto kept = keys_.begin() + begin;
  for (auto key = kept; key != keys_.end(); ++key) {
    const bool again = key + 1 != keys_.end() && nodes[*key].text == nodes[*(key + 1)].text;
    if (!again) *kept++ = *key;
  }
  keys_.erase(kept, keys_.end());
}

void YamlWriter::Members(size_t place, int indent, YamlEmitter* emitter) {
  const size_t begin = keys_.size();
  SortedKeys(place);
  const size_t end = keys_.size();
  for (size_t i = begin; i < end && !emitter->full(); ++i) {
    const size_t key = keys_[i];
    const absl::string_view text = nodes_.nodes()[key].text;
    const bool simple = YamlEmitter::IsSimpleKey(text);
    emitter->Line(indent);
    if (!simple) emitter->Mark('?', true, true);
    emitter->Text(text, Deeper(indent), simple);
    if (!simple) emitter->Line(indent);
    emitter->Mark(':', !simple, !simple);
    Value(key + 1, indent, true, emitter);
  }
  keys_.resize(begin);
}

}  // namespace tidemark::http
