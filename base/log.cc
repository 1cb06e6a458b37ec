#include "base/log.h"

#include <unistd.h>

#include <atomic>

#include "absl/strings/escaping.h"
#include "absl/time/clock.h"
#include "base/json_string.h"

namespace tidemark {
namespace {

std::atomic<LogFormat> log_format{LogFormat::kText};
std::atomic<LogLevel> lowest_level{LogLevel::kInfo};

constexpr absl::string_view kTextLevels[] = {"DEBUG", "INFO", "WARN", "ERROR"};
constexpr absl::string_view kJsonLevels[] = {"debug", "info", "warn", "error"};

bool NeedsQuotes(absl::string_view value) {
  return value.empty() || value.find_first_of(" \t\r\n\"=\\") != absl::string_view::npos;
}

}  // namespace

std::string FormatLogLine(LogFormat format, LogLevel level, absl::string_view time, absl::string_view message,
                          std::initializer_list<LogField> fields) {
  const size_t row = static_cast<size_t>(level);
  if (format == LogFormat::kText) {
    std::string line = absl::StrCat(time, " ", kTextLevels[row], " ", message);
    for (const LogField& field : fields) {
      absl::StrAppend(&line, " ", field.name, "=");
      absl::StrAppend(&line,
                      NeedsQuotes(field.value) ? absl::StrCat("\"", absl::CEscape(field.value), "\"") : field.value);
    }
    return line;
  }
  std::string line = absl::StrCat("{\"time\":\"", time, "\",\"level\":\"", kJsonLevels[row], "\",\"message\":");
  AppendJsonString(message, &line);
  for (const LogField& field : fields) {
    line.push_back(',');
    AppendJsonString(field.name, &line);
    line.push_back(':');
    AppendJsonString(field.value, &line);
  }
  line.push_back('}');
  return line;
}

void Log(LogLevel level, absl::string_view message, std::initializer_list<LogField> fields) {
  if (level < lowest_level.load(std::memory_order_relaxed)) return;
  const std::string time = absl::FormatTime("%Y-%m-%dT%H:%M:%E3SZ", absl::Now(), absl::UTCTimeZone());
  const std::string line =
      FormatLogLine(log_format.load(std::memory_order_relaxed), level, time, message, fields) + "\n";
  // A log that cannot be written has nowhere to report it.
  [[maybe_unused]] const ssize_t written = ::write(STDERR_FILENO, line.data(), line.size());
}

void SetLogFormat(LogFormat format) { log_format.store(format, std::memory_order_relaxed); }
void SetLogLevel(LogLevel lowest) { lowest_level.store(lowest, std::memory_order_relaxed); }

}  // namespace tidemark
