#include "net/answer_writer.h"

#include <random>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "base/test_seed.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "net/limits.h"

namespace tidemark::net {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

using State = AnswerWriter::State;

// Takes `room` bytes, then blocks.
class FakeTransport : public Transport {
 public:
  Transfer Read(char*, size_t) override { return {0, Transfer::State::kWouldBlock}; }
  Transfer Write(const iovec* parts, int count) override {
    if (broken) return {0, Transfer::State::kBroken};
    Transfer transfer;
    for (int i = 0; i < count; ++i) {
      const size_t bytes = std::min(room, parts[i].iov_len);
      written.append(static_cast<const char*>(parts[i].iov_base), bytes);
      room -= bytes;
      transfer.bytes += bytes;
      if (bytes < parts[i].iov_len) {
        transfer.state = Transfer::State::kWouldBlock;
        break;
      }
    }
    return transfer;
  }
  void FinishWriting() override {}
  void Close(bool) override {}

  std::string Body() const { return written.substr(written.find("\r\n\r\n") + 4); }

  size_t room = SIZE_MAX;
  bool broken = false;
  std::string written;
};

// Gives pieces as a script says.
class ScriptSource : public BodySource {
 public:
  using Script = std::vector<std::pair<std::vector<std::string>, State>>;
  explicit ScriptSource(Script script, bool* destroyed = nullptr) : script_(std::move(script)), destroyed_(destroyed) {}
  ~ScriptSource() override {
    if (destroyed_ != nullptr) *destroyed_ = true;
  }

  State Pull(size_t, std::vector<absl::string_view>* slices) override {
    held_ = script_.at(next_++);
    for (const std::string& slice : held_.first) slices->push_back(slice);
    return held_.second;
  }
  // What is given stays readable until then: the address sanitizer watches.
  void Release() override { held_.first = {}; }
  size_t held_bytes() const override { return held_.first.size(); }

 private:
  const Script script_;
  bool* const destroyed_;
  size_t next_ = 0;
  std::pair<std::vector<std::string>, State> held_;
};

constexpr size_t kPlenty = 1 << 30;

struct Sent {
  FakeTransport transport;
  AnswerWriter writer;

  State Start(Answer answer, AnswerForm form = {}) {
    writer.Start(std::move(answer), form, absl::UnixEpoch());
    return Go();
  }
  State StartScript(ScriptSource::Script script, AnswerForm form = {}, std::optional<uint64_t> length = std::nullopt) {
    return Start({.source = std::make_unique<ScriptSource>(std::move(script)), .length = length}, form);
  }
  State Go() {
    size_t budget = kPlenty;
    return writer.Advance(&transport, &budget);
  }
};

using S = BodySource::State;

TEST(AnswerWriterTest, FramesPieceByPiece) {
  Sent sent;
  EXPECT_EQ(
      sent.StartScript({{{"ab", "c"}, S::kMore}, {{}, S::kMore}, {{"0123456789abcdef"}, S::kMore}, {{"x"}, S::kEnd}}),
      State::kDone);
  EXPECT_EQ(sent.transport.Body(), "3\r\nabc\r\n10\r\n0123456789abcdef\r\n1\r\nx\r\n0\r\n\r\n");
}

TEST(AnswerWriterTest, EmptyBodiesInEveryFraming) {
  Sent chunked, length, old, whole;
  EXPECT_EQ(chunked.StartScript({{{}, S::kEnd}}), State::kDone);
  EXPECT_EQ(chunked.transport.Body(), "0\r\n\r\n");
  EXPECT_EQ(length.StartScript({{{}, S::kEnd}}, {}, 0), State::kDone);
  EXPECT_THAT(length.transport.written, EndsWith("Content-Length: 0\r\n\r\n"));
  EXPECT_EQ(old.StartScript({{{}, S::kEnd}}, {.http10 = true}), State::kDone);
  EXPECT_THAT(old.transport.written, EndsWith("Connection: close\r\n\r\n"));
  EXPECT_TRUE(old.writer.close_delimited());
  EXPECT_EQ(whole.Start({}), State::kDone);
  EXPECT_THAT(whole.transport.written, EndsWith("Content-Length: 0\r\n\r\n"));
}

TEST(AnswerWriterTest, StatusesWithoutABodyHaveNone) {
  Sent sent;
  EXPECT_EQ(sent.Start({.head = {.status = 304}, .body = "none"}), State::kDone);
  EXPECT_THAT(sent.transport.written, Not(HasSubstr("Content-Length")));
  EXPECT_EQ(sent.transport.Body(), "");
}

TEST(AnswerWriterTest, WaitsUntilWokenAndPullsOncePerWake) {
  Sent sent;
  EXPECT_EQ(sent.StartScript({{{"a"}, S::kWait}, {{}, S::kWait}, {{"b"}, S::kEnd}}), State::kWaiting);
  EXPECT_EQ(sent.Go(), State::kWaiting);  // not woken: not pulled
  sent.writer.Wake();
  sent.writer.Wake();
  EXPECT_EQ(sent.Go(), State::kWaiting);
  sent.writer.Wake();
  EXPECT_EQ(sent.Go(), State::kDone);
  EXPECT_EQ(sent.transport.Body(), "1\r\na\r\n1\r\nb\r\n0\r\n\r\n");
}

TEST(AnswerWriterTest, AWaitingSourceReleasesWhatHasBeenTaken) {
  Sent sent;
  sent.transport.room = 0;
  EXPECT_EQ(sent.StartScript({{{"longer than a short string is"}, S::kWait}, {{"b"}, S::kEnd}}), State::kBlocked);
  EXPECT_EQ(sent.writer.held_bytes(), 1u) << "not taken yet";
  sent.transport.room = kPlenty;
  EXPECT_EQ(sent.Go(), State::kWaiting);
  EXPECT_EQ(sent.writer.held_bytes(), 0u);
  sent.writer.Wake();
  EXPECT_EQ(sent.Go(), State::kDone);
  EXPECT_EQ(sent.transport.Body(), "1d\r\nlonger than a short string is\r\n1\r\nb\r\n0\r\n\r\n");
}

TEST(AnswerWriterTest, PullsOnlyWhenTheSocketHasTakenAll) {
  bool destroyed = false;
  Sent sent;
  sent.transport.room = 0;
  Answer answer{.source = std::make_unique<ScriptSource>(ScriptSource::Script{{{"abc"}, S::kEnd}}, &destroyed)};
  EXPECT_EQ(sent.Start(std::move(answer)), State::kBlocked);
  sent.writer.Wake();
  EXPECT_EQ(sent.Go(), State::kBlocked);
  EXPECT_FALSE(destroyed);  // its last bytes are still on their way
  sent.transport.room = kPlenty;
  EXPECT_EQ(sent.Go(), State::kDone);
  EXPECT_TRUE(destroyed);
  EXPECT_EQ(sent.transport.Body(), "3\r\nabc\r\n0\r\n\r\n");
}

TEST(AnswerWriterTest, AWrongLengthOrAnAbortIsSeen) {
  Sent longer, shorter, abort, broken;
  EXPECT_EQ(longer.StartScript({{{"abc"}, S::kMore}}, {}, 2), State::kAborted);
  EXPECT_EQ(shorter.StartScript({{{"abc"}, S::kEnd}}, {}, 4), State::kAborted);
  EXPECT_EQ(abort.StartScript({{{"abc"}, S::kMore}, {{}, S::kAbort}}), State::kAborted);
  broken.transport.broken = true;
  EXPECT_EQ(broken.Start({.body = "x"}), State::kBroken);
}

TEST(AnswerWriterTest, ABudgetEndsTheTurnNotTheAnswer) {
  Sent sent;
  sent.writer.Start(
      {.source = std::make_unique<ScriptSource>(ScriptSource::Script{{{"abc"}, S::kMore}, {{"d"}, S::kEnd}})}, {},
      absl::UnixEpoch());
  size_t budget = 3;
  EXPECT_EQ(sent.writer.Advance(&sent.transport, &budget), State::kMore);
  EXPECT_EQ(budget, 0u);
  EXPECT_EQ(sent.Go(), State::kDone);
  EXPECT_EQ(sent.transport.Body(), "3\r\nabc\r\n1\r\nd\r\n0\r\n\r\n");
}

TEST(AnswerWriterTest, HeadOnlyNeverPulls) {
  bool destroyed = false;
  Sent sent;
  EXPECT_EQ(
      sent.Start({.source = std::make_unique<ScriptSource>(ScriptSource::Script{}, &destroyed)}, {.head_only = true}),
      State::kDone);
  EXPECT_TRUE(destroyed);
  EXPECT_THAT(sent.transport.written, HasSubstr("Transfer-Encoding: chunked\r\n"));
  EXPECT_EQ(sent.transport.Body(), "");
}

// As a caller that sends small pieces itself.
State GoLeavingSmall(Sent* sent, std::string* left) {
  size_t budget = kPlenty;
  std::vector<absl::string_view> small;
  const State state = sent->writer.Advance(&sent->transport, &budget, kPullBytes, &small);
  EXPECT_EQ(small.empty(), state != State::kReady);
  *left = absl::StrJoin(small, "");
  return state;
}

std::unique_ptr<ScriptSource> Script(ScriptSource::Script script) {
  return std::make_unique<ScriptSource>(std::move(script));
}

TEST(AnswerWriterTest, TheLastSmallPieceIsLeftToTheCaller) {
  Sent sent;
  std::string left;
  sent.writer.Start({.source = Script({{{"ab", "c"}, S::kWait}, {{"d"}, S::kWait}, {{"e"}, S::kEnd}})}, {},
                    absl::UnixEpoch());
  EXPECT_EQ(GoLeavingSmall(&sent, &left), State::kReady);
  EXPECT_THAT(left, EndsWith("\r\n\r\n3\r\nabc\r\n"));
  EXPECT_EQ(sent.transport.written, "");
  EXPECT_EQ(sent.writer.held_bytes(), 2u) << "not sent yet";
  EXPECT_EQ(sent.writer.Sent({left.size(), Transfer::State::kOpen}, left), State::kWaiting);
  EXPECT_EQ(sent.writer.held_bytes(), 0u);
  EXPECT_EQ(sent.writer.sent_bytes(), left.size());
  EXPECT_EQ(GoLeavingSmall(&sent, &left), State::kWaiting) << "not woken";
  sent.writer.Wake();
  EXPECT_EQ(GoLeavingSmall(&sent, &left), State::kReady);
  EXPECT_EQ(left, "1\r\nd\r\n");
  EXPECT_EQ(sent.writer.Sent({left.size(), Transfer::State::kOpen}, left), State::kWaiting);
  sent.writer.Wake();
  EXPECT_EQ(GoLeavingSmall(&sent, &left), State::kDone) << "the end is no such piece";
  EXPECT_EQ(sent.transport.written, "1\r\ne\r\n0\r\n\r\n");
}

TEST(AnswerWriterTest, OnlySmallPiecesBeforeAWaitAreLeft) {
  std::string left;
  Sent whole, more, large, nothing;
  whole.writer.Start({.body = "abc"}, {}, absl::UnixEpoch());
  EXPECT_EQ(GoLeavingSmall(&whole, &left), State::kDone);
  more.writer.Start({.source = Script({{{"a"}, S::kMore}, {{"b"}, S::kWait}})}, {}, absl::UnixEpoch());
  EXPECT_EQ(GoLeavingSmall(&more, &left), State::kReady);
  EXPECT_EQ(more.transport.Body(), "1\r\na\r\n");
  EXPECT_EQ(left, "1\r\nb\r\n");
  large.writer.Start({.source = Script({{{std::string(kGatheredBytesMax, 'x')}, S::kWait}})}, {}, absl::UnixEpoch());
  EXPECT_EQ(GoLeavingSmall(&large, &left), State::kWaiting);
  nothing.writer.Start({.source = Script({{{}, S::kWait}})}, {}, absl::UnixEpoch());
  EXPECT_EQ(GoLeavingSmall(&nothing, &left), State::kWaiting);
}

TEST(AnswerWriterTest, NoPieceThatIsLeftIsLongerThanABatchTakes) {
  size_t longest = 0;
  for (size_t bytes = kGatheredBytesMax - 300; bytes <= kGatheredBytesMax; ++bytes) {
    Sent sent;
    std::string left;
    sent.writer.Start({.source = Script({{{std::string(bytes, 'x')}, S::kWait}})}, {}, absl::UnixEpoch());
    GoLeavingSmall(&sent, &left);
    longest = std::max(longest, left.size());
  }
  EXPECT_GT(longest, kGatheredBytesMax - 300);
  EXPECT_LE(longest, kGatheredBytesMax);
}

TEST(AnswerWriterTest, WhatIsNotTakenOfAPieceThatWasLeftIsSentFirst) {
  Sent sent;
  std::string left;
  sent.writer.Start({.source = Script({{{"abcdefgh"}, S::kWait}, {{"i"}, S::kEnd}})}, {}, absl::UnixEpoch());
  EXPECT_EQ(GoLeavingSmall(&sent, &left), State::kReady);
  const size_t taken = left.size() - 6;
  EXPECT_EQ(sent.writer.Sent({taken, Transfer::State::kWouldBlock}, left), State::kBlocked);
  EXPECT_EQ(sent.writer.held_bytes(), 6u) << "the rest, and nothing of the source";
  const std::string rest = left.substr(taken);
  left.assign(left.size(), '?');  // the batch is used again
  sent.writer.Wake();
  EXPECT_EQ(sent.Go(), State::kDone);
  EXPECT_EQ(sent.transport.written, rest + "1\r\ni\r\n0\r\n\r\n");

  Sent broken;
  broken.writer.Start({.source = Script({{{"a"}, S::kWait}})}, {}, absl::UnixEpoch());
  EXPECT_EQ(GoLeavingSmall(&broken, &left), State::kReady);
  EXPECT_EQ(broken.writer.Sent({0, Transfer::State::kBroken}, left), State::kBroken);
}

// Whatever room the socket has, the same bytes come out, and no slice is lost or repeated.
TEST(AnswerWriterTest, RandomRoomNeverChangesTheBytes) {
  const uint64_t seed = TestSeed();
  SCOPED_TRACE(absl::StrCat("TIDEMARK_SEED=", seed));
  std::mt19937_64 random(seed);
  for (int round = 0; round < 50; ++round) {
    ScriptSource::Script script;
    std::string expected;
    const size_t pieces = 1 + random() % 5;
    for (size_t i = 0; i < pieces; ++i) {
      std::vector<std::string> slices;
      std::string data;
      for (size_t n = random() % (3 * kSlicesPerWriteMax); n > 0; --n) {
        slices.push_back(std::string(random() % 20, static_cast<char>('a' + random() % 26)));
        data += slices.back();
      }
      if (!data.empty()) absl::StrAppend(&expected, absl::Hex(data.size()), "\r\n", data, "\r\n");
      script.emplace_back(std::move(slices), i + 1 == pieces ? S::kEnd : S::kMore);
    }
    expected += "0\r\n\r\n";
    Sent sent;
    sent.transport.room = random() % 100;
    State state = sent.StartScript(std::move(script));
    while (state == State::kBlocked) {
      sent.transport.room = random() % 3000;
      state = sent.Go();
    }
    ASSERT_EQ(state, State::kDone);
    ASSERT_EQ(sent.transport.Body(), expected);
    ASSERT_EQ(sent.writer.sent_bytes(), sent.transport.written.size());
  }
}

}  // namespace
}  // namespace tidemark::net
