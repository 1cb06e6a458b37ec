// RunProgram is `tidemark`: it finds the command and runs it to its end.
//
//   tidemark COMMAND [flags]      tidemark --help      tidemark --version
//
// Thread-safety: called once, by the main thread, before any other thread exists.
// Errors:        every failure is one line on stderr and the exit status that its cause has.
#ifndef TIDEMARK_CMD_PROGRAM_H_
#define TIDEMARK_CMD_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "config/options.h"

namespace tidemark::cmd {

enum ExitStatus {
  kExitOk = 0,
  kExitFailed = 1,       // something went wrong on the way: a port in use, a disk that does not write
  kExitUsage = 2,        // the command line; nothing has been opened
  kExitStoreTooOld = 3,  // the version guard refused
};

// Of the project in CMakeLists.txt.
extern const absl::string_view kVersion;

// `arguments` without the program's name.
int RunProgram(const std::vector<std::string>& arguments);

// The commands. Options are complete and checked; the log is set up.
int RunStore(const config::StoreOptions& options);
int RunCache(const config::CacheOptions& options);
int RunUp(const config::UpOptions& options);
int RunLoad(const config::LoadOptions& options);

// One line on stderr, and kExitUsage. REQUIRES: nothing has been opened.
int Refuse(absl::string_view command, absl::string_view message);
// One line on stderr, and kExitFailed.
int Fail(absl::string_view command, const absl::Status& status);
// One line on stdout, at once.
void Say(absl::string_view line);

}  // namespace tidemark::cmd

#endif  // TIDEMARK_CMD_PROGRAM_H_
