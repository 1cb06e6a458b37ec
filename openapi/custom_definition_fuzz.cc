// Any text as the schema of a definition: both documents are made, and whoever reads JSON or protobuf can read them.
#include <cstdint>
#include <memory>
#include <string>

#include "base/check.h"
#include "config/resource.h"
#include "crd/json_tree.h"
#include "openapi/custom_definition.h"
#include "openapi/documents.h"
#include "openapi/swagger.pb.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using tidemark::config::Resource;
  Resource cog{.group = "shop.example.com", .version = "v1", .kind = "Cog", .plural = "cogs"};
  cog.schema = std::make_shared<const std::string>(reinterpret_cast<const char*>(data), size);
  cog.custom = true;
  tidemark::openapi::Documents documents({std::make_shared<const Resource>(cog)});
  const auto* const group = documents.groups().Make().Find("apis/shop.example.com/v1");
  TM_CHECK(group != nullptr && tidemark::crd::ParseJson(group->json.bytes).ok());
  const tidemark::openapi::Swagger& swagger = documents.swagger().Make();
  TM_CHECK(tidemark::crd::ParseJson(swagger.document.json.bytes).ok());
  tidemark::openapi::swagger::Document read;
  TM_CHECK(read.ParseFromString(swagger.protobuf.bytes));
  return 0;
}
