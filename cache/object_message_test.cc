#include "cache/object_message.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "cache/object_json.h"
#include "config/resource.h"
#include "gtest/gtest.h"
#include "proto/json_to_protobuf.h"
#include "proto/protobuf_to_json.h"

namespace tidemark::cache {
namespace {

// {"spec":{"nodeName":VALUE}} of "spec.nodeName".
std::string Nested(absl::string_view path, absl::string_view value) {
  const std::vector<std::string> steps = absl::StrSplit(path, '.');
  std::string json;
  for (const std::string& step : steps) absl::StrAppend(&json, "{\"", step, "\":");
  return absl::StrCat(json, value, std::string(steps.size(), '}'));
}

class Both {
 public:
  explicit Both(const std::shared_ptr<const ObjectSchema>& schema)
      : type_(*schema->message_type()), message_(schema), json_(schema) {}

  // Reads the message as it is, and as its JSON.
  void Compare(const std::string& message) {
    std::string json = "{";
    ASSERT_TRUE(proto::ProtobufToJson().AppendFields(type_, message, &json).ok());
    json_.Load(json + "}");
    EXPECT_EQ(message_.Read(message), json_.Read()) << json;
  }

 private:
  const proto::MessageType& type_;
  ObjectMessage message_;
  ObjectJson json_;
};

TEST(ObjectMessageTest, EveryFieldOfEveryResourceIsReadAsInItsJson) {
  int fields = 0;
  for (const config::Resource& resource : config::BuiltinResources()) {
    const auto schema = std::make_shared<const ObjectSchema>(resource);
    if (schema->message_type() == nullptr) continue;
    ASSERT_TRUE(ObjectMessage(schema).fits()) << resource.GroupResource();
    Both both(schema);
    both.Compare("");
    for (const ObjectSchema::Field& field : schema->fields()) {
      int taken = 0;
      for (const absl::string_view value : {"\"text\"", "\"\"", "true", "false", "7", "-1", "0"}) {
        std::string message;
        if (!proto::JsonToProtobuf().Append(*schema->message_type(), Nested(field.path, value), &message).ok())
          continue;
        both.Compare(message);
        ++taken;
      }
      EXPECT_GT(taken, 0) << resource.GroupResource() << " " << field.path;
      ++fields;
    }
  }
  EXPECT_GT(fields, 25);
}

TEST(ObjectMessageTest, LabelsAreInOrderAndTheLastOfAKeyCounts) {
  config::Resource resource{.version = "v1", .kind = "Pod", .plural = "pods"};
  const auto schema = std::make_shared<const ObjectSchema>(resource);
  Both both(schema);
  const std::string labels =
      "\x5a\x06\x0a\x01"
      "b\x12\x01"
      "1\x5a\x06\x0a\x01"
      "a\x12\x01"
      "2\x5a\x06\x0a\x01"
      "b\x12\x01"
      "3";
  both.Compare(absl::StrCat("\x0a\x18", labels));
  // Metadata that comes in two pieces.
  both.Compare(absl::StrCat("\x0a\x08", labels.substr(0, 8), "\x0a\x10", labels.substr(8)));
}

}  // namespace
}  // namespace tidemark::cache
