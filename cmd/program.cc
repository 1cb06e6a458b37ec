#include "cmd/program.h"

#include <grpc/support/log.h>

#include <cstdio>

#include "absl/strings/str_cat.h"
#include "base/heap.h"
#include "base/log.h"
#include "store/server/member.h"

namespace tidemark::cmd {
namespace {

constexpr absl::string_view kHelp =
    "tidemark: a mirror of Kubernetes objects in an etcd v3 store, which answers LIST, GET and WATCH\n"
    "\n"
    "  tidemark up      store and cache in one process\n"
    "  tidemark cache   the sidecar: mirrors a store and answers HTTP\n"
    "  tidemark store   one member of the bundled store, which speaks etcd v3\n"
    "  tidemark load    writes manifests, or made pods and nodes, into a store\n"
    "\n"
    "tidemark COMMAND --help lists the command's flags.\n";

// gRPC tells its own story on stderr; what matters of it comes back as an error.
void ForwardGrpcLog(gpr_log_func_args* args) { Log(LogLevel::kDebug, args->message); }

// Reads the command line by `parse` and goes on with `run`.
template <typename Options, typename LogOf>
int RunCommand(absl::string_view name, const absl::StatusOr<config::Invocation<Options>>& invocation, LogOf log_of,
               int (*run)(const Options&)) {
  if (!invocation.ok()) return Refuse(name, invocation.status().message());
  if (!invocation->help.empty()) {
    std::fputs(invocation->help.c_str(), stdout);
    return kExitOk;
  }
  const config::LogOptions& log = log_of(invocation->options);
  SetLogFormat(log.format);
  SetLogLevel(log.level);
  gpr_set_log_function(&ForwardGrpcLog);
  LimitFreedMemory();
  return run(invocation->options);
}

}  // namespace

constinit const absl::string_view kVersion = TIDEMARK_VERSION;

int Refuse(absl::string_view command, absl::string_view message) {
  std::fputs(absl::StrCat("tidemark", command.empty() ? "" : " ", command, ": ", message, "\n").c_str(), stderr);
  return kExitUsage;
}

int Fail(absl::string_view command, const absl::Status& status) {
  std::fputs(absl::StrCat("tidemark ", command, ": ", status.message(), "\n").c_str(), stderr);
  return kExitFailed;
}

void Say(absl::string_view line) {
  std::fputs(absl::StrCat(line, "\n").c_str(), stdout);
  std::fflush(stdout);
}

int RunProgram(const std::vector<std::string>& arguments) {
  if (arguments.empty()) return Refuse("", "a command is wanted: up, cache, store or load; see --help");
  const std::string& command = arguments[0];
  const std::vector<std::string> rest(arguments.begin() + 1, arguments.end());
  if (command == "--version") {
    Say(absl::StrCat("tidemark ", kVersion));
    return kExitOk;
  }
  if (command == "--help" || command == "-h" || command == "help") {
    std::fputs(kHelp.data(), stdout);
    return kExitOk;
  }
  if (command == "store" && rest == std::vector<std::string>{"--version"}) {
    Say(absl::StrCat("etcd Version: ", store::kApiVersion, "\nTidemark Version: ", kVersion));
    return kExitOk;
  }
  const config::Environment environment = config::ProcessEnvironment();
  const auto own_log = [](const auto& options) -> const config::LogOptions& { return options.log; };
  if (command == "store") return RunCommand(command, config::ParseStore(rest, environment), own_log, RunStore);
  if (command == "cache") return RunCommand(command, config::ParseCache(rest, environment), own_log, RunCache);
  if (command == "load") return RunCommand(command, config::ParseLoad(rest, environment), own_log, RunLoad);
  if (command == "up") {
    const auto store_log = [](const auto& options) -> const config::LogOptions& { return options.store.log; };
    return RunCommand(command, config::ParseUp(rest, environment), store_log, RunUp);
  }
  return Refuse("", absl::StrCat("unknown command \"", command, "\": up, cache, store or load is wanted; see --help"));
}

}  // namespace tidemark::cmd
