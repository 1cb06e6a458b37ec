#include "config/text_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <memory>

#include "absl/strings/str_cat.h"
#include "base/status.h"

namespace tidemark::config {
namespace {

constexpr size_t kPieceBytes = 64 << 10;

absl::Status CannotRead(absl::string_view name, absl::string_view why) {
  return absl::InvalidArgumentError(absl::StrCat("cannot read ", name, why));
}

}  // namespace

absl::Status CheckReadableFile(const std::string& path) {
  if (::access(path.c_str(), R_OK) != 0) return CannotRead(path, "");
  struct stat status {};
  const bool directory = ::stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode);
  return directory ? CannotRead(path, ": it is a directory") : absl::OkStatus();
}

absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t bytes_max) {
  TM_RETURN_IF_ERROR(CheckReadableFile(path));
  std::ifstream file(path, std::ios::binary);
  if (!file) return CannotRead(path, "");
  return ReadTextStream(file, path, bytes_max);
}

absl::StatusOr<std::string> ReadTextStream(std::istream& in, absl::string_view name, size_t bytes_max) {
  // read() says by bad() what an iterator over the buffer would throw.
  const std::unique_ptr<char[]> piece(new char[kPieceBytes]);
  std::string text;
  while (in) {
    in.read(piece.get(), kPieceBytes);
    text.append(piece.get(), static_cast<size_t>(in.gcount()));
    if (text.size() > bytes_max) {
      return absl::InvalidArgumentError(absl::StrCat(name, " is larger than ", bytes_max >> 20, " MB"));
    }
  }
  if (in.bad()) return CannotRead(name, "");
  return text;
}

}  // namespace tidemark::config
