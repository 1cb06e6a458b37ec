#include "storeclient/version_guard.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"

namespace tidemark::storeclient {
namespace {

TEST(VersionGuardTest, Verdicts) {
  const std::pair<const char*, VersionVerdict> rows[] = {
      {"3.3.27", VersionVerdict::kTooOld},      {"3.4.0", VersionVerdict::kTooOld},
      {"3.4.23", VersionVerdict::kTooOld},      {"3.4.30", VersionVerdict::kTooOld},
      {"3.4.31", VersionVerdict::kFine},        {"3.4.99", VersionVerdict::kFine},
      {"3.5.0", VersionVerdict::kTooOld},       {"3.5.7", VersionVerdict::kTooOld},
      {"3.5.12", VersionVerdict::kTooOld},      {"3.5.13", VersionVerdict::kFine},
      {"3.6.0", VersionVerdict::kFine},         {"3.6.0-rc.1", VersionVerdict::kFine},
      {"3.5.12+k3s1", VersionVerdict::kTooOld}, {"4.0.0", VersionVerdict::kFine},
      {"2.3.8", VersionVerdict::kTooOld},       {"", VersionVerdict::kUnknown},
      {"3.5", VersionVerdict::kUnknown},        {"3.5.x", VersionVerdict::kUnknown},
      {"3.5.13.1", VersionVerdict::kUnknown},   {"v3.5.13", VersionVerdict::kUnknown},
      {"3.-5.1", VersionVerdict::kUnknown},     {"3.10.0", VersionVerdict::kFine},
  };
  for (const auto& [version, verdict] : rows) EXPECT_EQ(JudgeVersion(version), verdict) << version;
}

// "!" is an endpoint that does not answer.
GuardDecision Decide(const std::vector<std::string>& versions, GuardMode mode) {
  std::vector<EndpointVersion> endpoints;
  for (const std::string& version : versions) {
    const std::string name = absl::StrCat("http://e", endpoints.size());
    if (version == "!") {
      endpoints.push_back({name, absl::UnavailableError("connection refused")});
    } else {
      endpoints.push_back({name, version});
    }
  }
  return DecideGuard(endpoints, mode);
}

TEST(VersionGuardTest, Outcomes) {
  using enum GuardOutcome;
  struct Row {
    std::vector<std::string> versions;
    GuardOutcome automatic, require, off;
    std::string watch_in_auto;  // one letter per endpoint
  };
  const Row rows[] = {
      {{"3.5.16"}, kTrusted, kTrusted, kFromStore, "y"},
      {{"3.4.23"}, kFromStore, kRefused, kFromStore, "y"},
      {{"!"}, kUnknown, kUnknown, kFromStore, "y"},
      {{"strange"}, kUnknown, kUnknown, kFromStore, "y"},
      {{"3.5.16", "3.4.23"}, kTrusted, kRefused, kFromStore, "yn"},
      {{"3.4.23", "3.5.16", "3.6.1"}, kTrusted, kRefused, kFromStore, "nyy"},
      {{"3.5.16", "!"}, kUnknown, kUnknown, kFromStore, "yy"},
      {{"3.4.23", "!"}, kFromStore, kRefused, kFromStore, "yy"},
      {{"3.4.23", "3.5.3", "!"}, kFromStore, kRefused, kFromStore, "yyy"},
      {{"3.4.23", "3.5.16", "!"}, kUnknown, kRefused, kFromStore, "nyy"},
      {{"3.4.23", "3.5.3"}, kFromStore, kRefused, kFromStore, "yy"},
  };
  for (const Row& row : rows) {
    SCOPED_TRACE(row.versions[0]);
    const GuardDecision decision = Decide(row.versions, GuardMode::kAuto);
    EXPECT_EQ(decision.outcome, row.automatic);
    EXPECT_EQ(Decide(row.versions, GuardMode::kRequire).outcome, row.require);
    EXPECT_EQ(Decide(row.versions, GuardMode::kOff).outcome, row.off);
    EXPECT_FALSE(Decide(row.versions, GuardMode::kOff).ProgressTrusted());
    for (size_t i = 0; i < row.versions.size(); ++i)
      EXPECT_EQ(decision.MayCarryWatch(i), row.watch_in_auto[i] == 'y') << i;
  }
}

TEST(VersionGuardTest, LinesNameEndpointAndVersion) {
  const GuardDecision decision = Decide({"3.5.16", "3.4.23", "!"}, GuardMode::kAuto);
  ASSERT_EQ(decision.lines.size(), 4u);
  EXPECT_EQ(decision.lines[0].level, LogLevel::kInfo);
  EXPECT_EQ(decision.lines[1].level, LogLevel::kWarning);
  EXPECT_EQ(decision.lines[1].endpoint, "http://e1");
  EXPECT_EQ(decision.lines[1].version, "3.4.23");
  EXPECT_TRUE(absl::StrContains(decision.lines[2].message, "connection refused"));
  EXPECT_TRUE(absl::StrContains(decision.lines[3].message, "carry no watch"));
  EXPECT_EQ(Decide({"3.4.23"}, GuardMode::kRequire).lines.back().level, LogLevel::kError);
  EXPECT_TRUE(absl::StrContains(Decide({"3.4.23"}, GuardMode::kAuto).lines.back().message, "from the store"));
}

}  // namespace
}  // namespace tidemark::storeclient
