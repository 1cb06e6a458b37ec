#include "net/send_batch.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "gtest/gtest.h"

namespace tidemark::net {
namespace {

using State = Transfer::State;

// Two connected sockets; the first one is sent on.
class Pair {
 public:
  Pair() { TM_CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, fds_) == 0); }
  ~Pair() {
    Close();
    close(fds_[0]);
  }
  Pair(const Pair&) = delete;
  Pair& operator=(const Pair&) = delete;

  int fd() const { return fds_[0]; }
  void Close() { close(std::exchange(fds_[1], -1)); }
  // What has come.
  std::string Read() {
    std::string all, buffer(1 << 16, '\0');
    ssize_t got;
    while ((got = recv(fds_[1], buffer.data(), buffer.size(), MSG_DONTWAIT)) > 0)
      all.append(buffer, 0, static_cast<size_t>(got));
    return all;
  }

 private:
  int fds_[2];
};

struct Told : SendBatch::Sender {
  void OnSent(const Transfer& transfer, absl::string_view bytes) override {
    EXPECT_FALSE(result.has_value()) << "told twice";
    result = transfer;
    added = std::string(bytes);
  }
  std::optional<Transfer> result;
  std::string added;
};

// The descriptors of this process's rings.
std::vector<int> Rings() {
  std::vector<int> rings;
  for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
    std::error_code ignored;
    const std::string target = std::filesystem::read_symlink(entry.path(), ignored).string();
    int fd;
    if (absl::StrContains(target, "io_uring") && absl::SimpleAtoi(entry.path().filename().string(), &fd))
      rings.push_back(fd);
  }
  return rings;
}

// With a ring, where the kernel has one, and without.
class SendBatchTest : public testing::TestWithParam<bool> {
 protected:
  std::shared_ptr<Told> Add(const Pair& pair, absl::Span<const absl::string_view> parts) {
    auto told = std::make_shared<Told>();
    batch_.Add(pair.fd(), parts, told);
    return told;
  }

  SendBatch batch_{GetParam()};
};

TEST_P(SendBatchTest, EachGetsItsOwnBytesAndIsTold) {
  for (size_t count = 1; count <= SendBatch::kSendsMax; ++count) {
    std::vector<Pair> pairs(count);
    std::vector<std::shared_ptr<Told>> told;
    for (size_t i = 0; i < count; ++i) {
      const std::string number = absl::StrCat(i);
      told.push_back(Add(pairs[i], {"event ", "", number, "\n"}));
      EXPECT_EQ(batch_.full(), i + 1 == SendBatch::kSendsMax);
      EXPECT_EQ(pairs[i].Read(), "") << "not before Flush";
    }
    batch_.Flush();
    EXPECT_TRUE(batch_.empty());
    for (size_t i = 0; i < count; ++i) {
      const std::string expected = absl::StrCat("event ", i, "\n");
      EXPECT_EQ(pairs[i].Read(), expected);
      ASSERT_TRUE(told[i]->result.has_value());
      EXPECT_EQ(told[i]->result->state, State::kOpen);
      EXPECT_EQ(told[i]->result->bytes, expected.size());
      EXPECT_EQ(told[i]->added, expected);
      EXPECT_EQ(told[i].use_count(), 1) << "let go of";
    }
  }
}

TEST_P(SendBatchTest, AFullSocketTakesAPartOrNothing) {
  Pair full, other;
  const std::string piece(kGatheredBytesMax, 'x');
  size_t taken = 0;
  State state = State::kOpen;
  for (int i = 0; state == State::kOpen; ++i) {
    ASSERT_LT(i, 10'000);
    const auto told = Add(full, {piece});
    const auto beside = Add(other, {"e"});
    batch_.Flush();
    EXPECT_EQ(beside->result->state, State::kOpen);
    taken += told->result->bytes;
    state = told->result->state;
  }
  EXPECT_EQ(state, State::kWouldBlock);
  EXPECT_EQ(full.Read().size(), taken);
}

TEST_P(SendBatchTest, ABrokenSocketIsNoConcernOfTheOthers) {
  std::vector<Pair> pairs(5);
  pairs[2].Close();
  std::vector<std::shared_ptr<Told>> told;
  for (const Pair& pair : pairs) told.push_back(Add(pair, {"e"}));
  batch_.Flush();
  for (size_t i = 0; i < pairs.size(); ++i)
    EXPECT_EQ(told[i]->result->state, i == 2 ? State::kBroken : State::kOpen) << i;
  EXPECT_EQ(pairs[4].Read(), "e");
}

TEST_P(SendBatchTest, ABatchIsUsedAgainAndAgain) {
  std::vector<Pair> pairs(3);
  for (int round = 0; round < 500; ++round) {
    const std::string event = absl::StrCat(round, ",");
    for (const Pair& pair : pairs) Add(pair, {event});
    batch_.Flush();
    for (Pair& pair : pairs) EXPECT_EQ(pair.Read(), event);
  }
}

TEST_P(SendBatchTest, AnEmptyOneIsFlushedInVain) {
  batch_.Flush();
  EXPECT_TRUE(batch_.empty());
}

INSTANTIATE_TEST_SUITE_P(Forms, SendBatchTest, testing::Bool());

TEST(SendBatchRingTest, WithoutARingItIsNeverOpen) { EXPECT_FALSE(SendBatch(false).open()); }

// Where the kernel gives no ring the batch is what the loss of its ring makes it, and what is asserted holds as well.
TEST(SendBatchRingTest, WhatARingRefusesIsSentWithoutIt) {
  const std::vector<int> before = Rings();
  SendBatch batch;
  const std::vector<int> rings = Rings();
  ASSERT_EQ(rings.size(), before.size() + (batch.open() ? 1 : 0));
  if (batch.open()) {
    // Something else in its place: the kernel takes nothing from there.
    const int nothing = open("/dev/null", O_RDONLY);
    ASSERT_GE(dup2(nothing, rings.back()), 0);
    close(nothing);
  }
  std::vector<Pair> pairs(4);
  std::vector<std::shared_ptr<Told>> told;
  for (const Pair& pair : pairs) {
    told.push_back(std::make_shared<Told>());
    batch.Add(pair.fd(), {"event"}, told.back());
  }
  batch.Flush();
  for (size_t i = 0; i < pairs.size(); ++i) {
    EXPECT_EQ(pairs[i].Read(), "event") << i;
    EXPECT_EQ(told[i]->result->bytes, 5u) << i;
  }
  EXPECT_FALSE(batch.open());
}

}  // namespace
}  // namespace tidemark::net
