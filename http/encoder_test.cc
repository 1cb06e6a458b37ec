#include "http/encoder.h"

#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "base/check.h"
#include "base/clock.h"
#include "base/status.h"
#include "cache/event.h"
#include "cache/object_reader.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "http/json_encoder.h"
#include "http/pieces.h"
#include "http/protobuf_encoder.h"
#include "proto/envelope.h"
#include "proto/field_reader.h"
#include "proto/field_writer.h"
#include "proto/json_to_protobuf.h"

namespace tidemark::http {
namespace {

using Encoding = AnswerForm::Encoding;
using Shape = AnswerForm::Shape;
using testing::EndsWith;

constexpr absl::string_view kFirst =
    R"({"metadata":{"name":"a","namespace":"n","uid":"u","labels":{"k":"\u003cv\u003e"}},"data":{"x":"1"}})";
constexpr absl::string_view kSecond = R"({"metadata":{"name":"b","namespace":"n"}})";

const config::Resource& ConfigMaps() {
  for (const config::Resource& resource : config::BuiltinResources()) {
    if (resource.group.empty() && resource.plural == "configmaps") return resource;
  }
  TM_CHECK(false) << "no configmaps";
  return config::BuiltinResources().front();
}

config::Resource Gadgets() {
  return {.group = "example.com", .version = "v1", .kind = "Gadget", .plural = "gadgets", .custom = true};
}

std::string MessageOf(absl::string_view json) {
  std::string message;
  TM_CHECK_OK(proto::JsonToProtobuf().Append(*proto::FindKind("v1", "ConfigMap"), json, &message));
  return message;
}

cache::ObjectRef Stored(const config::Resource& resource, absl::string_view value, int64_t revision) {
  cache::ObjectBuilder builder(std::make_shared<const cache::ObjectSchema>(resource));
  cache::ObjectRef object = builder.Build("n/x", value, Revision(revision));
  TM_CHECK(!object->unreadable()) << object->reason();
  return object;
}

// What an encoder writes, piece after piece.
class Written {
 public:
  Written() { pieces_.Begin(&slices_); }
  Pieces* pieces() { return &pieces_; }
  std::string text() const {
    std::string text;
    for (const absl::string_view slice : slices_) absl::StrAppend(&text, slice);
    EXPECT_EQ(text.size(), pieces_.bytes());
    return text;
  }

 private:
  std::vector<absl::string_view> slices_;
  Pieces pieces_;
};

std::string List(Encoder* encoder, const std::vector<cache::ObjectRef>& objects) {
  ListHead head{.revision = Revision(100), .continue_token = "more", .remaining = 3, .empty = objects.empty()};
  for (const cache::ObjectRef& object : objects) {
    head.item_bytes += *encoder->ItemBytes(*object);
  }
  Written written;
  encoder->AppendHead(head, written.pieces());
  for (const cache::ObjectRef& object : objects) {
    TM_CHECK_OK(encoder->AppendItem(*object, object.get() == objects.back().get(), written.pieces()));
  }
  encoder->AppendTail(objects.empty(), written.pieces());
  return written.text();
}

// Every frame of a watch, one after the other.
std::string Frames(Encoder* encoder, const cache::ObjectRef& object) {
  using Type = cache::WatchEvent::Type;
  Written written;
  TM_CHECK_OK(encoder->AppendAdded(*object, written.pieces()));
  const cache::EventRef update = cache::Event::Make(object->mod_revision(), object, object);
  const cache::EventRef removal = cache::Event::Make(Revision(1000), {}, object);
  for (const auto& [type, event] : {std::pair(Type::kModified, update), std::pair(Type::kDeleted, removal)}) {
    TM_CHECK_OK(encoder->AppendEvent({type, event->revision(), event, object.get()}, written.pieces()));
  }
  TM_CHECK_OK(encoder->AppendBookmark(Revision(2000), /*initial_events_end=*/true, written.pieces()));
  encoder->AppendError({.code = 410, .reason = "Expired", .message = "too old"}, written.pieces());
  return written.text();
}

struct FormRow {
  const char* name;
  AnswerForm form;
};

class EncoderFormTest : public ::testing::TestWithParam<FormRow> {
 protected:
  std::unique_ptr<Encoder> Make(const config::Resource& resource) const {
    return MakeEncoder(GetParam().form, resource, RealClock());
  }
};

TEST_P(EncoderFormTest, StorageDoesNotShow) {
  const auto in_protobuf = [](absl::string_view json, int64_t revision) {
    const std::string message = MessageOf(json);
    return Stored(ConfigMaps(), proto::WriteEnvelope({"v1", "ConfigMap", message}), revision);
  };
  const std::vector<cache::ObjectRef> json = {Stored(ConfigMaps(), kFirst, 7), Stored(ConfigMaps(), kSecond, 99)};
  const std::vector<cache::ObjectRef> protobuf = {in_protobuf(kFirst, 7), in_protobuf(kSecond, 99)};
  ASSERT_FALSE(json[0]->is_protobuf());
  ASSERT_TRUE(protobuf[0]->is_protobuf());
  const auto encoder = Make(ConfigMaps());
  EXPECT_EQ(List(encoder.get(), json), List(encoder.get(), protobuf));
  EXPECT_EQ(*encoder->Whole(*json[0]), *encoder->Whole(*protobuf[0]));
  EXPECT_EQ(Frames(Make(ConfigMaps()).get(), json[0]), Frames(Make(ConfigMaps()).get(), protobuf[0]));
}

INSTANTIATE_TEST_SUITE_P(
    Forms, EncoderFormTest,
    ::testing::Values(FormRow{"Json", {}}, FormRow{"Protobuf", {.encoding = Encoding::kProtobuf}},
                      FormRow{"MetadataJson", {.shape = Shape::kPartialMetadata}},
                      FormRow{"MetadataProtobuf", {.encoding = Encoding::kProtobuf, .shape = Shape::kPartialMetadata}},
                      FormRow{"OldMetadata", {.shape = Shape::kPartialMetadata, .meta_v1beta1 = true}},
                      FormRow{"Table", {.shape = Shape::kTable}},
                      FormRow{"WholeTable",
                              {.shape = Shape::kTable, .include_object = AnswerForm::IncludeObject::kObject}}),
    [](const auto& info) { return info.param.name; });

TEST(EncoderTest, JsonIsThatOfTheRecordings) {
  const std::vector<cache::ObjectRef> objects = {Stored(ConfigMaps(), kFirst, 7), Stored(ConfigMaps(), kSecond, 99)};
  JsonEncoder encoder(ShownObject::Whole(ConfigMaps()));
  EXPECT_EQ(
      List(&encoder, objects),
      R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"100","continue":"more",)"
      R"("remainingItemCount":3},"items":[{"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7",)"
      R"("labels":{"k":"\u003cv\u003e"}},"data":{"x":"1"}},{"metadata":{"name":"b","namespace":"n","resourceVersion":"99"}}]})"
      "\n");
  EXPECT_EQ(List(&encoder, {}),
            R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"100","continue":"more",)"
            R"("remainingItemCount":3},"items":[]})"
            "\n");
  EXPECT_EQ(
      Frames(&encoder, objects[1]),
      R"({"type":"ADDED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b","namespace":"n",)"
      R"("resourceVersion":"99"}}})"
      "\n"
      R"({"type":"MODIFIED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b","namespace":"n",)"
      R"("resourceVersion":"99"}}})"
      "\n"
      R"({"type":"DELETED","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"b","namespace":"n",)"
      R"("resourceVersion":"1000"}}})"
      "\n"
      R"({"type":"BOOKMARK","object":{"kind":"ConfigMap","apiVersion":"v1","metadata":{"resourceVersion":"2000",)"
      R"("annotations":{"k8s.io/initial-events-end":"true"}}}})"
      "\n"
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","metadata":{},"status":"Failure",)"
      R"("message":"too old","reason":"Expired","code":410}})"
      "\n");
}

TEST(EncoderTest, MetadataAloneCarriesItsOwnKind) {
  JsonEncoder encoder(ShownObject::Metadata(ConfigMaps(), false));
  EXPECT_EQ(List(&encoder, {Stored(ConfigMaps(), kSecond, 99)}),
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"100",)"
            R"("continue":"more","remainingItemCount":3},"items":[{"kind":"PartialObjectMetadata",)"
            R"("apiVersion":"meta.k8s.io/v1","metadata":{"name":"b","namespace":"n","resourceVersion":"99"}}]})"
            "\n");
  EXPECT_EQ(List(&encoder, {}),
            R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":{"resourceVersion":"100",)"
            R"("continue":"more","remainingItemCount":3},"items":null})"
            "\n");
}

TEST(EncoderTest, CustomObjectHasTheOrderOfNamesAndItsMetadataThatOfTheType) {
  const config::Resource gadgets = Gadgets();
  const cache::ObjectRef gadget = Stored(
      gadgets,
      R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"labels":{"a":"b"},"name":"g","uid":"u"},"x":1})",
      5);
  EXPECT_EQ(*JsonEncoder(ShownObject::Whole(gadgets)).Whole(*gadget),
            R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"labels":{"a":"b"},"name":"g",)"
            R"("resourceVersion":"5","uid":"u"},"x":1})");
  EXPECT_EQ(*JsonEncoder(ShownObject::Metadata(gadgets, false)).Whole(*gadget),
            R"({"kind":"PartialObjectMetadata","apiVersion":"meta.k8s.io/v1","metadata":{"name":"g","uid":"u",)"
            R"("resourceVersion":"5","labels":{"a":"b"}}})");
  EXPECT_FALSE(ShownObject::Whole(gadgets).has_messages());
  const auto metadata = ProtobufEncoder(ShownObject::Metadata(gadgets, false)).Whole(*gadget);
  const auto envelope = proto::ReadEnvelope(*metadata);
  ASSERT_TRUE(envelope.ok());
  EXPECT_EQ(envelope->kind, "PartialObjectMetadata");
  EXPECT_EQ(envelope->object,
            MessageOf(R"({"metadata":{"name":"g","uid":"u","resourceVersion":"5","labels":{"a":"b"}}})"));
}

TEST(EncoderTest, AListHasTheKindThatItsResourceGivesIt) {
  config::Resource gadgets = Gadgets();
  EXPECT_EQ(ShownObject::Whole(gadgets).list_kind(), "GadgetList");
  gadgets.list_kind = "GadgetCollection";
  EXPECT_EQ(ShownObject::Whole(gadgets).list_kind(), "GadgetCollection");
  EXPECT_EQ(ShownObject::Metadata(gadgets, false).list_kind(), "PartialObjectMetadataList");
}

// Finds the cells of objects that say so.
class TestColumns : public config::ObjectColumns {
 public:
  const std::vector<config::TableColumn>& columns() const override { return columns_; }
  absl::Status AppendCells(absl::string_view json, absl::Time, std::string* out) const override {
    *out += "\"found\",1";
    if (!absl::StrContains(json, "\"whole\"")) return absl::InvalidArgumentError("it ends here");
    *out += ",2";
    return absl::OkStatus();
  }

 private:
  const std::vector<config::TableColumn> columns_{{.name = "Name"}, {.name = "A"}, {.name = "B"}};
};

TEST(EncoderTest, CellsThatCannotBeFoundAreNull) {
  config::Resource gadgets = Gadgets();
  gadgets.object_columns = std::make_shared<TestColumns>();
  const auto encoder =
      MakeEncoder({.shape = Shape::kTable, .include_object = AnswerForm::IncludeObject::kNone}, gadgets, RealClock());
  EXPECT_THAT(*encoder->Whole(*Stored(gadgets, R"({"metadata":{"name":"whole"}})", 5)),
              EndsWith(R"("rows":[{"cells":["found",1,2],"object":null}]})"));
  EXPECT_THAT(*encoder->Whole(*Stored(gadgets, R"({"metadata":{"name":"part"}})", 5)),
              EndsWith(R"("rows":[{"cells":["x",null,null],"object":null}]})"));
}

TEST(EncoderTest, ProtobufListIsOneEnvelopeOfItsItems) {
  ProtobufEncoder encoder(ShownObject::Whole(ConfigMaps()));
  const std::string list = List(&encoder, {Stored(ConfigMaps(), kFirst, 7), Stored(ConfigMaps(), kSecond, 99)});
  const auto envelope = proto::ReadEnvelope(list);
  ASSERT_TRUE(envelope.ok());
  EXPECT_EQ(envelope->api_version, "v1");
  EXPECT_EQ(envelope->kind, "ConfigMapList");
  constexpr absl::string_view kMeta(
      "\x0a\x0f\x0a\x00\x12\x03"
      "100\x1a\x04more\x20\x03",
      17);
  std::string expected(kMeta);
  const std::string first = MessageOf(R"({"metadata":{"name":"a","namespace":"n","uid":"u","resourceVersion":"7",)"
                                      R"("labels":{"k":"\u003cv\u003e"}},"data":{"x":"1"}})");
  proto::AppendBytesField(2, first, &expected);
  proto::AppendBytesField(2, MessageOf(R"({"metadata":{"name":"b","namespace":"n","resourceVersion":"99"}})"),
                          &expected);
  EXPECT_EQ(envelope->object, expected);
  EXPECT_TRUE(absl::EndsWith(list, absl::string_view("\x1a\0\x22\0", 4)));
}

TEST(EncoderTest, OldListOfMetadataEndsWithItsOwn) {
  ProtobufEncoder encoder(ShownObject::Metadata(ConfigMaps(), true));
  const std::string list = List(&encoder, {Stored(ConfigMaps(), kSecond, 99)});
  const auto envelope = proto::ReadEnvelope(list);
  ASSERT_TRUE(envelope.ok());
  proto::FieldReader fields(envelope->object);
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.tag(), 1u);
  EXPECT_THAT(std::string(fields.bytes()), testing::HasSubstr("\x0a\x01"
                                                              "b"));
  ASSERT_TRUE(fields.Next());
  EXPECT_EQ(fields.tag(), 2u);
  EXPECT_THAT(std::string(fields.bytes()), testing::HasSubstr("more"));
  EXPECT_FALSE(fields.Next());
  EXPECT_TRUE(fields.ok());
}

TEST(EncoderTest, FlowSchemasAreATableInTheOrderTheyAreMatchedIn) {
  const config::Resource schemas{
      .group = "flowcontrol.apiserver.k8s.io", .version = "v1", .kind = "FlowSchema", .plural = "flowschemas"};
  const cache::ObjectRef late = Stored(schemas, R"({"metadata":{"name":"a"},"spec":{"matchingPrecedence":900}})", 1);
  const cache::ObjectRef first = Stored(schemas, R"({"metadata":{"name":"b"},"spec":{"matchingPrecedence":1}})", 2);
  const cache::ObjectRef second = Stored(schemas, R"({"metadata":{"name":"c"},"spec":{"matchingPrecedence":900}})", 3);
  std::vector<const cache::Object*> objects = {late.get(), first.get(), second.get()};
  MakeEncoder({.shape = Shape::kTable}, schemas, RealClock())->Arrange(&objects);
  EXPECT_EQ(objects, (std::vector<const cache::Object*>{first.get(), late.get(), second.get()}));
  const std::vector<const cache::Object*> by_key = {late.get(), first.get(), second.get()};
  objects = by_key;
  MakeEncoder({}, schemas, RealClock())->Arrange(&objects);
  EXPECT_EQ(objects, by_key);
}

TEST(EncoderTest, ProtobufFramesSayTheirLength) {
  ProtobufEncoder encoder(ShownObject::Whole(ConfigMaps()));
  const std::string frames = Frames(&encoder, Stored(ConfigMaps(), kSecond, 99));
  std::vector<std::string> seen;
  for (absl::string_view rest = frames; !rest.empty();) {
    ASSERT_GE(rest.size(), 4u);
    size_t length = 0;
    for (int i = 0; i < 4; ++i) length = length << 8 | static_cast<unsigned char>(rest[i]);
    ASSERT_LE(length, rest.size() - 4);
    proto::FieldReader event(rest.substr(4, length));
    ASSERT_TRUE(event.Next());
    const std::string type(event.bytes());
    ASSERT_TRUE(event.Next());
    proto::FieldReader raw(event.bytes());
    ASSERT_TRUE(raw.Next());
    const auto envelope = proto::ReadEnvelope(raw.bytes());
    ASSERT_TRUE(envelope.ok());
    seen.push_back(absl::StrCat(type, " ", envelope->kind));
    if (type == "DELETED") {
      EXPECT_EQ(envelope->object, MessageOf(R"({"metadata":{"name":"b","namespace":"n","resourceVersion":"1000"}})"));
    }
    rest.remove_prefix(4 + length);
  }
  EXPECT_EQ(seen, (std::vector<std::string>{"ADDED ConfigMap", "MODIFIED ConfigMap", "DELETED ConfigMap",
                                            "BOOKMARK ConfigMap", "ERROR Status"}));
}

TEST(EncoderTest, WhatIsNoMessageOfItsKindHasNoProtobuf) {
  const cache::ObjectRef odd = Stored(ConfigMaps(), R"({"metadata":{"name":"a"},"data":7})", 7);
  ProtobufEncoder encoder(ShownObject::Whole(ConfigMaps()));
  Written written;
  EXPECT_FALSE(encoder.ItemBytes(*odd).ok());
  EXPECT_FALSE(encoder.AppendItem(*odd, true, written.pieces()).ok());
  EXPECT_FALSE(encoder.Whole(*odd).ok());
  EXPECT_FALSE(encoder.AppendAdded(*odd, written.pieces()).ok());
  const cache::EventRef event = cache::Event::Make(Revision(7), odd, {});
  const cache::WatchEvent seen{cache::WatchEvent::Type::kAdded, Revision(7), event, odd.get()};
  EXPECT_FALSE(encoder.AppendEvent(seen, written.pieces()).ok());
  EXPECT_FALSE(encoder.AppendEvent(seen, written.pieces()).ok());
}

TEST(PiecesTest, CopiesSideBySideAreOneSlice) {
  std::vector<absl::string_view> slices;
  Pieces pieces;
  pieces.Begin(&slices);
  pieces.Add("before");
  pieces.AddCopy("one");
  pieces.AddCopy("two");
  pieces.Add("between");
  pieces.AddCopy("three");
  EXPECT_EQ(slices, (std::vector<absl::string_view>{"before", "onetwo", "between", "three"}));
  EXPECT_EQ(pieces.bytes(), 24u);
}

TEST(PiecesTest, TextBeyondABlockGoesOnInTheNext) {
  std::vector<absl::string_view> slices;
  Pieces pieces;
  pieces.Begin(&slices);
  std::string expected;
  for (int i = 0; i < 200; ++i) {
    const std::string text(static_cast<size_t>(i * 17 % 2000), static_cast<char>('a' + i % 26));
    pieces.AddCopy(text);
    expected += text;
  }
  pieces.AddCopy(std::string(3 * Pieces::kBlockBytesMax, 'z'));
  expected += std::string(3 * Pieces::kBlockBytesMax, 'z');
  std::string all;
  for (const absl::string_view slice : slices) absl::StrAppend(&all, slice);
  EXPECT_EQ(all, expected);
  EXPECT_LT(slices.size(), 10u);
}

}  // namespace
}  // namespace tidemark::http
