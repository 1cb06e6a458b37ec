#include "cmd/progress_bar.h"

#include "gtest/gtest.h"

namespace tidemark::cmd {
namespace {

struct Fixture {
  SimClock clock;
  std::string out;
  ProgressBar::Write write = [this](absl::string_view text) { out.append(text.data(), text.size()); };
};

TEST(ProgressBarTest, ATerminalsLineIsRedrawn) {
  Fixture f;
  ProgressBar bar("load", 200, /*terminal=*/true, f.clock, f.write);
  f.clock.Advance(absl::Milliseconds(50));
  bar.Update(10);
  EXPECT_EQ(f.out, "");
  f.clock.Advance(absl::Milliseconds(450));
  bar.Update(100);
  EXPECT_EQ(f.out, "\rload  50 % [###############               ] 100/200  200/s\x1b[K");
  bar.Update(200);
  f.out.clear();
  bar.Finish();
  EXPECT_EQ(f.out, "\rload 100 % [##############################] 200/200  400/s\x1b[K\n");
}

TEST(ProgressBarTest, ElsewherePlainLinesFarApart) {
  Fixture f;
  ProgressBar bar("load", 100, /*terminal=*/false, f.clock, f.write);
  for (int i = 1; i <= 99; ++i) {
    f.clock.Advance(absl::Milliseconds(100));
    bar.Update(i);
  }
  bar.Finish();
  EXPECT_EQ(f.out, "load  50 % 50/100  10/s\n");
}

}  // namespace
}  // namespace tidemark::cmd
