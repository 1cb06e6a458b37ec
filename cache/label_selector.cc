// The grammar of label selectors. Tokens are symbols and words; "in" and "notin" are operators only where an operator
// is expected.
//
//   selector    = [ requirement { "," requirement } ]
//   requirement = [ "!" ] key | key op value | key ("in" | "notin") "(" values ")"
//   op          = "=" | "==" | "!=" | ">" | "<"
#include <algorithm>
#include <utility>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/status.h"
#include "cache/label_syntax.h"
#include "cache/selector.h"

namespace tidemark::cache {
namespace {

enum class TokenKind { kEnd, kWord, kComma, kOpen, kClose, kNot, kEquals, kDoubleEquals, kNotEquals, kGreater, kLess };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  absl::string_view text;
};

bool IsBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }
bool IsSymbol(char c) { return c == '=' || c == '!' || c == '(' || c == ')' || c == ',' || c == '>' || c == '<'; }

TokenKind SymbolKind(absl::string_view symbol) {
  if (symbol == "==") return TokenKind::kDoubleEquals;
  if (symbol == "!=") return TokenKind::kNotEquals;
  switch (symbol[0]) {
    case '=':
      return TokenKind::kEquals;
    case '!':
      return TokenKind::kNot;
    case '(':
      return TokenKind::kOpen;
    case ')':
      return TokenKind::kClose;
    case '>':
      return TokenKind::kGreater;
    case '<':
      return TokenKind::kLess;
    default:
      return TokenKind::kComma;
  }
}

// Hands out tokens with one of lookahead. A zero byte ends the text where a token may begin, and separates words elsewhere.
class Lexer {
 public:
  explicit Lexer(absl::string_view text) : rest_(text) { ahead_ = Lex(); }
  const Token& Peek() const { return ahead_; }
  Token Take() {
    Token token = ahead_;
    if (token.kind != TokenKind::kEnd) ahead_ = Lex();
    return token;
  }

 private:
  Token Lex() {
    while (!rest_.empty() && IsBlank(rest_.front())) rest_.remove_prefix(1);
    if (rest_.empty() || rest_.front() == '\0') return {};
    if (IsSymbol(rest_.front())) {
      const bool two = rest_.size() > 1 && rest_[1] == '=' && (rest_[0] == '=' || rest_[0] == '!');
      const absl::string_view symbol = Cut(two ? 2 : 1);
      return {SymbolKind(symbol), symbol};
    }
    const auto ends = [](char c) { return c == '\0' || IsBlank(c) || IsSymbol(c); };
    const absl::string_view word =
        Cut(static_cast<size_t>(std::find_if(rest_.begin(), rest_.end(), ends) - rest_.begin()));
    if (!rest_.empty() && rest_.front() == '\0') rest_.remove_prefix(1);
    return {TokenKind::kWord, word};
  }
  absl::string_view Cut(size_t n) {
    const absl::string_view front = rest_.substr(0, n);
    rest_.remove_prefix(n);
    return front;
  }

  absl::string_view rest_;
  Token ahead_;
};

absl::Status Found(const Token& token, absl::string_view expected) {
  return absl::InvalidArgumentError(absl::StrCat("found '", token.text, "'", expected));
}

class Parser {
 public:
  explicit Parser(absl::string_view text) : lexer_(text) {}

  absl::StatusOr<std::vector<Requirement>> Parse() {
    std::vector<Requirement> requirements;
    while (lexer_.Peek().kind != TokenKind::kEnd) {
      if (!BeginsRequirement()) return Found(lexer_.Peek(), ", expected: !, identifier, or 'end of string'");
      absl::StatusOr<Requirement> requirement = ParseRequirement();
      if (!requirement.ok()) {
        return absl::InvalidArgumentError(
            absl::StrCat("unable to parse requirement: ", requirement.status().message()));
      }
      requirements.push_back(*std::move(requirement));
      const Token separator = lexer_.Take();
      if (separator.kind == TokenKind::kEnd) break;
      if (separator.kind != TokenKind::kComma) return Found(separator, ", expected: ',' or 'end of string'");
      if (!BeginsRequirement()) return Found(lexer_.Peek(), ", expected: identifier after ','");
    }
    const auto by_key = [](const Requirement& a, const Requirement& b) { return a.key < b.key; };
    std::stable_sort(requirements.begin(), requirements.end(), by_key);
    return requirements;
  }

 private:
  using Op = Requirement::Op;
  using Values = std::vector<std::string>;

  bool BeginsRequirement() const {
    return lexer_.Peek().kind == TokenKind::kWord || lexer_.Peek().kind == TokenKind::kNot;
  }
  bool AtValueEnd() const { return lexer_.Peek().kind == TokenKind::kEnd || lexer_.Peek().kind == TokenKind::kComma; }

  absl::StatusOr<Requirement> ParseRequirement() {
    Requirement requirement;
    const bool negated = lexer_.Peek().kind == TokenKind::kNot;
    if (negated) lexer_.Take();
    const Token key = lexer_.Take();
    if (key.kind != TokenKind::kWord) return Found(key, ", expected: identifier");
    if (const std::string why = WhyNotLabelKey(key.text); !why.empty()) {
      return absl::InvalidArgumentError(InvalidValueError("<nil>", key.text, why));
    }
    requirement.key = std::string(key.text);
    if (negated || AtValueEnd()) {
      requirement.op = negated ? Op::kNotExists : Op::kExists;
      return requirement;
    }
    bool set = false;
    TM_RETURN_IF_ERROR(ParseOperator(&requirement.op, &set));
    TM_ASSIGN_OR_RETURN(requirement.values, set ? ParseSet() : ParseOne());
    std::sort(requirement.values.begin(), requirement.values.end());
    requirement.values.erase(std::unique(requirement.values.begin(), requirement.values.end()),
                             requirement.values.end());
    TM_RETURN_IF_ERROR(CheckValues(requirement));
    return requirement;
  }

  absl::Status ParseOperator(Op* op, bool* set) {
    const Token token = lexer_.Take();
    *set = token.kind == TokenKind::kWord && (token.text == "in" || token.text == "notin");
    if (*set) {
      *op = token.text == "in" ? Op::kIn : Op::kNotIn;
      return absl::OkStatus();
    }
    switch (token.kind) {
      case TokenKind::kEquals:
      case TokenKind::kDoubleEquals:
        *op = Op::kIn;
        return absl::OkStatus();
      case TokenKind::kNotEquals:
        *op = Op::kNotIn;
        return absl::OkStatus();
      case TokenKind::kGreater:
        *op = Op::kGreater;
        return absl::OkStatus();
      case TokenKind::kLess:
        *op = Op::kLess;
        return absl::OkStatus();
      default:
        return Found(token, ", expected: in, notin, =, ==, !=, gt, lt");
    }
  }

  absl::StatusOr<Values> ParseOne() {
    if (AtValueEnd()) return Values{""};
    const Token token = lexer_.Take();
    if (token.kind != TokenKind::kWord) return Found(token, ", expected: identifier");
    return Values{std::string(token.text)};
  }

  absl::StatusOr<Values> ParseSet() {
    const Token open = lexer_.Take();
    if (open.kind != TokenKind::kOpen) return Found(open, " expected: '('");
    const TokenKind next = lexer_.Peek().kind;
    if (next != TokenKind::kWord && next != TokenKind::kComma && next != TokenKind::kClose) {
      return Found(lexer_.Peek(), ", expected: ',', ')' or identifier");
    }
    Values values;
    while (lexer_.Peek().kind != TokenKind::kClose) TM_RETURN_IF_ERROR(ParseMember(&values));
    lexer_.Take();
    if (values.empty()) values.push_back("");
    return values;
  }

  // A word, or a comma with what it stands for: a missing word at the begin, at the end, or before another comma is "".
  absl::Status ParseMember(Values* values) {
    const Token token = lexer_.Take();
    if (token.kind == TokenKind::kWord) {
      values->push_back(std::string(token.text));
      const TokenKind next = lexer_.Peek().kind;
      if (next == TokenKind::kComma || next == TokenKind::kClose) return absl::OkStatus();
      return Found(lexer_.Peek(), ", expected: ',' or ')'");
    }
    if (token.kind != TokenKind::kComma) return Found(token, ", expected: ',', or identifier");
    if (values->empty()) values->push_back("");
    const TokenKind next = lexer_.Peek().kind;
    if (next == TokenKind::kClose) values->push_back("");
    if (next != TokenKind::kComma) return absl::OkStatus();
    lexer_.Take();
    values->push_back("");
    // What follows two commas must be a word or another comma.
    return lexer_.Peek().kind == TokenKind::kClose ? Found(lexer_.Peek(), ", expected: ',', or identifier")
                                                   : absl::OkStatus();
  }

  // Lists everything that is wrong with the values.
  static absl::Status CheckValues(const Requirement& requirement) {
    std::vector<std::string> errors;
    if (requirement.op == Op::kGreater || requirement.op == Op::kLess) {
      const std::string& value = requirement.values[0];
      if (!ParseInt64(value)) {
        errors.push_back(
            InvalidValueError("values[0]", value, "for 'Gt', 'Lt' operators, the value must be an integer"));
      }
    }
    for (size_t i = 0; i < requirement.values.size(); ++i) {
      const std::string why = WhyNotLabelValue(requirement.values[i]);
      if (why.empty()) continue;
      const std::string path = absl::StrCat("values[", i, "][", requirement.key, "]");
      errors.push_back(InvalidValueError(path, requirement.values[i], why));
    }
    if (errors.empty()) return absl::OkStatus();
    if (errors.size() == 1) return absl::InvalidArgumentError(errors[0]);
    return absl::InvalidArgumentError(absl::StrCat("[", absl::StrJoin(errors, ", "), "]"));
  }

  Lexer lexer_;
};

}  // namespace

absl::StatusOr<std::vector<Requirement>> ParseLabelSelector(absl::string_view text) { return Parser(text).Parse(); }

}  // namespace tidemark::cache
