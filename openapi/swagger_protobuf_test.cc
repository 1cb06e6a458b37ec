#include "openapi/swagger_protobuf.h"

#include <gmock/gmock.h>
#include <google/protobuf/descriptor.h>
#include <google/protobuf/message.h>
#include <gtest/gtest.h>

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "config/yaml.h"
#include "openapi/swagger.pb.h"
#include "openapi/test_resources.h"
#include "openapi/test_whole_swagger.h"

namespace tidemark::openapi {
namespace {

using crd::Json;
using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// The message read back as JSON, by the rules that stand in swagger.proto.
class SwaggerReader {
 public:
  static Json Read(const Message& message) {
    if (message.GetDescriptor() == swagger::Any::descriptor()) return ReadYaml(message);
    const std::vector<const FieldDescriptor*> fields = FieldsOf(message);
    if (message.GetDescriptor()->oneof_decl_count() > 0) return ReadOne(message, *fields.at(0), -1);
    if (message.GetDescriptor() == swagger::Items::descriptor()) return ReadOne(message, *fields.at(0), 0);
    if (message.GetDescriptor() == swagger::Scopes::descriptor()) {
      return fields.empty() ? Json::array() : ReadField(message, *fields[0]);
    }
    if (message.GetDescriptor() == swagger::Types::descriptor()) {
      const Json types = ReadField(message, *fields.at(0));
      return types.size() == 1 ? types[0] : types;
    }
    Json object = Json::object();
    for (const FieldDescriptor* field : fields) {
      if (field->name() == "entries" || field->name() == "extensions") {
        AddNamed(message, *field, &object);
      } else {
        object[field->json_name()] = ReadField(message, *field);
      }
    }
    return object;
  }

 private:
  static std::vector<const FieldDescriptor*> FieldsOf(const Message& message) {
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    return fields;
  }

  static Json ReadYaml(const Message& message) {
    const auto texts = config::YamlToJson(static_cast<const swagger::Any&>(message).yaml());
    EXPECT_TRUE(texts.ok() && texts->size() <= 1) << message.ShortDebugString();
    return texts.ok() && texts->size() == 1 ? *crd::ParseJson((*texts)[0]) : Json();
  }

  static Json ReadField(const Message& message, const FieldDescriptor& field) {
    if (!field.is_repeated()) return ReadOne(message, field, -1);
    Json list = Json::array();
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
      list.push_back(ReadOne(message, field, i));
    }
    return list;
  }

  // The field's value, or element `i` of it.
  static Json ReadOne(const Message& message, const FieldDescriptor& field, int i) {
    const auto* const reflection = message.GetReflection();
    switch (field.cpp_type()) {
      case FieldDescriptor::CPPTYPE_STRING:
        return i < 0 ? reflection->GetString(message, &field) : reflection->GetRepeatedString(message, &field, i);
      case FieldDescriptor::CPPTYPE_BOOL:
        return reflection->GetBool(message, &field);
      case FieldDescriptor::CPPTYPE_DOUBLE:
        return reflection->GetDouble(message, &field);
      case FieldDescriptor::CPPTYPE_INT64:
        return reflection->GetInt64(message, &field);
      default:
        return Read(i < 0 ? reflection->GetMessage(message, &field)
                          : reflection->GetRepeatedMessage(message, &field, i));
    }
  }

  static void AddNamed(const Message& message, const FieldDescriptor& field, Json* object) {
    for (int i = 0; i < message.GetReflection()->FieldSize(message, &field); ++i) {
      const Message& entry = message.GetReflection()->GetRepeatedMessage(message, &field, i);
      const std::vector<const FieldDescriptor*> fields = FieldsOf(entry);
      (*object)[ReadOne(entry, *fields.at(0), -1).get<std::string>()] = ReadOne(entry, *fields.at(1), -1);
    }
  }
};

swagger::Document Written(const Json& document) {
  swagger::Document message;
  const absl::StatusOr<std::string> bytes = SwaggerToProtobuf(document);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_TRUE(bytes.ok() && message.ParseFromString(*bytes));
  return message;
}

std::string ErrorOf(const Json& document) {
  const absl::Status status = SwaggerToProtobuf(document).status();
  EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << status;
  return std::string(status.message());
}

TEST(SwaggerProtobufTest, BytesAreGnostics) {
  std::string expected;
  ASSERT_TRUE(absl::Base64Unescape(kWholeSwaggerBytes, &expected));
  const absl::StatusOr<std::string> bytes = SwaggerToProtobuf(Parsed(kWholeSwagger));
  ASSERT_TRUE(bytes.ok()) << bytes.status();
  EXPECT_EQ(absl::BytesToHexString(*bytes), absl::BytesToHexString(expected));
}

// Each message that `message` holds, with the fields that are set.
void CollectFields(const Message& message, std::set<std::string>* seen) {
  std::vector<const FieldDescriptor*> fields;
  message.GetReflection()->ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    seen->insert(field->full_name());
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) CollectFields(message.GetReflection()->GetMessage(message, field), seen);
    for (int i = 0; field->is_repeated() && i < message.GetReflection()->FieldSize(message, field); ++i) {
      CollectFields(message.GetReflection()->GetRepeatedMessage(message, field, i), seen);
    }
  }
}

TEST(SwaggerProtobufTest, WholeDocumentHasEveryField) {
  std::set<std::string> seen;
  CollectFields(Written(Parsed(kWholeSwagger)), &seen);
  const google::protobuf::FileDescriptor* const file = swagger::Document::descriptor()->file();
  for (int i = 0; i < file->message_type_count(); ++i) {
    for (int j = 0; j < file->message_type(i)->field_count(); ++j) {
      EXPECT_TRUE(seen.contains(file->message_type(i)->field(j)->full_name()))
          << file->message_type(i)->field(j)->full_name();
    }
  }
}

TEST(SwaggerProtobufTest, WholeDocumentComesBack) {
  const Json document = Parsed(kWholeSwagger);
  EXPECT_EQ(SwaggerReader::Read(Written(document)).dump(1), document.dump(1));
}

// Calls `visit` with every value below `value`, which it may change and must change back, and its place.
template <typename Visit>
void ForEachBelow(Json* value, const std::string& place, const Visit& visit) {
  size_t index = 0;
  for (auto it = value->begin(); value->is_structured() && it != value->end(); ++it) {
    const std::string at = value->is_object() ? absl::StrCat(place, place.empty() ? "" : ".", it.key())
                                              : absl::StrCat(place, "[", index++, "]");
    visit(&*it, at);
    ForEachBelow(&*it, at, visit);
  }
}

// Counts what was written. An error names the place, or that of an object around it, of which the change makes another kind.
void ExpectKeptOrRefused(const Json& document, const std::string& place, int* kept) {
  if (!SwaggerToProtobuf(document).ok()) {
    const std::string error = ErrorOf(document);
    const std::string named = error.substr(0, error.find(": "));
    EXPECT_TRUE(absl::StartsWith(named, place) || absl::StartsWith(place, named)) << place << " is changed: " << error;
    return;
  }
  ++*kept;
  EXPECT_EQ(SwaggerReader::Read(Written(document)), document) << place;
}

TEST(SwaggerProtobufTest, WhateverStandsInAValuesPlaceIsKeptOrRefused) {
  Json document = Parsed(kWholeSwagger);
  int changed = 0;
  int kept = 0;
  ForEachBelow(&document, "", [&](Json* value, const std::string& place) {
    for (const char* other : {"null", "true", "7", "7.5", "\"t\"", "[7]", R"({"t":7})"}) {
      Json before = std::exchange(*value, Parsed(other));
      ExpectKeptOrRefused(document, place, &kept);
      *value = std::move(before);
      ++changed;
    }
  });
  EXPECT_GT(kept, changed / 10);
  EXPECT_LT(kept, changed / 2);
}

TEST(SwaggerProtobufTest, WhateverAnObjectHasMoreIsKeptOrRefused) {
  Json document = Parsed(kWholeSwagger);
  int changed = 0;
  int kept = 0;
  ForEachBelow(&document, "", [&](Json* value, const std::string& place) {
    if (!value->is_object()) return;
    for (const char* name :
         {"surprise", "$ref", "entries", "extensions", "vendorExtension", "value", "x-surprise", "in"}) {
      if (value->contains(name)) continue;
      (*value)[name] = 7;
      ExpectKeptOrRefused(document, place, &kept);
      value->erase(name);
      ++changed;
    }
  });
  EXPECT_GT(kept, changed / 10);
  EXPECT_LT(kept, changed / 2);
}

TEST(SwaggerProtobufTest, Schemas) {
  const struct {
    const char* name;
    const char* schema;
    const char* expected;
  } rows[] = {
      {"empty", "{}", ""},
      {"reference", R"({"$ref":"#/definitions/B"})", R"(ref: "#/definitions/B")"},
      {"described reference", R"({"$ref":"B","description":"b"})", R"(ref: "B" description: "b")"},
      {"text", R"({"type":"string","format":"byte","pattern":"^a","minLength":1,"maxLength":2})",
       R"(format: "byte" max_length: 2 min_length: 1 pattern: "^a" type { value: "string" })"},
      {"types", R"({"type":["string","null"]})", R"(type { value: "string" value: "null" })"},
      {"number", R"({"minimum":-1,"maximum":1.5,"exclusiveMaximum":true,"multipleOf":0.5})",
       "multiple_of: 0.5 maximum: 1.5 exclusive_maximum: true minimum: -1"},
      {"a bound beyond doubles is rounded", R"({"maximum":9223372036854775807})", "maximum: 9.2233720368547758e+18"},
      {"zero, false and empty are absent", R"({"minimum":0,"minItems":0,"uniqueItems":false,"title":"","required":[]})",
       ""},
      {"list", R"({"items":{"type":"string"},"maxItems":3})",
       R"(max_items: 3 items { schema { type { value: "string" } } })"},
      {"object", R"({"properties":{"b":{},"a":{"title":"t"}},"required":["b","a"]})",
       R"(required: "b" required: "a" properties { entries { name: "a" value { title: "t" } } entries { name: "b" value { } } })"},
      {"no properties", R"({"properties":{}})", "properties { }"},
      {"properties may be called anything", R"({"properties":{"x-a":{},"$ref":{}}})",
       R"(properties { entries { name: "$ref" value { } } entries { name: "x-a" value { } } })"},
      {"map", R"({"additionalProperties":{"type":"integer"}})",
       R"(additional_properties { schema { type { value: "integer" } } })"},
      {"any map", R"({"additionalProperties":true})", "additional_properties { allowed: true }"},
      {"no map", R"({"additionalProperties":false})", "additional_properties { allowed: false }"},
      {"default", R"({"default":{}})", R"(default { yaml: "{}\n" })"},
      {"null as default", R"({"default":null})", R"(default { yaml: "null\n" })"},
      {"enum", R"({"enum":["a","true",1]})",
       R"(enum { yaml: "a\n" } enum { yaml: "\"true\"\n" } enum { yaml: "1\n" })"},
      {"all of", R"({"allOf":[{"$ref":"A"},{"title":"b"}]})", R"(all_of { ref: "A" } all_of { title: "b" })"},
      {"extensions", R"({"x-kubernetes-preserve-unknown-fields":true,"x-kubernetes-list-type":"map"})",
       R"(extensions { name: "x-kubernetes-list-type" value { yaml: "map\n" } })"
       R"( extensions { name: "x-kubernetes-preserve-unknown-fields" value { yaml: "true\n" } })"},
  };
  for (const auto& row : rows) {
    const swagger::Document document = Written(Parsed(absl::StrCat(R"({"definitions":{"A":)", row.schema, "}}")));
    ASSERT_EQ(document.definitions().entries_size(), 1) << row.name;
    EXPECT_EQ(document.definitions().entries(0).name(), "A") << row.name;
    EXPECT_EQ(document.definitions().entries(0).value().ShortDebugString(), row.expected) << row.name;
  }
}

TEST(SwaggerProtobufTest, PathItems) {
  const struct {
    const char* name;
    const char* item;
    const char* expected;
  } rows[] = {
      {"method", R"({"get":{"operationId":"a","schemes":["https"],"tags":["core","v1"]}})",
       R"(get { tags: "core" tags: "v1" operation_id: "a" schemes: "https" })"},
      {"an operation's extensions", R"({"head":{"x-kubernetes-group-version-kind":{"group":"","kind":"Pod"}}})",
       R"(head { extensions { name: "x-kubernetes-group-version-kind" value { yaml: "group: \"\"\nkind: Pod\n" } } })"},
      {"parameters of each kind",
       R"({"parameters":[{"$ref":"#/p"},{"in":"path","name":"a"},{"in":"query","name":"b","uniqueItems":true},
          {"in":"body","name":"c","schema":{"$ref":"B"}}]})",
       R"(parameters { reference { ref: "#/p" } })"
       R"( parameters { parameter { plain { path { in: "path" name: "a" } } } })"
       R"( parameters { parameter { plain { query { in: "query" name: "b" unique_items: true } } } })"
       R"( parameters { parameter { body { name: "c" in: "body" schema { ref: "B" } } } })"},
      {"responses", R"({"put":{"responses":{"200":{"description":"OK","schema":{"$ref":"B"}},"401":{"$ref":"#/r"}}}})",
       R"(put { responses { entries { name: "200" value { response { description: "OK" schema { schema { ref: "B" } } } } })"
       R"( entries { name: "401" value { reference { ref: "#/r" } } } } })"},
  };
  for (const auto& row : rows) {
    const swagger::Document document = Written(Parsed(absl::StrCat(R"({"paths":{"/a":)", row.item, "}}")));
    ASSERT_EQ(document.paths().entries_size(), 1) << row.name;
    EXPECT_EQ(document.paths().entries(0).value().ShortDebugString(), row.expected) << row.name;
  }
}

TEST(SwaggerProtobufTest, WhatHasNoPlaceIsRefusedByItsPlace) {
  const struct {
    const char* document;
    const char* error;
  } rows[] = {
      {"[]", "document: is no object"},
      {R"({"host":"a"})", "host: has no place in the protobuf form"},
      {R"({"info":null})", "info: is no object"},
      {R"({"info":{"extensions":[{"name":"x-a"}]}})", "info.extensions: has no place"},
      {R"({"definitions":{"X":{"properties":{"y":{"anyOf":[]}}}}})", "definitions.X.properties.y.anyOf: has no place"},
      {R"({"definitions":{"X":{"properties":{"y":{"type":1}}}}})",
       "definitions.X.properties.y.type: is no text or list"},
      {R"({"definitions":{"X":{"items":[{}]}}})", "definitions.X.items: is no object"},
      {R"({"definitions":{"X":{"maxLength":1.5}}})", "definitions.X.maxLength: is no integer"},
      {R"({"definitions":{"X":{"maxLength":9223372036854775808}}})", "definitions.X.maxLength: is no integer"},
      {R"({"definitions":{"X":{"minimum":"1"}}})", "definitions.X.minimum: is no number"},
      {R"({"definitions":{"X":{"required":["a",1]}}})", "definitions.X.required[1]: is no text"},
      {R"({"definitions":{"X":{"readOnly":1}}})", "definitions.X.readOnly: is neither true nor false"},
      {R"({"paths":{"/a":{"trace":{}}}})", "paths./a.trace: has no place"},
      {R"({"paths":{"/a":{"parameters":{}}}})", "paths./a.parameters: is no list"},
      {R"({"paths":{"/a":{"parameters":[{"in":"query"},{"in":"header"}]}}})", "paths./a.parameters[1]: is of a kind"},
      {R"({"paths":{"/a":{"parameters":[{"in":"path","allowEmptyValue":true}]}}})",
       "paths./a.parameters[0].allowEmptyValue: has no place"},
      {R"({"paths":{"/a":{"parameters":[{"$ref":"a","in":"path"}]}}})", "paths./a.parameters[0].in: has no place"},
      {R"({"paths":{"/a":{"get":{"responses":{"200":{"headers":{}}}}}}})",
       "paths./a.get.responses.200.headers: has no place"},
      {R"({"securityDefinitions":{"B":{"type":"basic"}}})", "securityDefinitions.B: is of a kind"},
      {R"({"security":[{"B":"a"}]})", "security[0].B: is no list"},
  };
  for (const auto& row : rows) EXPECT_THAT(ErrorOf(Parsed(row.document)), StartsWith(row.error)) << row.document;
}

// A definition of `levels` schemas, each in the allOf of the other.
Json NestedDefinition(int levels) {
  Json schema = Json::object();
  for (int i = 1; i < levels; ++i) schema = Json{{"allOf", Json::array({std::move(schema)})}};
  return Json{{"definitions", {{"A", std::move(schema)}}}};
}

TEST(SwaggerProtobufTest, DeepestDocumentCanBeReadAndADeeperOneIsRefused) {
  // Definitions and NamedSchema are two messages more.
  const int levels = kSwaggerNestingMax - 2;
  EXPECT_EQ(SwaggerReader::Read(Written(NestedDefinition(levels))), NestedDefinition(levels));
  EXPECT_THAT(ErrorOf(NestedDefinition(levels + 1)), HasSubstr("allOf[0]: is nested too deeply"));
}

TEST(SwaggerProtobufTest, ExtensionTooDeepForYamlIsRefusedByItsPlace) {
  const std::string deep = std::string(200, '[') + std::string(200, ']');
  EXPECT_EQ(ErrorOf(Parsed(absl::StrCat(R"({"info":{"x-a":)", deep, "}}"))), "info.x-a: is nested too deeply for YAML");
}

}  // namespace
}  // namespace tidemark::openapi
