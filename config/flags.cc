#include "config/flags.h"

#include <unistd.h>

#include <algorithm>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "base/check.h"
#include "base/status.h"
#include "config/text_file.h"
#include "config/yaml.h"

namespace tidemark::config {
namespace {

// Settings are written by hand; a bigger file is the wrong file.
constexpr size_t kSettingsFileBytesMax = 1 << 20;

absl::Status Invalid(absl::string_view message) { return absl::InvalidArgumentError(message); }

std::string VariableName(absl::string_view prefix, absl::string_view flag) {
  return absl::StrCat(prefix, absl::AsciiStrToUpper(absl::StrReplaceAll(flag, {{"-", "_"}})));
}

absl::StatusOr<int64_t> ParseBytes(absl::string_view text) {
  static constexpr std::pair<absl::string_view, int64_t> kUnits[] = {{"KB", 1 << 10}, {"MB", 1 << 20}, {"GB", 1 << 30}};
  int64_t factor = 1;
  for (const auto& [unit, size] : kUnits) {
    if (!absl::ConsumeSuffix(&text, unit)) continue;
    factor = size;
    break;
  }
  int64_t value = 0;
  if (!absl::SimpleAtoi(text, &value) || value < 0 || value > INT64_MAX / factor) {
    return Invalid("a number of bytes is wanted, with KB, MB or GB or without");
  }
  return value * factor;
}

std::string BytesText(int64_t bytes) {
  if (bytes != 0 && bytes % (1 << 30) == 0) return absl::StrCat(bytes >> 30, "GB");
  if (bytes != 0 && bytes % (1 << 20) == 0) return absl::StrCat(bytes >> 20, "MB");
  if (bytes != 0 && bytes % (1 << 10) == 0) return absl::StrCat(bytes >> 10, "KB");
  return absl::StrCat(bytes);
}

absl::Status AssignBool(absl::string_view text, bool* value) {
  // Go's words, which etcd's and Kubernetes' command lines may have.
  static constexpr absl::string_view kTrue[] = {"true", "1", "t", "T", "TRUE", "True"};
  static constexpr absl::string_view kFalse[] = {"false", "0", "f", "F", "FALSE", "False"};
  const auto is_one_of = [text](const auto& words) {
    return std::find(std::begin(words), std::end(words), text) != std::end(words);
  };
  if (!is_one_of(kTrue) && !is_one_of(kFalse)) return Invalid("true or false is wanted");
  *value = is_one_of(kTrue);
  return absl::OkStatus();
}

template <typename T>
absl::Status AssignInRange(absl::StatusOr<T> parsed, T min, T max, const std::string& range, T* value) {
  if (!parsed.ok()) return parsed.status();
  if (*parsed < min || *parsed > max) return Invalid(absl::StrCat("it must lie within ", range));
  *value = *parsed;
  return absl::OkStatus();
}

absl::StatusOr<Settings> ReadSettingsFile(const std::string& path) {
  TM_ASSIGN_OR_RETURN(const std::string text, ReadTextFile(path, kSettingsFileBytesMax));
  absl::StatusOr<Settings> settings = ParseSettings(text);
  if (!settings.ok()) return Invalid(absl::StrCat(path, ": ", settings.status().message()));
  return *std::move(settings);
}

}  // namespace

absl::Status FlagError(absl::string_view flag, absl::string_view message) {
  return Invalid(absl::StrCat("--", flag, ": ", message));
}

Environment ProcessEnvironment() {
  Environment environment;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::pair<std::string, std::string> pair = absl::StrSplit(*entry, absl::MaxSplits('=', 1));
    environment.insert(pair);
  }
  return environment;
}

FlagSet::FlagSet(absl::string_view command, absl::string_view summary) : command_(command), summary_(summary) {
  String("config-file", &config_file_, "read settings from this file: JSON, or YAML with flag names as keys");
}

void FlagSet::Add(Flag flag) {
  TM_CHECK(Find(flag.name) == nullptr) << "flag --" << flag.name << " twice";
  flags_.push_back(std::move(flag));
}

void FlagSet::String(absl::string_view name, std::string* value, absl::string_view help) {
  Add({.name = std::string(name),
       .unit = "text",
       .help = std::string(help),
       .default_text = *value,
       .assign = [value](const auto& texts) { return *value = texts.back(), absl::OkStatus(); }});
}

void FlagSet::Bool(absl::string_view name, bool* value, absl::string_view help) {
  Add({.name = std::string(name),
       .help = std::string(help),
       .default_text = *value ? "true" : "false",
       .boolean = true,
       .assign = [value](const auto& texts) { return AssignBool(texts.back(), value); }});
}

void FlagSet::Int(absl::string_view name, int64_t* value, int64_t min, int64_t max, absl::string_view help) {
  Add({.name = std::string(name),
       .unit = "number",
       .help = std::string(help),
       .default_text = absl::StrCat(*value),
       .assign = [=](const auto& texts) {
         int64_t parsed = 0;
         if (!absl::SimpleAtoi(texts.back(), &parsed)) return Invalid("a number is wanted");
         return AssignInRange<int64_t>(parsed, min, max, absl::StrCat(min, " to ", max), value);
       }});
}

void FlagSet::Bytes(absl::string_view name, int64_t* value, int64_t min, int64_t max, absl::string_view help) {
  Add({.name = std::string(name),
       .unit = "bytes",
       .help = std::string(help),
       .default_text = BytesText(*value),
       .assign = [=](const auto& texts) {
         return AssignInRange(ParseBytes(texts.back()), min, max, absl::StrCat(BytesText(min), " to ", BytesText(max)),
                              value);
       }});
}

void FlagSet::Duration(absl::string_view name, absl::Duration* value, absl::Duration min, absl::Duration max,
                       absl::string_view help) {
  Add({.name = std::string(name),
       .unit = "duration",
       .help = std::string(help),
       .default_text = absl::FormatDuration(*value),
       .assign = [=](const auto& texts) {
         absl::Duration parsed;
         if (!absl::ParseDuration(texts.back(), &parsed)) return Invalid("a duration is wanted, such as 100ms or 10m");
         return AssignInRange<absl::Duration>(
             parsed, min, max, absl::StrCat(absl::FormatDuration(min), " to ", absl::FormatDuration(max)), value);
       }});
}

void FlagSet::Choice(absl::string_view name, std::string* value, std::vector<std::string> choices,
                     absl::string_view help) {
  const std::string words = absl::StrJoin(choices, "|");
  Add({.name = std::string(name),
       .unit = words,
       .help = std::string(help),
       .default_text = *value,
       .assign = [value, choices = std::move(choices)](const auto& texts) {
         for (const std::string& choice : choices) {
           if (texts.back() == choice) return *value = choice, absl::OkStatus();
         }
         return Invalid(absl::StrCat("it must be one of ", absl::StrJoin(choices, ", ")));
       }});
}

void FlagSet::List(absl::string_view name, std::vector<std::string>* value, absl::string_view help) {
  Add({.name = std::string(name),
       .unit = "list",
       .help = std::string(help),
       .default_text = absl::StrJoin(*value, ","),
       .list = true,
       .assign = [value](const auto& texts) {
         value->clear();
         for (const std::string& text : texts) {
           for (absl::string_view item : absl::StrSplit(text, ',', absl::SkipWhitespace())) {
             value->emplace_back(absl::StripAsciiWhitespace(item));
           }
         }
         return absl::OkStatus();
       }});
}

void FlagSet::Positional(absl::string_view placeholder, std::vector<std::string>* values) {
  placeholder_ = std::string(placeholder);
  positional_ = values;
}

void FlagSet::AlsoEnvironment(absl::string_view prefix) { environment_prefixes_.emplace_back(prefix); }

FlagSet::Flag* FlagSet::Find(absl::string_view name) {
  return const_cast<Flag*>(static_cast<const FlagSet*>(this)->Find(name));
}

const FlagSet::Flag* FlagSet::Find(absl::string_view name) const {
  for (const Flag& flag : flags_) {
    if (flag.name == name) return &flag;
  }
  return nullptr;
}

bool FlagSet::IsSet(absl::string_view name) const {
  const Flag* const flag = Find(name);
  return flag != nullptr && !flag->given_by.empty();
}

absl::Status FlagSet::ReadArguments(const std::vector<std::string>& arguments) {
  for (size_t i = 0; i < arguments.size(); ++i) {
    absl::string_view argument = arguments[i];
    if (!absl::ConsumePrefix(&argument, "--")) {
      if (argument.size() > 1 && argument[0] == '-') return Invalid(absl::StrCat("unknown flag ", argument));
      if (positional_ == nullptr) return Invalid(absl::StrCat("unexpected argument \"", argument, "\""));
      positional_->emplace_back(argument);
      continue;
    }
    const size_t equals = argument.find('=');
    Flag* const flag = Find(argument.substr(0, equals));
    if (flag == nullptr) return Invalid(absl::StrCat("unknown flag --", argument.substr(0, equals)));
    flag->given_by = absl::StrCat("--", flag->name);
    if (equals != absl::string_view::npos) {
      flag->given.emplace_back(argument.substr(equals + 1));
    } else if (flag->boolean) {
      flag->given.emplace_back("true");
    } else if (i + 1 < arguments.size()) {
      flag->given.push_back(arguments[++i]);
    } else {
      return Invalid(absl::StrCat("--", flag->name, " needs a value"));
    }
  }
  return absl::OkStatus();
}

void FlagSet::ReadEnvironment(const Environment& environment) {
  for (Flag& flag : flags_) {
    for (const std::string& prefix : environment_prefixes_) {
      const std::string variable = VariableName(prefix, flag.name);
      const auto found = environment.find(variable);
      if (found == environment.end() || !flag.given_by.empty()) continue;
      const bool own = prefix == environment_prefixes_.front();
      if (!own && found->second.empty()) continue;  // as etcd takes it: not set
      flag.given_by = variable;
      flag.given = {found->second};
    }
  }
}

absl::Status FlagSet::ReadFile() {
  TM_ASSIGN_OR_RETURN(auto settings, ReadSettingsFile(config_file_));
  for (auto& [name, values] : settings) {
    Flag* const flag = Find(name);
    if (flag == nullptr) return Invalid(absl::StrCat(config_file_, ": unknown setting \"", name, "\""));
    if (!flag->list && values.size() > 1) return Invalid(absl::StrCat(config_file_, ": ", name, " takes one value"));
    if (!flag->given_by.empty() || values.empty()) continue;
    flag->given_by = absl::StrCat(name, " in ", config_file_);
    flag->given = std::move(values);
  }
  return absl::OkStatus();
}

absl::Status FlagSet::Parse(const std::vector<std::string>& arguments, const Environment& environment) {
  for (const std::string& argument : arguments) {
    if (argument == "--help" || argument == "-h") {
      help_requested_ = true;
      return absl::OkStatus();
    }
  }
  TM_RETURN_IF_ERROR(ReadArguments(arguments));
  ReadEnvironment(environment);
  if (const Flag* const file = Find("config-file"); !file->given.empty()) {
    config_file_ = file->given.back();
    TM_RETURN_IF_ERROR(ReadFile());
  }
  for (const Flag& flag : flags_) {
    if (flag.given_by.empty()) continue;
    const absl::Status status = flag.assign(flag.given);
    if (!status.ok()) {
      return Invalid(absl::StrCat(flag.given_by, ": \"", absl::StrJoin(flag.given, ","), "\": ", status.message()));
    }
  }
  return absl::OkStatus();
}

std::string FlagSet::Help() const {
  std::string text = absl::StrCat("tidemark ", command_, ": ", summary_, "\n\nusage: tidemark ", command_, " [flags]",
                                  placeholder_.empty() ? "" : " ", placeholder_, "\n\n");
  for (const Flag& flag : flags_) {
    absl::StrAppend(&text, "  --", flag.name, flag.unit.empty() ? "" : absl::StrCat(" <", flag.unit, ">"), "\n      ",
                    flag.help);
    if (!flag.default_text.empty()) absl::StrAppend(&text, " (default ", flag.default_text, ")");
    absl::StrAppend(&text, "\n");
  }
  absl::StrAppend(&text, "\nEvery flag can also come from the environment (",
                  VariableName(environment_prefixes_[0], flags_.back().name), "=...) or from --config-file.\n");
  return text;
}

}  // namespace tidemark::config
