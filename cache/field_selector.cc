// The grammar of field selectors: terms `field op value` joined by commas, op one of "=", "==", "!="; a backslash
// before a comma, an equals sign or a backslash takes its meaning away in a value.
#include <algorithm>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "cache/selector.h"

namespace tidemark::cache {
namespace {

struct Term {
  std::string field;
  Requirement::Op op = Requirement::Op::kIn;
  std::string value;
};

std::vector<absl::string_view> SplitTerms(absl::string_view text) {
  std::vector<absl::string_view> terms;
  size_t begin = 0;
  bool escaped = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (escaped) {
      escaped = false;
    } else if (text[i] == '\\') {
      escaped = true;
    } else if (text[i] == ',') {
      terms.push_back(text.substr(begin, i - begin));
      begin = i + 1;
    }
  }
  terms.push_back(text.substr(begin));
  return terms;
}

// The bytes of the character that begins at `i`.
absl::string_view CharacterAt(absl::string_view text, size_t i) {
  size_t end = i + 1;
  while (end < text.size() && (text[end] & 0xc0) == 0x80) ++end;
  return text.substr(i, end - i);
}

absl::StatusOr<std::string> Unescape(absl::string_view text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\') {
      ++i;
      if (i == text.size() || (text[i] != '\\' && text[i] != ',' && text[i] != '=')) {
        const absl::string_view escaped = i == text.size() ? absl::string_view() : CharacterAt(text, i);
        return absl::InvalidArgumentError(absl::StrCat("invalid field selector: invalid escape sequence: \\", escaped));
      }
    } else if (text[i] == ',' || text[i] == '=') {
      // The character's number, as kube-apiserver prints it.
      return absl::InvalidArgumentError(
          absl::StrCat("invalid field selector: unescaped character in value: ", static_cast<int>(text[i])));
    }
    out.push_back(text[i]);
  }
  return out;
}

absl::StatusOr<Term> ParseTerm(absl::string_view whole, absl::string_view text) {
  for (size_t i = 0; i < text.size(); ++i) {
    for (const absl::string_view op : {"!=", "==", "="}) {
      if (!absl::StartsWith(text.substr(i), op)) continue;
      TM_ASSIGN_OR_RETURN(std::string value, Unescape(text.substr(i + op.size())));
      return Term{std::string(text.substr(0, i)), op == "!=" ? Requirement::Op::kNotIn : Requirement::Op::kIn,
                  std::move(value)};
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("invalid selector: '", whole, "'; can't understand '", text, "'"));
}

std::string UnknownFieldMessage(absl::string_view field, const config::Resource& resource) {
  switch (resource.unknown_field_error) {
    case config::UnknownFieldError::kNotSupported:
      return absl::StrCat("field label not supported: ", field);
    case config::UnknownFieldError::kForKind:
      return absl::StrCat("field label \"", field, "\" not supported for ", resource.kind);
    case config::UnknownFieldError::kForGroupKind:
      return absl::StrCat("field label not supported for ", resource.ApiVersion(), ", Kind=", resource.kind, ": ",
                          field);
    case config::UnknownFieldError::kNotKnown:
      break;
  }
  return absl::StrCat("\"", field, "\" is not a known field selector: only \"metadata.name\", \"metadata.namespace\"");
}

// The path of a field that the resource lets select.
absl::StatusOr<std::string> FieldPath(const std::string& field, const config::Resource& resource) {
  // Cluster-scoped resources with fields of their own do not know the namespace; those without any do.
  const bool has_namespace =
      resource.namespaced || resource.unknown_field_error == config::UnknownFieldError::kNotKnown;
  if (field == "metadata.name" || (field == "metadata.namespace" && has_namespace)) return field;
  for (const config::SelectableField& declared : resource.fields) {
    if (declared.name == field) return declared.path.empty() ? declared.name : declared.path;
  }
  return absl::InvalidArgumentError(UnknownFieldMessage(field, resource));
}

}  // namespace

absl::StatusOr<std::vector<Requirement>> ParseFieldSelector(absl::string_view text, const config::Resource& resource) {
  std::vector<absl::string_view> parts = SplitTerms(text);
  std::sort(parts.begin(), parts.end());
  std::vector<Term> terms;
  for (const absl::string_view part : parts) {
    if (part.empty()) continue;
    TM_ASSIGN_OR_RETURN(Term term, ParseTerm(text, part));
    terms.push_back(std::move(term));
  }
  // Whether fields are known is asked only when the whole text makes sense.
  std::vector<Requirement> requirements;
  for (Term& term : terms) {
    TM_ASSIGN_OR_RETURN(std::string path, FieldPath(term.field, resource));
    requirements.push_back({Requirement::Source::kField, std::move(path), term.op, {std::move(term.value)}});
  }
  return requirements;
}

std::string ToString(const Requirement& requirement) {
  using Op = Requirement::Op;
  const bool one = requirement.values.size() == 1;
  const std::string values = absl::StrJoin(requirement.values, ",");
  switch (requirement.op) {
    case Op::kExists:
      return requirement.key;
    case Op::kNotExists:
      return absl::StrCat("!", requirement.key);
    case Op::kIn:
      return one ? absl::StrCat(requirement.key, "=", values) : absl::StrCat(requirement.key, " in (", values, ")");
    case Op::kNotIn:
      return one ? absl::StrCat(requirement.key, "!=", values) : absl::StrCat(requirement.key, " notin (", values, ")");
    case Op::kGreater:
      return absl::StrCat(requirement.key, ">", values);
    case Op::kLess:
      return absl::StrCat(requirement.key, "<", values);
  }
  return requirement.key;
}

}  // namespace tidemark::cache
