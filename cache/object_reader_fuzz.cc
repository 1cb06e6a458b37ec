// Any bytes become an object or an unreadable one. An object's JSON is canonical: building it again changes nothing but
// the revision, and a reader sees what the builder saw.
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "base/check.h"
#include "cache/object_reader.h"
#include "proto/envelope.h"
#include "proto/protobuf_to_json.h"
#include "proto/revision_splice.h"

namespace {

using tidemark::Revision;
using tidemark::cache::ObjectRef;

void Check(const std::shared_ptr<const tidemark::cache::ObjectSchema>& schema, absl::string_view value) {
  tidemark::cache::ObjectBuilder builder(schema);
  const ObjectRef object = builder.Build("ns/name", value, Revision(12345));
  if (object->unreadable()) {
    TM_CHECK(!object->reason().empty()) << "no reason";
    return;
  }
  tidemark::cache::ObjectReader reader(schema);
  TM_CHECK(reader.Read(*object) == builder.values()) << object->key();
  if (object->is_protobuf()) {
    TM_CHECK(tidemark::proto::FindRevision(object->Message()).has_value()) << "no revision";
    std::string json = "{";
    TM_CHECK(tidemark::proto::ProtobufToJson().AppendFields(*schema->message_type(), object->Message(), &json).ok())
        << "what was taken cannot be written";
    return;
  }
  TM_CHECK(absl::StartsWith(object->Json(), "{\"metadata\":{") && absl::EndsWith(object->Json(), "}"))
      << object->Json();
  TM_CHECK(object->Item().back() == ',' && object->ResourceVersion() == "12345") << object->Item();
  TM_CHECK(!absl::StrContains(object->Json(), '\n')) << object->Json();
  const std::string first(object->Json());
  const ObjectRef again = builder.Build("ns/name", first, Revision(12345));
  TM_CHECK(!again->unreadable()) << again->reason() << ": " << first;
  TM_CHECK(reader.Read(*again) == builder.values()) << again->Json();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static const auto* const schemas = [] {
    auto* const made = new std::vector<std::shared_ptr<const tidemark::cache::ObjectSchema>>();
    for (const bool custom : {false, true}) {
      tidemark::config::Resource resource;
      resource.custom = custom;
      resource.version = "v1";
      resource.kind = "Pod";
      resource.fields = {{"spec.nodeName", "spec.nodeName"},
                         {"spec.a.b", "spec.a.b", true, "false"},
                         {"metadata.uid", "metadata.uid", false},
                         {"source", "source.component", true, "", "x"}};
      made->push_back(std::make_shared<const tidemark::cache::ObjectSchema>(resource));
    }
    // All of its fields are read from the message as it is.
    const tidemark::config::Resource plain{
        .version = "v1", .kind = "Pod", .plural = "pods", .fields = {{"spec.nodeName", "spec.nodeName"}}};
    made->push_back(std::make_shared<const tidemark::cache::ObjectSchema>(plain));
    return made;
  }();
  const absl::string_view text(reinterpret_cast<const char*>(data), size);
  for (const auto& schema : *schemas) {
    Check(schema, text);
    Check(schema, tidemark::proto::WriteEnvelope({.api_version = "v1", .kind = "Pod", .object = text}));
    Check(schema, absl::StrCat("{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{", text));
  }
  return 0;
}
