#include "config/flags.h"

#include <unistd.h>

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

using testing::HasSubstr;

// One flag of each type, and what they hold after parsing.
struct Fixture {
  std::string text = "plain";
  bool on = false;
  int64_t count = 5;
  int64_t bytes = 2 << 20;
  absl::Duration wait = absl::Seconds(3);
  std::string choice = "a";
  std::vector<std::string> list = {"x"};
  std::vector<std::string> files;
  FlagSet flags{"test", "for this test"};

  Fixture() {
    flags.String("text", &text, "a text");
    flags.Bool("on", &on, "a switch");
    flags.Int("count", &count, 0, 9, "a count");
    flags.Bytes("bytes", &bytes, 0, 1 << 30, "a size");
    flags.Duration("wait-max", &wait, absl::ZeroDuration(), absl::Minutes(1), "a wait");
    flags.Choice("choice", &choice, {"a", "b"}, "one of two");
    flags.List("list", &list, "several");
    flags.Positional("[FILE...]", &files);
  }
  std::string Error(const std::vector<std::string>& arguments, const Environment& environment = {}) {
    return std::string(flags.Parse(arguments, environment).message());
  }
};

std::string WriteFile(const std::string& name, const std::string& text) {
  const std::string path = testing::TempDir() + "tidemark-flags-" + std::to_string(::getpid()) + "-" + name;
  std::ofstream(path) << text;
  return path;
}

TEST(FlagSetTest, ValuesReachTheirTargets) {
  Fixture f;
  ASSERT_EQ(f.Error({"--text=a=b", "--on", "--count", "7", "--bytes=3MB", "one", "--wait-max", "250ms", "--choice=b",
                     "--list=p, q", "--list", "r", "two"}),
            "");
  EXPECT_EQ(f.text, "a=b");
  EXPECT_TRUE(f.on);
  EXPECT_EQ(f.count, 7);
  EXPECT_EQ(f.bytes, 3 << 20);
  EXPECT_EQ(f.wait, absl::Milliseconds(250));
  EXPECT_EQ(f.choice, "b");
  EXPECT_EQ(f.list, (std::vector<std::string>{"p", "q", "r"}));
  EXPECT_EQ(f.files, (std::vector<std::string>{"one", "two"}));
}

TEST(FlagSetTest, TheLastOfARepeatedFlagCounts) {
  Fixture f;
  ASSERT_EQ(f.Error({"--count=1", "--on", "--count=2", "--on=false"}), "");
  EXPECT_EQ(f.count, 2);
  EXPECT_FALSE(f.on);
}

TEST(FlagSetTest, EachMistakeNamesItself) {
  struct Row {
    std::vector<std::string> arguments;
    const char* error;
  };
  const Row rows[] = {
      {{"--nonsense"}, "unknown flag --nonsense"},
      {{"--nonsense=1"}, "unknown flag --nonsense"},
      {{"-text"}, "unknown flag -text"},
      {{"--count"}, "--count needs a value"},
      {{"--count=x"}, "--count: \"x\": a number is wanted"},
      {{"--count=10"}, "--count: \"10\": it must lie within 0 to 9"},
      {{"--bytes=-1"}, "--bytes: \"-1\": a number of bytes is wanted"},
      {{"--bytes=9999999999GB"}, "a number of bytes is wanted"},
      {{"--bytes=2MBKB"}, "--bytes: \"2MBKB\": a number of bytes is wanted"},
      {{"--bytes=2GB"}, "it must lie within 0 to 1GB"},
      {{"--wait-max=3"}, "a duration is wanted"},
      {{"--wait-max=2m"}, "it must lie within 0 to 1m"},
      {{"--choice=c"}, "--choice: \"c\": it must be one of a, b"},
      {{"--on=maybe"}, "--on: \"maybe\": true or false is wanted"},
      {{"--config-file=/does/not/exist"}, "cannot read /does/not/exist"},
      {{"--config-file=/tmp"}, "cannot read /tmp: it is a directory"},
  };
  for (const Row& row : rows) {
    Fixture f;
    EXPECT_THAT(f.Error(row.arguments), HasSubstr(row.error));
  }
}

TEST(FlagSetTest, FlagBeforeEnvironmentBeforeFileBeforeDefault) {
  const std::string file = WriteFile("order.yaml", "text: file\ncount: 3\nwait-max: 5s\nlist: [f, g]\n");
  Fixture f;
  ASSERT_EQ(f.Error({"--config-file=" + file, "--text=flag"}, {{"TIDEMARK_TEXT", "env"}, {"TIDEMARK_COUNT", "4"}}), "");
  EXPECT_EQ(f.text, "flag");
  EXPECT_EQ(f.count, 4);
  EXPECT_EQ(f.wait, absl::Seconds(5));
  EXPECT_EQ(f.list, (std::vector<std::string>{"f", "g"}));
  EXPECT_EQ(f.bytes, 2 << 20);
  EXPECT_TRUE(f.flags.IsSet("count"));
  EXPECT_FALSE(f.flags.IsSet("bytes"));
}

TEST(FlagSetTest, TheFileMayBeJsonAndNamedByTheEnvironment) {
  const std::string file = WriteFile("settings.json", R"({"text": "t", "on": true, "list": ["a", "b"]})");
  Fixture f;
  ASSERT_EQ(f.Error({}, {{"TIDEMARK_CONFIG_FILE", file}}), "");
  EXPECT_EQ(f.text, "t");
  EXPECT_TRUE(f.on);
  EXPECT_EQ(f.list.size(), 2U);
}

TEST(FlagSetTest, MistakesOfTheFileNameTheFile) {
  struct Row {
    const char* text;
    const char* error;
  };
  for (const Row& row : {Row{"nonsense: 1", "unknown setting \"nonsense\""},
                         {"count: x", "count in "},
                         {"count: [1, 2]", "takes one value"},
                         {"text: {a: b}", "must be a value or a list"},
                         {"- a", "names with values are wanted"},
                         {"a: [", "line "}}) {
    Fixture f;
    EXPECT_THAT(f.Error({"--config-file=" + WriteFile("bad.yaml", row.text)}), HasSubstr(row.error));
  }
}

TEST(FlagSetTest, ASecondPrefixComesAfterTheFirst) {
  Fixture f;
  f.flags.AlsoEnvironment("ETCD_");
  ASSERT_EQ(f.Error({}, {{"ETCD_TEXT", "etcd"}, {"ETCD_COUNT", "1"}, {"TIDEMARK_COUNT", "2"}, {"ETCD_UNKNOWN", "1"}}),
            "");
  EXPECT_EQ(f.text, "etcd");
  EXPECT_EQ(f.count, 2);
}

TEST(FlagSetTest, AnEmptyVariableOfTheSecondPrefixIsNotSet) {
  Fixture f;
  f.flags.AlsoEnvironment("ETCD_");
  ASSERT_EQ(f.Error({}, {{"ETCD_TEXT", ""}, {"ETCD_COUNT", ""}, {"ETCD_ON", ""}}), "");
  EXPECT_EQ(f.text, "plain");
  EXPECT_FALSE(f.flags.IsSet("count"));
  Fixture own;
  EXPECT_THAT(own.Error({}, {{"TIDEMARK_COUNT", ""}}), HasSubstr("TIDEMARK_COUNT: \"\": a number is wanted"));
}

TEST(FlagSetTest, BooleansInGosWords) {
  for (const std::string word : {"1", "t", "T", "TRUE", "true", "True"}) {
    Fixture f;
    EXPECT_EQ(f.Error({"--on=" + word}), "");
    EXPECT_TRUE(f.on) << word;
  }
  for (const std::string word : {"0", "f", "F", "FALSE", "false", "False"}) {
    Fixture f;
    EXPECT_EQ(f.Error({"--on", "--on=" + word}), "");
    EXPECT_FALSE(f.on) << word;
  }
}

TEST(FlagSetTest, MistakesOfTheEnvironmentNameTheVariable) {
  Fixture f;
  EXPECT_THAT(f.Error({}, {{"TIDEMARK_WAIT_MAX", "x"}}), HasSubstr("TIDEMARK_WAIT_MAX: \"x\": a duration is wanted"));
}

TEST(FlagSetTest, PositionalsAreRefusedWhereNoneAreWanted) {
  FlagSet flags("none", "");
  EXPECT_EQ(flags.Parse({"stray"}, {}).message(), "unexpected argument \"stray\"");
}

TEST(FlagSetTest, HelpNamesUnitsAndDefaultsAndReadsNothingElse) {
  Fixture f;
  ASSERT_EQ(f.Error({"--nonsense", "--help"}), "");
  EXPECT_TRUE(f.flags.help_requested());
  const std::string help = f.flags.Help();
  EXPECT_THAT(help, HasSubstr("usage: tidemark test [flags] [FILE...]"));
  EXPECT_THAT(help, HasSubstr("--bytes <bytes>\n      a size (default 2MB)"));
  EXPECT_THAT(help, HasSubstr("--wait-max <duration>\n      a wait (default 3s)"));
  EXPECT_THAT(help, HasSubstr("--choice <a|b>"));
}

}  // namespace
}  // namespace tidemark::config
