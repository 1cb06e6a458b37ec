// Log writes one line per event to stderr, as text or as JSON.
//
//   Log(LogLevel::kWarning, "watch broken", {{"resource", "pods"}, {"error", status.ToString()}});
//
// text:  2026-01-02T03:04:05.678Z WARN watch broken resource=pods error="..."
// json:  {"time":"...","level":"warn","message":"watch broken","resource":"pods","error":"..."}
//
// Thread-safety: thread-safe; a line is one write(2) and is never torn.
// Cost:          builds a string and makes a system call: never on the path of one event or one request.
#ifndef TIDEMARK_BASE_LOG_H_
#define TIDEMARK_BASE_LOG_H_

#include <initializer_list>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"

namespace tidemark {

enum class LogLevel { kDebug, kInfo, kWarning, kError };
enum class LogFormat { kText, kJson };

// One name and value beside the message. The value's text lives as long as the call.
struct LogField {
  LogField(absl::string_view name, const absl::AlphaNum& value) : name(name), value(value.Piece()) {}
  std::string name;
  std::string value;
};

void Log(LogLevel level, absl::string_view message, std::initializer_list<LogField> fields = {});

// For the whole process; text and info unless set.
void SetLogFormat(LogFormat format);
void SetLogLevel(LogLevel lowest);

// The line without its newline; pure.
std::string FormatLogLine(LogFormat format, LogLevel level, absl::string_view time, absl::string_view message,
                          std::initializer_list<LogField> fields);

}  // namespace tidemark

#endif  // TIDEMARK_BASE_LOG_H_
