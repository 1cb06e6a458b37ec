// Kubernetes' own round-trip data through our tables: GROUP.VERSION.KIND.pb as stored, and .json beside it.
//
//   e2e_types FOLDER       prints each failure and `N passed, N failed`; exit 1 when one failed
//
// Each .pb must become exactly the .json, and that the .pb again; NAME.after_roundtrip.* show what a release with other
// fields makes of it, and are as good. Every truncation of a .pb must give an error or an object. A kind that the tables do
// not know is named.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/go_json_string.h"
#include "base/json_string.h"
#include "base/status.h"
#include "proto/envelope.h"
#include "proto/json_to_protobuf.h"
#include "proto/kubernetes_schema.h"
#include "proto/protobuf_to_json.h"
#include "proto/raw_json.h"

namespace tidemark {
namespace {

namespace fs = std::filesystem;

constexpr size_t kShownAround = 60;  // bytes before and behind the first difference

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream content;
  content << file.rdbuf();
  return content.str();
}

absl::StatusOr<std::string> Compact(absl::string_view json) {
  proto::RawJson raw;
  std::string out;
  TM_RETURN_IF_ERROR(raw.Append(json, &out));
  return out;
}

std::string FirstDifference(absl::string_view got, absl::string_view wanted) {
  const size_t length = std::min(got.size(), wanted.size());
  size_t at = 0;
  while (at < length && got[at] == wanted[at]) ++at;
  const size_t from = at < kShownAround ? 0 : at - kShownAround;
  return absl::StrCat("differs at byte ", at, "\n    got    ", JsonString(got.substr(from, 2 * kShownAround)),
                      "\n    wanted ", JsonString(wanted.substr(from, 2 * kShownAround)));
}

class Types {
 public:
  // Empty, or what went wrong with `path`, a .pb.
  std::string Check(const fs::path& path) {
    const std::string stored = ReadFile(path);
    const absl::StatusOr<proto::Envelope> envelope = proto::ReadEnvelope(stored);
    if (!envelope.ok()) return std::string(envelope.status().message());
    type_ = proto::FindKind(envelope->api_version, envelope->kind);
    if (type_ == nullptr) {
      std::printf("unknown %s\n", path.stem().c_str());
      return "";
    }
    if (std::string wrong = ToJson(path, *envelope); !wrong.empty()) return absl::StrCat("to JSON: ", wrong);
    if (std::string wrong = ToProtobuf(path, *envelope); !wrong.empty()) return absl::StrCat("to protobuf: ", wrong);
    Truncate(stored, *envelope);
    ++passed_;
    return "";
  }
  int passed() const { return passed_; }

 private:
  // What may come out of NAME.pb: its own, and what another release leaves of it.
  static std::vector<std::string> Wanted(const fs::path& path, const char* extension) {
    std::vector<std::string> wanted = {ReadFile(fs::path(path).replace_extension(extension))};
    const fs::path left = fs::path(path).replace_extension(absl::StrCat(".after_roundtrip", extension));
    if (fs::exists(left)) wanted.push_back(ReadFile(left));
    return wanted;
  }
  static std::string Compare(const std::string& got, const std::vector<std::string>& wanted) {
    const bool equal = std::find(wanted.begin(), wanted.end(), got) != wanted.end();
    return equal ? "" : FirstDifference(got, wanted.front());
  }

  absl::StatusOr<std::string> Json(const proto::Envelope& envelope) {
    std::string json =
        absl::StrCat("{\"kind\":", GoJsonString(envelope.kind), ",\"apiVersion\":", GoJsonString(envelope.api_version));
    TM_RETURN_IF_ERROR(to_json_.AppendFields(*type_, envelope.object, &json));
    return json + "}";
  }

  std::string ToJson(const fs::path& path, const proto::Envelope& envelope) {
    std::vector<std::string> wanted = Wanted(path, ".json");
    for (std::string& json : wanted) {
      const absl::StatusOr<std::string> compact = Compact(json);
      if (!compact.ok()) return absl::StrCat("the .json beside it: ", compact.status().message());
      json = *compact;
    }
    const absl::StatusOr<std::string> got = Json(envelope);
    if (!got.ok()) return std::string(got.status().message());
    json_ = *got;
    return Compare(*got, wanted);
  }

  // Of the JSON that ToJson made: embedded JSON is stored as it came in, white space and all.
  std::string ToProtobuf(const fs::path& path, const proto::Envelope& envelope) {
    std::string object;
    if (const absl::Status status = to_protobuf_.Append(*type_, json_, &object); !status.ok()) return status.ToString();
    return Compare(proto::WriteEnvelope({.api_version = envelope.api_version, .kind = envelope.kind, .object = object}),
                   Wanted(path, ".pb"));
  }

  // An error or an object is all that is asked for. Each part is a block of its own.
  void Truncate(const std::string& stored, const proto::Envelope& envelope) {
    for (size_t length = 0; length < stored.size(); ++length) {
      const std::string part(stored, 0, length);
      if (const absl::StatusOr<proto::Envelope> cut = proto::ReadEnvelope(part); cut.ok()) (void)Json(*cut);
    }
    for (size_t length = 0; length < envelope.object.size(); ++length) {
      const std::string part(envelope.object.substr(0, length));
      (void)Json({.api_version = envelope.api_version, .kind = envelope.kind, .object = part});
    }
  }

  const proto::MessageType* type_ = nullptr;
  proto::ProtobufToJson to_json_;
  proto::JsonToProtobuf to_protobuf_;
  std::string json_;
  int passed_ = 0;
};

int Run(const std::string& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (absl::EndsWith(name, ".pb") && !absl::EndsWith(name, ".after_roundtrip.pb")) paths.push_back(entry.path());
  }
  if (error || paths.empty()) {
    std::fprintf(stderr, "e2e_types: no .pb files in %s\n", folder.c_str());
    return 2;
  }
  std::sort(paths.begin(), paths.end());
  Types types;
  int failed = 0;
  for (const fs::path& path : paths) {
    const std::string wrong = types.Check(path);
    if (wrong.empty()) continue;
    ++failed;
    std::printf("FAIL %s: %s\n", path.stem().c_str(), wrong.c_str());
  }
  std::printf("%d passed, %d failed\n", types.passed(), failed);
  return failed == 0 && types.passed() > 0 ? 0 : 1;  // where no kind is known nothing was looked at
}

}  // namespace
}  // namespace tidemark

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: e2e_types FOLDER\n");
    return 2;
  }
  return tidemark::Run(argv[1]);
}
