#include "net/request_target.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_split.h"

namespace tidemark::net {
namespace {

int EscapeDigit(char c) {
  if (absl::ascii_isdigit(static_cast<unsigned char>(c))) return c - '0';
  if (absl::ascii_isxdigit(static_cast<unsigned char>(c)))
    return absl::ascii_tolower(static_cast<unsigned char>(c)) - 'a' + 10;
  return -1;
}

// Drops the scheme and the authority of an absolute form.
absl::string_view OriginForm(absl::string_view target) {
  if (target.empty() || target.front() == '/' || target == "*") return target;
  const size_t authority = target.find("//");
  if (authority == absl::string_view::npos) return target;
  const size_t path = target.find_first_of("/?", authority + 2);
  return path == absl::string_view::npos ? "/" : target.substr(path);
}

void AddQueryPart(absl::string_view part, Request* request) {
  if (part.empty() || part.find(';') != absl::string_view::npos) return;
  const size_t equals = part.find('=');
  const absl::string_view name = part.substr(0, equals);
  const absl::string_view value = equals == absl::string_view::npos ? absl::string_view() : part.substr(equals + 1);
  std::pair<std::string, std::string> decoded;
  if (DecodePercent(name, PercentForm::kQuery, &decoded.first) &&
      DecodePercent(value, PercentForm::kQuery, &decoded.second)) {
    request->query.push_back(std::move(decoded));
  }
}

}  // namespace

bool DecodePercent(absl::string_view text, PercentForm form, std::string* decoded) {
  decoded->clear();
  decoded->reserve(text.size());
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '+' && form == PercentForm::kQuery) {
      decoded->push_back(' ');
    } else if (text[i] != '%') {
      decoded->push_back(text[i]);
    } else {
      if (i + 2 >= text.size()) return false;
      const int high = EscapeDigit(text[i + 1]), low = EscapeDigit(text[i + 2]);
      if (high < 0 || low < 0) return false;
      decoded->push_back(static_cast<char>(high * 16 + low));
      i += 2;
    }
  }
  return true;
}

void SplitTarget(absl::string_view target, Request* request) {
  target = OriginForm(target);
  const size_t question = target.find('?');
  request->path = std::string(target.substr(0, question));
  if (request->path.empty()) request->path = "/";
  request->target = target.empty() || target.front() != '?' ? std::string(target) : "/" + std::string(target);
  if (question == absl::string_view::npos) return;
  for (const absl::string_view part : absl::StrSplit(target.substr(question + 1), '&')) AddQueryPart(part, request);
}

}  // namespace tidemark::net
