#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <iterator>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "base/clock.h"
#include "base/status.h"
#include "cmd/made_cluster.h"
#include "cmd/manifest.h"
#include "cmd/program.h"
#include "cmd/progress_bar.h"
#include "config/text_file.h"
#include "storeclient/store_writer.h"

namespace tidemark::cmd {
namespace {

// A file is read whole, and its tree takes some ten times its size.
constexpr size_t kManifestFileBytesMax = 256 << 20;

absl::StatusOr<std::string> ReadFile(const std::string& path) {
  if (path == "-") return config::ReadTextStream(std::cin, "stdin", kManifestFileBytesMax);
  return config::ReadTextFile(path, kManifestFileBytesMax);
}

absl::StatusOr<std::vector<StoredObject>> ReadAllManifests(const config::LoadOptions& options) {
  const ManifestContext context{.etcd_prefix = options.etcd_prefix,
                                .resources = options.resources,
                                .now = RealClock().Now(),
                                .make_uid = RandomUid};
  std::vector<StoredObject> objects;
  for (const std::string& path : options.files) {
    TM_ASSIGN_OR_RETURN(const std::string text, ReadFile(path));
    auto read = ReadManifests(text, context);
    if (!read.ok()) return absl::InvalidArgumentError(absl::StrCat(path, ": ", read.status().message()));
    std::move(read->begin(), read->end(), std::back_inserter(objects));
  }
  return objects;
}

storeclient::StoreWriterOptions WriterOptions(const config::LoadOptions& options) {
  storeclient::StoreWriterOptions writer;
  for (const config::Address& server : options.etcd_servers) writer.store.endpoints.push_back(server.ToString());
  writer.store.ca_file = options.etcd_tls.ca_file;
  writer.store.cert_file = options.etcd_tls.cert_file;
  writer.store.key_file = options.etcd_tls.key_file;
  return writer;
}

absl::Status WriteAll(const std::vector<StoredObject>& manifests, const MadeCluster& made,
                      storeclient::StoreWriter* writer) {
  for (const StoredObject& object : manifests) TM_RETURN_IF_ERROR(writer->Put(object.key, object.value));
  for (int64_t i = 0; i < made.size(); ++i) {
    const StoredObject object = made.Object(i);
    TM_RETURN_IF_ERROR(writer->Put(object.key, object.value));
  }
  return writer->Flush();
}

}  // namespace

int RunLoad(const config::LoadOptions& options) {
  auto manifests = ReadAllManifests(options);
  if (!manifests.ok()) return Fail("load", manifests.status());
  auto writer = storeclient::StoreWriter::Create(WriterOptions(options));
  if (!writer.ok()) return Fail("load", writer.status());
  const MadeCluster made({.etcd_prefix = options.etcd_prefix,
                          .pods = options.pods,
                          .nodes = options.nodes,
                          .size_bytes = options.size_bytes,
                          .seed = options.seed});
  const int64_t total = static_cast<int64_t>(manifests->size()) + made.size();
  std::optional<ProgressBar> bar;
  if (total > 0) {
    bar.emplace("load", total, ::isatty(STDERR_FILENO) == 1, RealClock(),
                [](absl::string_view text) { std::fwrite(text.data(), 1, text.size(), stderr); });
    (*writer)->OnProgress([&bar](const auto& progress) { bar->Update(progress.writes); });
  }
  const absl::Time start = RealClock().Now();
  const absl::Status status = WriteAll(*manifests, made, writer->get());
  if (bar.has_value()) bar->Finish();
  if (!status.ok()) return Fail("load", status);
  const storeclient::StoreWriter::Progress done = (*writer)->progress();
  Say(absl::StrFormat("loaded %d objects, %.1f MB, in %.1f s", done.writes, static_cast<double>(done.bytes) / 1e6,
                      absl::ToDoubleSeconds(RealClock().Now() - start)));
  return kExitOk;
}

}  // namespace tidemark::cmd
