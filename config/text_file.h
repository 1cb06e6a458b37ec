// Files that a command line names: whole texts, read at once and within a limit.
//
// Thread-safety: pure, but for reading the file.
// Errors:        kInvalidArgument that names the file: missing, a directory, too big, or broken while it was read.
//                Nothing throws.
#ifndef TIDEMARK_CONFIG_TEXT_FILE_H_
#define TIDEMARK_CONFIG_TEXT_FILE_H_

#include <cstddef>
#include <istream>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"

namespace tidemark::config {

// OK for what can be opened and read: a file, a pipe, a device. Opens nothing.
absl::Status CheckReadableFile(const std::string& path);

absl::StatusOr<std::string> ReadTextFile(const std::string& path, size_t bytes_max);
// The rest of `in`, which errors call `name`.
absl::StatusOr<std::string> ReadTextStream(std::istream& in, absl::string_view name, size_t bytes_max);

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_TEXT_FILE_H_
