#include "config/options.h"

#include <unistd.h>

#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace tidemark::config {
namespace {

using testing::Each;
using testing::HasSubstr;

std::string StoreError(const std::vector<std::string>& arguments) {
  return std::string(ParseStore(arguments, {}).status().message());
}
std::string CacheError(const std::vector<std::string>& arguments) {
  return std::string(ParseCache(arguments, {}).status().message());
}

TEST(StoreOptionsTest, DefaultsAreEtcds) {
  const auto store = ParseStore({}, {});
  ASSERT_TRUE(store.ok()) << store.status();
  const StoreOptions& options = store->options;
  EXPECT_EQ(options.name, "default");
  EXPECT_EQ(options.data_dir, "default.etcd");
  EXPECT_EQ(options.listen_client_urls[0].ToString(), "http://localhost:2379");
  EXPECT_EQ(options.advertise_client_urls[0].ToString(), "http://localhost:2379");
  EXPECT_EQ(options.quota_backend_bytes, int64_t{2} << 30);
  EXPECT_EQ(options.max_txn_ops, 128);
  EXPECT_EQ(options.max_request_bytes, 1572864);
  EXPECT_EQ(options.compaction_mode, CompactionMode::kOff);
  EXPECT_EQ(options.watch_progress_notify_interval, absl::Minutes(10));
  EXPECT_EQ(options.log.format, LogFormat::kJson);
  EXPECT_TRUE(options.idle_flags.empty());
}

TEST(StoreOptionsTest, TakesAnEtcdCommandLine) {
  const auto store =
      ParseStore({"--name=m0", "--data-dir=/tmp/d", "--listen-client-urls=http://127.0.0.1:1",
                  "--advertise-client-urls=http://127.0.0.1:2", "--listen-peer-urls=http://127.0.0.1:3",
                  "--initial-advertise-peer-urls=http://127.0.0.1:3", "--initial-cluster=m0=http://127.0.0.1:3",
                  "--initial-cluster-state=new", "--initial-cluster-token=token", "--snapshot-count=100",
                  "--strict-reconfig-check=false", "--auto-compaction-retention=10m", "--log-level", "debug"},
                 {{"ETCD_UNSUPPORTED_ARCH", "amd64"}, {"ETCD_MAX_TXN_OPS", "7"}});
  ASSERT_TRUE(store.ok()) << store.status();
  const StoreOptions& options = store->options;
  EXPECT_EQ(options.advertise_client_urls[0].port, 2);
  EXPECT_EQ(options.initial_advertise_peer_urls[0].port, 3);
  EXPECT_EQ(options.max_txn_ops, 7);
  EXPECT_EQ(options.compaction_mode, CompactionMode::kPeriodic);
  EXPECT_EQ(options.compaction_period, absl::Minutes(10));
  EXPECT_EQ(options.idle_flags, (std::vector<std::string>{"initial-cluster-token", "snapshot-count",
                                                          "initial-cluster-state", "strict-reconfig-check"}));
  EXPECT_EQ(options.log.level, LogLevel::kDebug);
}

TEST(StoreOptionsTest, RetentionByModeAndUnit) {
  const auto hours = ParseStore({"--auto-compaction-retention=2"}, {});
  EXPECT_EQ(hours->options.compaction_period, absl::Hours(2));
  const auto revisions = ParseStore({"--auto-compaction-mode=revision", "--auto-compaction-retention=1000"}, {});
  EXPECT_EQ(revisions->options.compaction_mode, CompactionMode::kRevision);
  EXPECT_EQ(revisions->options.compaction_revisions, 1000);
  EXPECT_THAT(StoreError({"--auto-compaction-mode=revision", "--auto-compaction-retention=1h"}),
              HasSubstr("cannot be read in mode"));
  EXPECT_THAT(StoreError({"--auto-compaction-retention=-1"}), HasSubstr("cannot be read"));
}

TEST(StoreOptionsTest, Refusals) {
  struct Row {
    std::vector<std::string> arguments;
    const char* error;
  };
  const Row rows[] = {
      {{"--initial-cluster=a=http://h:1,b=http://h:2", "--name=a"}, "it names 2 members; this store runs as one"},
      {{"--initial-cluster=a=http://h:1"}, "it names a, but --name is default"},
      {{"--initial-cluster=a"}, "\"a\" is not NAME=URL"},
      {{"--listen-client-urls=127.0.0.1:2379"}, "--listen-client-urls: \"127.0.0.1:2379\" is not an address"},
      {{"--listen-client-urls="}, "at least one URL is wanted"},
      {{"--listen-client-urls=https://127.0.0.1:1"}, "needs --cert-file and --key-file"},
      {{"--listen-client-urls=http://0.0.0.0:1"}, "--allow-remote-access-without-tls-or-authentication accepts that"},
      {{"--listen-client-urls=https://0.0.0.0:1", "--cert-file=/dev/null", "--key-file=/dev/null"},
       "https://0.0.0.0:1 can be reached by others, without authentication; "},
      {{"--cert-file=/x"}, "--cert-file and --key-file go together"},
      {{"--cert-file=/x", "--key-file=/y"}, "--cert-file: cannot read /x"},
      {{"--client-cert-auth"}, "it needs --trusted-ca-file"},
      {{"--name="}, "--name: it is empty"},
      {{"--data-dir=/dev/null"}, "--data-dir: cannot use /dev/null"},
      {{"--listen-http=127.0.0.1:1"}, "unknown flag --listen-http"},
      {{"--initial-cluster-state=old"}, "it must be one of new, existing"},
      {{"--snapshot-count=many"}, "--snapshot-count: \"many\": a number is wanted"},
      {{"--warning-unary-request-duration=5"}, "a duration is wanted"},
      {{"--cert-file=/tmp", "--key-file=/tmp"}, "--cert-file: cannot read /tmp: it is a directory"},
  };
  for (const Row& row : rows) EXPECT_THAT(StoreError(row.arguments), HasSubstr(row.error));
}

TEST(StoreOptionsTest, RemoteIsAllowedWhenAsked) {
  EXPECT_TRUE(
      ParseStore({"--listen-client-urls=http://0.0.0.0:1", "--allow-remote-access-without-tls-or-authentication"}, {})
          .ok());
}

TEST(CacheOptionsTest, DefaultsLeaveSecretsOut) {
  const auto cache = ParseCache({}, {});
  ASSERT_TRUE(cache.ok()) << cache.status();
  EXPECT_EQ(cache->options.etcd_servers[0].ToString(), "http://127.0.0.1:2379");
  EXPECT_EQ(cache->options.etcd_prefix, "/registry");
  EXPECT_EQ(cache->options.listen_http.HostPort(), "127.0.0.1:8080");
  EXPECT_EQ(cache->options.consistent_list, ConsistentListFromCache::kAuto);
  EXPECT_EQ(cache->options.resources.size(), BuiltinResources().size() - 1);
  EXPECT_EQ(cache->options.log.format, LogFormat::kText);
}

TEST(CacheOptionsTest, Refusals) {
  struct Row {
    std::vector<std::string> arguments;
    const char* error;
  };
  const Row rows[] = {
      {{"--etcd-servers=nonsense"}, "--etcd-servers: \"http://nonsense\" is not an address"},
      {{"--etcd-servers=http://a:0"}, "has no port"},
      {{"--etcd-servers=http://:2379"}, "http://:2379 has no host"},
      {{"--etcd-servers=http://a:1,https://b:1"}, "http and https cannot be mixed"},
      {{"--etcd-cafile=/x"}, "--etcd-cafile: cannot read /x"},
      {{"--etcd-prefix=/"}, "a path such as /registry is wanted"},
      {{"--etcd-prefix=//registry"}, "a path such as /registry is wanted"},
      {{"--etcd-prefix=registry//"}, "a path such as /registry is wanted"},
      {{"--listen-http=8080"}, "--listen-http: \"8080\" is not an address"},
      {{"--listen-http=:8080"}, "accepts that"},
      {{"--tls-cert-file=/x"}, "--tls-cert-file and --tls-private-key-file go together"},
      {{"--tls-private-key-file=/x"}, "--tls-cert-file and --tls-private-key-file go together"},
      {{"--tls-cert-file=/x", "--tls-private-key-file=/y"}, "--tls-cert-file: cannot read /x"},
      {{"--tls-cert-file=/dev/null", "--tls-private-key-file=/y"}, "--tls-private-key-file: cannot read /y"},
      {{"--client-ca-file=/x"}, "--client-ca-file: cannot read /x"},
      {{"--client-ca-file=/dev/null"}, "--client-ca-file: it needs --tls-cert-file and --tls-private-key-file"},
      {{"--listen-http=:8080"}, ":8080 can be reached by others, without TLS or authentication"},
      {{"--listen-http=:8080", "--tls-cert-file=/dev/null", "--tls-private-key-file=/dev/null"},
       "https://:8080 can be reached by others, without authentication"},
      {{"--listen-http=:8080", "--tls-cert-file=/dev/null", "--tls-private-key-file=/dev/null",
        "--client-ca-file=/dev/null"},
       "https://:8080 can be reached by others, without authentication"},
      {{"--resources=ponds"}, "--resources: there is no resource \"ponds\""},
      {{"--resource-definitions=/x"}, "--resource-definitions: cannot read /x"},
      {{"--encryption-provider-config=/x"}, "--encryption-provider-config: cannot read /x"},
      {{"--consistent-list-from-cache=maybe"}, "it must be one of auto, require, off"},
      {{"--data-dir=x"}, "unknown flag --data-dir"},
  };
  for (const Row& row : rows) EXPECT_THAT(CacheError(row.arguments), HasSubstr(row.error));
}

TEST(CacheOptionsTest, TlsMakesTheListenerHttps) {
  EXPECT_FALSE(ParseCache({}, {})->options.listen_http.tls());
  const std::vector<std::string> flags = {"--tls-cert-file=/dev/null", "--tls-private-key-file=/dev/zero",
                                          "--client-ca-file=/dev/full"};
  const auto cache = ParseCache(flags, {});
  ASSERT_TRUE(cache.ok()) << cache.status();
  EXPECT_EQ(cache->options.listen_http.ToString(), "https://127.0.0.1:8080");
  EXPECT_EQ(cache->options.http_tls.cert_file, "/dev/null");
  EXPECT_EQ(cache->options.http_tls.key_file, "/dev/zero");
  EXPECT_EQ(cache->options.http_tls.ca_file, "/dev/full");
  const auto up = ParseUp(flags, {});
  ASSERT_TRUE(up.ok()) << up.status();
  EXPECT_EQ(up->options.cache.listen_http.ToString(), "https://127.0.0.1:8080");
  EXPECT_EQ(up->options.store.client_tls.cert_file, "");
}

TEST(CacheOptionsTest, TheEncryptionConfigurationReachesItsResources) {
  const std::string path = testing::TempDir() + "tidemark-keys-" + std::to_string(::getpid()) + ".yaml";
  std::ofstream(path) << "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
                         "- resources: [secrets]\n  providers: [{kms: {name: plug}}]\n";
  const auto with = ParseCache({"--resources=pods,secrets", "--encryption-provider-config=" + path}, {});
  ASSERT_TRUE(with.ok()) << with.status();
  for (const Resource& resource : with->options.resources) {
    ASSERT_NE(resource.encryption, nullptr) << resource.plural;
    const auto expected = resource.plural == "secrets" ? EncryptionMethod::kKmsV1 : EncryptionMethod::kIdentity;
    EXPECT_EQ(resource.encryption->front().method, expected) << resource.plural;
  }
  EXPECT_EQ(ParseCache({"--resources=pods"}, {})->options.resources[0].encryption, nullptr);
  std::ofstream(path) << "kind: Pod\napiVersion: v1\n";
  EXPECT_THAT(CacheError({"--encryption-provider-config=" + path}),
              HasSubstr("--encryption-provider-config: " + path + ": this is v1 Pod"));
  ::unlink(path.c_str());
}

TEST(UpOptionsTest, DefaultsMirrorEverythingOfTheOwnStore) {
  const auto up = ParseUp({"--etcd-prefix=objects/"}, {});
  ASSERT_TRUE(up.ok()) << up.status();
  EXPECT_EQ(up->options.store.data_dir, "./tidemark-data");
  EXPECT_EQ(up->options.store.listen_client_urls[0].ToString(), "http://127.0.0.1:2379");
  EXPECT_EQ(up->options.cache.resources.size(), BuiltinResources().size());
  EXPECT_EQ(up->options.cache.etcd_prefix, "/objects");
  EXPECT_TRUE(up->options.cache.etcd_servers.empty());
  EXPECT_FALSE(ParseUp({"--etcd-servers=http://a:1"}, {}).ok());
  EXPECT_EQ(ParseUp({"--data-dir="}, {}).status().message(), "--data-dir: it is empty");
  EXPECT_EQ(ParseStore({"--data-dir="}, {})->options.data_dir, "default.etcd");
}

TEST(LoadOptionsTest, WantsSomethingToLoad) {
  EXPECT_THAT(std::string(ParseLoad({}, {}).status().message()), HasSubstr("nothing to load"));
  EXPECT_THAT(std::string(ParseLoad({"/does/not/exist"}, {}).status().message()),
              HasSubstr("cannot read /does/not/exist"));
  EXPECT_EQ(ParseLoad({"/tmp"}, {}).status().message(), "cannot read /tmp: it is a directory");
  const auto load = ParseLoad({"--pods=10", "--size=2KB", "-"}, {});
  ASSERT_TRUE(load.ok()) << load.status();
  EXPECT_EQ(load->options.size_bytes, 2048);
  EXPECT_EQ(load->options.files, std::vector<std::string>{"-"});
}

TEST(LoadOptionsTest, KnowsDefinedResources) {
  const std::string path = testing::TempDir() + "tidemark-load-" + std::to_string(::getpid()) + ".json";
  std::ofstream(path) << R"({"resources": [{"group": "shop.example.com", "version": "v1", "kind": "Order",
                             "resource": "orders"}]})";
  const auto load = ParseLoad({"--pods=1", "--resource-definitions=" + path}, {});
  ASSERT_TRUE(load.ok()) << load.status();
  EXPECT_EQ(load->options.resources.size(), BuiltinResources().size() + 1);
  std::ofstream(path)
      << R"({"resources": [{"group": "pods", "version": "v1", "kind": "Order", "resource": "orders"}]})";
  EXPECT_THAT(std::string(ParseLoad({"--pods=1", "--resource-definitions=" + path}, {}).status().message()),
              HasSubstr("--resource-definitions: orders.pods: its prefix pods/orders lies inside that of pods, pods"));
  EXPECT_THAT(std::string(ParseLoad({"--pods=1", "--resource-definitions=/x"}, {}).status().message()),
              HasSubstr("--resource-definitions: cannot read /x"));
}

TEST(OptionsTest, HelpOfEveryCommand) {
  const std::vector<std::string> helps = {ParseStore({"--help"}, {})->help, ParseCache({"-h"}, {})->help,
                                          ParseUp({"--help"}, {})->help, ParseLoad({"--help"}, {})->help};
  EXPECT_THAT(helps, Each(HasSubstr("usage: tidemark ")));
}

}  // namespace
}  // namespace tidemark::config
