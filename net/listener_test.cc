#include "net/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "absl/strings/numbers.h"
#include "base/clock.h"
#include "base/test_gate.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "net/limits.h"

namespace tidemark::net {
namespace {

// One address in a list as getaddrinfo gives it.
struct ListedAddress {
  explicit ListedAddress(const char* host, in_port_t port = 0, addrinfo* next = nullptr) {
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    EXPECT_EQ(::inet_pton(AF_INET, host, &address.sin_addr), 1);
    info.ai_family = AF_INET;
    info.ai_addr = reinterpret_cast<sockaddr*>(&address);
    info.ai_addrlen = sizeof(address);
    info.ai_next = next;
  }

  sockaddr_in address{};
  addrinfo info{};
};

in_port_t PortOf(int fd) {
  sockaddr_in bound{};
  socklen_t size = sizeof(bound);
  EXPECT_EQ(::getsockname(fd, reinterpret_cast<sockaddr*>(&bound), &size), 0);
  return ntohs(bound.sin_port);
}

// 192.0.2.0/24 is for documents: no machine has it.
constexpr char kNobodys[] = "192.0.2.1";

TEST(ListenerTest, TakesTheFirstAddressThatTheMachineHas) {
  ListedAddress here("127.0.0.1");
  ListedAddress unknown_family("127.0.0.1", 0, &here.info);
  unknown_family.info.ai_family = 255;
  ListedAddress elsewhere(kNobodys, 0, &unknown_family.info);
  const absl::StatusOr<int> fd = Listener::ListenOnFirst(&elsewhere.info);
  ASSERT_TRUE(fd.ok()) << fd.status();
  EXPECT_GT(PortOf(*fd), 0);
  ::close(*fd);
}

TEST(ListenerTest, AnAddressInUseEndsTheSearch) {
  ListedAddress any_port("127.0.0.1");
  const absl::StatusOr<int> taken = Listener::ListenOnFirst(&any_port.info);
  ASSERT_TRUE(taken.ok()) << taken.status();
  ListedAddress free("127.0.0.2", PortOf(*taken));
  ListedAddress in_use("127.0.0.1", PortOf(*taken), &free.info);
  EXPECT_EQ(Listener::ListenOnFirst(&in_use.info).status().message(), "Address already in use");
  ::close(*taken);
}

TEST(ListenerTest, NoAddressThatWorksIsTheLastReason) {
  ListedAddress elsewhere(kNobodys);
  EXPECT_EQ(Listener::ListenOnFirst(&elsewhere.info).status().message(), "Cannot assign requested address");
}

// Waits until the loop has looked at everything that is ready now, and at its deadlines.
void AwaitTurn(EventLoop* loop) {
  const auto done = std::make_shared<Gate>();
  loop->Post([loop, done] { loop->Post([done] { done->Open(); }); });
  done->Wait();
}

TEST(ListenerTest, WithoutAFreeFileAClientWaitsAndTheLoopRests) {
  SimClock clock;
  EventLoop loop("test-loop", clock);
  const auto listener = Listener::Open("127.0.0.1:0", clock);
  ASSERT_TRUE(listener.ok()) << listener.status();
  int accepted = 0;  // confined to the loop's turns
  loop.Post([&] {
    (*listener)->Start(&loop, [&accepted](int fd, const std::string&) {
      ++accepted;
      ::close(fd);
    });
  });
  AwaitTurn(&loop);
  int port = 0;
  ASSERT_TRUE(absl::SimpleAtoi((*listener)->address().substr(10), &port)) << (*listener)->address();
  ListedAddress server("127.0.0.1", static_cast<in_port_t>(port));
  const int client = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  testing::internal::CaptureStderr();

  rlimit files{};
  ASSERT_EQ(::getrlimit(RLIMIT_NOFILE, &files), 0);
  const int lowest_free = ::dup(client);
  ::close(lowest_free);
  const rlimit none_free = {.rlim_cur = static_cast<rlim_t>(lowest_free), .rlim_max = files.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &none_free), 0);
  EXPECT_EQ(::connect(client, server.info.ai_addr, server.info.ai_addrlen), 0);
  AwaitTurn(&loop);
  ASSERT_EQ(::setrlimit(RLIMIT_NOFILE, &files), 0);
  AwaitTurn(&loop);
  EXPECT_EQ(accepted, 0);  // it would be taken now, but for the pause
  EXPECT_THAT(testing::internal::GetCapturedStderr(), testing::HasSubstr("Too many open files"));

  clock.Advance(kAcceptPause);
  AwaitTurn(&loop);
  AwaitTurn(&loop);
  EXPECT_EQ(accepted, 1);
  ::close(client);
  loop.Post([&] { (*listener)->Close(); });
  AwaitTurn(&loop);
}

}  // namespace
}  // namespace tidemark::net
