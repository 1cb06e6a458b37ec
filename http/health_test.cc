#include "http/health.h"

#include <gtest/gtest.h>

namespace tidemark::http {
namespace {

struct Row {
  std::vector<absl::string_view> excluded;
  bool verbose;
  bool store_ok;
  int code;
  std::string text;
};

TEST(HealthTest, EveryAnswer) {
  const Row rows[] = {
      {{}, false, true, 200, "ok"},
      {{}, true, true, 200, "[+]ping ok\n[+]store ok\nreadyz check passed\n"},
      {{}, false, false, 500, "[+]ping ok\n[-]store failed: no quorum\nreadyz check failed\n"},
      {{"store"}, false, false, 200, "ok"},
      {{"store"}, true, false, 200, "[+]ping ok\n[+]store excluded: ok\nreadyz check passed\n"},
      {{"store", "store", "ping"},
       true,
       true,
       200,
       "[+]ping excluded: ok\n[+]store excluded: ok\nreadyz check passed\n"},
      {{"b", "a", "ping"},
       true,
       true,
       200,
       "[+]ping excluded: ok\n[+]store ok\nwarn: some health checks cannot be excluded: no matches for \"a\",\"b\"\n"
       "readyz check passed\n"},
      {{"ping"}, false, false, 500, "[+]ping excluded: ok\n[-]store failed: no quorum\nreadyz check failed\n"},
  };
  for (const Row& row : rows) {
    const absl::Status store = row.store_ok ? absl::OkStatus() : absl::UnavailableError("no quorum");
    const HealthAnswer answer =
        AnswerHealth("readyz", {{"ping", absl::OkStatus()}, {"store", store}}, row.excluded, row.verbose);
    EXPECT_EQ(answer.code, row.code) << row.text;
    EXPECT_EQ(answer.text, row.text);
  }
}

TEST(HealthTest, OneCheck) {
  EXPECT_EQ(AnswerHealth({"ping", absl::OkStatus()}).text, "ok");
  const HealthAnswer failed = AnswerHealth({"store", absl::UnavailableError("no quorum")});
  EXPECT_EQ(failed.code, 500);
  EXPECT_EQ(failed.text, "internal server error: no quorum\n");
}

}  // namespace
}  // namespace tidemark::http
