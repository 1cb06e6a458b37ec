#include <cmath>
#include <cstdint>
#include <iterator>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/status.h"
#include "crd/json_path.h"
#include "crd/quoted_text.h"

namespace tidemark::crd {
namespace {

// Filters and unions hold paths: how deep they may.
constexpr int kPathDepthMax = 20;

bool EndsName(char c) { return absl::StrContains(" \t\r\n.,[]$@{}", c); }
bool IsOperator(char c) { return absl::StrContains("!<>=", c); }
// A letter of any script, roughly.
bool BeginsWord(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return absl::ascii_isalnum(byte) || byte == '_' || byte >= 0x80;
}
bool IsQuote(char c) { return c == '"' || c == '\''; }

absl::Status BadPath(absl::string_view why) { return absl::InvalidArgumentError(absl::StrCat("JSON path: ", why)); }

}  // namespace

// Takes a path apart, from left to right.
class JsonPathParser {
 public:
  JsonPathParser(absl::string_view text, int depth) : rest_(text), depth_(depth) {}

  absl::StatusOr<JsonPath> Parse() {
    if (depth_ > kPathDepthMax) return BadPath("it is nested too deeply");
    while (!rest_.empty() && rest_.front() != '}') TM_RETURN_IF_ERROR(ParseStep());
    return std::move(path_);
  }

 private:
  using Step = JsonPath::Step;

  absl::Status ParseStep() {
    if (absl::StartsWith(rest_, "[?(")) return ParseFilter();
    if (absl::ConsumePrefix(&rest_, "..")) return ParseRecursive();
    const char c = rest_.front();
    if (c == '.') {
      rest_.remove_prefix(1);
      return ParseField();
    }
    if (c == '[') return ParseBrackets();
    if (IsQuote(c)) return ParseQuoted();
    if (c == '+' || c == '-' || absl::ascii_isdigit(static_cast<unsigned char>(c))) return ParseNumber();
    if (c == ' ' || c == '@' || c == '$') {
      rest_.remove_prefix(1);
      return absl::OkStatus();
    }
    return ParseWord();
  }

  void Add(Step step) { path_.steps_.push_back(std::move(step)); }

  absl::Status ParseField() {
    std::string name;
    size_t end = 0;
    for (; end < rest_.size() && !EndsName(rest_[end]); ++end) {
      if (rest_[end] == '\\' && end + 1 < rest_.size()) ++end;
      name.push_back(rest_[end]);
    }
    rest_.remove_prefix(end);
    Add(name == "*" ? Step{.type = Step::Type::kWildcard} : Step{.type = Step::Type::kField, .name = std::move(name)});
    return absl::OkStatus();
  }

  absl::Status ParseRecursive() {
    if (!path_.steps_.empty() && path_.steps_.back().type == Step::Type::kRecursive)
      return BadPath("two \"..\" together");
    Add({.type = Step::Type::kRecursive});
    const bool named = !rest_.empty() && (absl::ascii_isalnum(static_cast<unsigned char>(rest_[0])) || rest_[0] == '_');
    return named ? ParseField() : absl::OkStatus();
  }

  absl::Status ParseBrackets() {
    const size_t end = rest_.find(']');
    if (end == absl::string_view::npos) return BadPath("a bracket is not closed");
    absl::string_view inside = rest_.substr(1, end - 1);
    rest_.remove_prefix(end + 1);
    if (inside == "*") inside = ":";
    const std::vector<absl::string_view> parts = absl::StrSplit(inside, ',');
    if (parts.size() > 1) {
      Step all{.type = Step::Type::kUnion};
      for (const absl::string_view part : parts) {
        TM_ASSIGN_OR_RETURN(JsonPath path, Inner(absl::StrCat("[", absl::StripAsciiWhitespace(part), "]")));
        all.paths.push_back(std::move(path));
      }
      Add(std::move(all));
      return absl::OkStatus();
    }
    const bool quoted = inside.size() >= 2 && inside.front() == '\'' && inside.back() == '\'';
    if (!quoted) return ParseSlice(inside);
    TM_ASSIGN_OR_RETURN(JsonPath path, Inner(absl::StrCat(".", inside.substr(1, inside.size() - 2))));
    path_.steps_.insert(path_.steps_.end(), std::make_move_iterator(path.steps_.begin()),
                        std::make_move_iterator(path.steps_.end()));
    return absl::OkStatus();
  }

  absl::Status ParseSlice(absl::string_view inside) {
    const std::vector<absl::string_view> parts = absl::StrSplit(inside, ':');
    if (parts.size() > 3) return BadPath(absl::StrCat("invalid array index ", inside));
    JsonPath::Slice slice;
    int32_t numbers[3] = {0, 0, 1};
    for (size_t i = 0; i < parts.size(); ++i) {
      if (!parts[i].empty() && !absl::SimpleAtoi(parts[i], &numbers[i])) {
        return BadPath(absl::StrCat("invalid array index ", inside));
      }
    }
    slice.begin = numbers[0];
    slice.begin_known = !parts[0].empty();
    slice.end_derived = parts.size() == 1;
    slice.end = slice.end_derived ? slice.begin + 1 : numbers[1];
    slice.end_known = slice.end_derived || !parts[1].empty();
    slice.step = numbers[2];
    Add({.type = Step::Type::kSlice, .slice = slice});
    return absl::OkStatus();
  }

  // Where the filter that begins the rest ends: behind its ")"; npos when it does not.
  size_t EndOfFilter() const {
    char quote = 0;
    for (size_t i = 3; i < rest_.size(); ++i) {
      if (quote != 0) {
        if (rest_[i] == quote && rest_[i - 1] != '\\') quote = 0;
      } else if (IsQuote(rest_[i])) {
        quote = rest_[i];
      } else if (rest_[i] == ')') {
        return i + 1;
      }
    }
    return absl::string_view::npos;
  }

  absl::Status ParseFilter() {
    const size_t end = EndOfFilter();
    if (end == absl::string_view::npos) return BadPath("a filter is not closed");
    const absl::string_view text = rest_.substr(3, end - 4);
    rest_.remove_prefix(end);
    if (!absl::ConsumePrefix(&rest_, "]")) return BadPath("a filter's bracket is not closed");
    size_t op = 0;
    while (op < text.size() && !IsOperator(text[op])) ++op;
    size_t right = op;
    while (right < text.size() && IsOperator(text[right])) ++right;
    Step filter{.type = Step::Type::kFilter};
    const bool compares = op > 0 && right > op && right < text.size();
    TM_ASSIGN_OR_RETURN(JsonPath left, Inner(compares ? text.substr(0, op) : text));
    filter.paths.push_back(std::move(left));
    if (compares) {
      filter.op = std::string(text.substr(op, right - op));
      TM_ASSIGN_OR_RETURN(JsonPath other, Inner(text.substr(right)));
      filter.paths.push_back(std::move(other));
    }
    Add(std::move(filter));
    return absl::OkStatus();
  }

  absl::Status ParseQuoted() {
    const char quote = rest_.front();
    size_t end = 1;
    while (end < rest_.size() && (rest_[end] != quote || rest_[end - 1] == '\\')) ++end;
    if (end >= rest_.size()) return BadPath("a quoted text is not closed");
    TM_ASSIGN_OR_RETURN(std::string text, Unquoted(rest_.substr(1, end - 1), quote));
    rest_.remove_prefix(end + 1);
    Add({.type = Step::Type::kLiteral, .literal = std::move(text)});
    return absl::OkStatus();
  }

  absl::Status ParseNumber() {
    size_t end = 1;
    while (end < rest_.size() && (absl::ascii_isdigit(static_cast<unsigned char>(rest_[end])) || rest_[end] == '.'))
      ++end;
    const absl::string_view digits = rest_.substr(0, end);
    rest_.remove_prefix(end);
    int64_t whole = 0;
    double real = 0;
    if (absl::SimpleAtoi(digits, &whole)) {
      Add({.type = Step::Type::kLiteral, .literal = whole});
    } else if (absl::SimpleAtod(digits, &real) && std::isfinite(real)) {  // too many digits read as infinite
      Add({.type = Step::Type::kLiteral, .literal = real});
    } else {
      return BadPath(absl::StrCat("cannot parse number ", digits));
    }
    return absl::OkStatus();
  }

  absl::Status ParseWord() {
    size_t end = 0;
    while (end < rest_.size() && !EndsName(rest_[end])) ++end;
    const absl::string_view word = rest_.substr(0, end);
    if (end == 0 || !BeginsWord(word[0])) return BadPath(absl::StrCat("unexpected ", rest_.substr(0, end + 1)));
    rest_.remove_prefix(end);
    const bool is_bool = word == "true" || word == "false";
    Add(is_bool ? Step{.type = Step::Type::kLiteral, .literal = word == "true"} : Step{.type = Step::Type::kWord});
    return absl::OkStatus();
  }

  absl::StatusOr<JsonPath> Inner(absl::string_view text) const { return JsonPathParser(text, depth_ + 1).Parse(); }

  absl::string_view rest_;
  const int depth_;
  JsonPath path_;
};

absl::StatusOr<JsonPath> JsonPath::Parse(absl::string_view text) { return JsonPathParser(text, 0).Parse(); }

}  // namespace tidemark::crd
