#include "base/log.h"

#include "gtest/gtest.h"

namespace tidemark {
namespace {

constexpr absl::string_view kTime = "2026-01-02T03:04:05.678Z";

TEST(FormatLogLineTest, TextQuotesOnlyWhatNeedsIt) {
  EXPECT_EQ(FormatLogLine(LogFormat::kText, LogLevel::kWarning, kTime, "watch broken",
                          {{"resource", "pods"}, {"error", "gone away"}, {"empty", ""}, {"n", 7}}),
            "2026-01-02T03:04:05.678Z WARN watch broken resource=pods error=\"gone away\" empty=\"\" n=7");
}

TEST(FormatLogLineTest, ANewlineInAValueDoesNotBreakTheLine) {
  const std::string line = FormatLogLine(LogFormat::kText, LogLevel::kError, kTime, "m", {{"e", "a\nb\"c"}});
  EXPECT_EQ(line, "2026-01-02T03:04:05.678Z ERROR m e=\"a\\nb\\\"c\"");
}

TEST(FormatLogLineTest, JsonEscapes) {
  EXPECT_EQ(FormatLogLine(LogFormat::kJson, LogLevel::kInfo, kTime, "say \"hi\"", {{"k\\", "a\tb"}}),
            R"({"time":"2026-01-02T03:04:05.678Z","level":"info","message":"say \"hi\"","k\\":"a\u0009b"})");
}

TEST(FormatLogLineTest, JsonIsUtf8WhateverIsLogged) {
  EXPECT_EQ(FormatLogLine(LogFormat::kJson, LogLevel::kInfo, kTime, "m", {{"key", "a\xff"}}),
            "{\"time\":\"2026-01-02T03:04:05.678Z\",\"level\":\"info\",\"message\":\"m\",\"key\":\"a\xef\xbf\xbd\"}");
}

TEST(LogTest, LinesBelowTheLevelAreNotWritten) {
  SetLogLevel(LogLevel::kError);
  testing::internal::CaptureStderr();
  Log(LogLevel::kWarning, "hidden");
  Log(LogLevel::kError, "shown");
  const std::string text = testing::internal::GetCapturedStderr();
  SetLogLevel(LogLevel::kInfo);
  EXPECT_EQ(text.find("hidden"), std::string::npos);
  EXPECT_NE(text.find("ERROR shown\n"), std::string::npos);
}

}  // namespace
}  // namespace tidemark
