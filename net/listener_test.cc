#include "net/listener.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include "gtest/gtest.h"

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

}  // namespace
}  // namespace tidemark::net
