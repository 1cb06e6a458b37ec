// FlagSet reads the settings of one command. A setting comes from, first found: the command line, the
// environment (TIDEMARK_ and the name in capitals, '-' as '_'), the file of --config-file (JSON or YAML,
// names as keys), its default.
//
//   FlagSet flags("up", "store and cache in one process");
//   flags.Duration("read-wait-max", &options.read_wait_max, absl::Milliseconds(1), absl::Minutes(1), "longest wait ...");
//   absl::Status status = flags.Parse(arguments, ProcessEnvironment());
//
// Accepted: --name=value, --name value, repeated (the last one counts; a list grows), a bare --name for a boolean.
//
// Thread-safety: thread-compatible.
// Ownership:     the caller keeps the targets alive; what they hold at registration is the default that Help shows.
// Errors:        kInvalidArgument; the message names the flag, and the variable or the file that it came from.
#ifndef TIDEMARK_CONFIG_FLAGS_H_
#define TIDEMARK_CONFIG_FLAGS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"

namespace tidemark::config {

using Environment = std::map<std::string, std::string>;
// The variables of this process.
Environment ProcessEnvironment();

// "--flag: message", for what is wrong with a value that Parse has taken.
absl::Status FlagError(absl::string_view flag, absl::string_view message);

class FlagSet {
 public:
  FlagSet(absl::string_view command, absl::string_view summary);

  void String(absl::string_view name, std::string* value, absl::string_view help);
  void Bool(absl::string_view name, bool* value, absl::string_view help);
  void Int(absl::string_view name, int64_t* value, int64_t min, int64_t max, absl::string_view help);
  // A number, with KB, MB or GB (powers of 1024) or without.
  void Bytes(absl::string_view name, int64_t* value, int64_t min, int64_t max, absl::string_view help);
  // "100ms", "10m", "1h30m".
  void Duration(absl::string_view name, absl::Duration* value, absl::Duration min, absl::Duration max,
                absl::string_view help);
  void Choice(absl::string_view name, std::string* value, std::vector<std::string> choices, absl::string_view help);
  // Separated by commas; the flag may be repeated.
  void List(absl::string_view name, std::vector<std::string>* value, absl::string_view help);
  // What stands on the command line without a flag; `placeholder` is what the usage line shows.
  void Positional(absl::string_view placeholder, std::vector<std::string>* values);
  // A second prefix of the environment, asked after TIDEMARK_: "ETCD_". An empty value counts as none.
  void AlsoEnvironment(absl::string_view prefix);

  // `arguments` are those after the command. Targets change only as far as parsing came.
  absl::Status Parse(const std::vector<std::string>& arguments, const Environment& environment);
  // --help or -h was given; nothing else was parsed then.
  bool help_requested() const { return help_requested_; }
  // The flag got a value from somewhere other than its default.
  bool IsSet(absl::string_view name) const;
  std::string Help() const;

 private:
  struct Flag {
    std::string name;
    std::string unit;  // what the value is, for Help: "duration", "a|b"
    std::string help;
    std::string default_text;
    bool boolean = false;
    bool list = false;
    // Takes every value given at one source. Not called when the default stands.
    std::function<absl::Status(const std::vector<std::string>&)> assign;
    std::vector<std::string> given;
    std::string given_by;  // "--name", "TIDEMARK_NAME", "name in FILE"; empty: the default stands
  };

  void Add(Flag flag);
  Flag* Find(absl::string_view name);
  const Flag* Find(absl::string_view name) const;
  absl::Status ReadArguments(const std::vector<std::string>& arguments);
  void ReadEnvironment(const Environment& environment);
  absl::Status ReadFile();

  const std::string command_;
  const std::string summary_;
  std::string config_file_;
  std::vector<std::string> environment_prefixes_ = {"TIDEMARK_"};
  std::vector<Flag> flags_;
  std::string placeholder_;
  std::vector<std::string>* positional_ = nullptr;
  bool help_requested_ = false;
};

}  // namespace tidemark::config

#endif  // TIDEMARK_CONFIG_FLAGS_H_
