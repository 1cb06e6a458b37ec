#include "http/catalogue.h"

#include <set>
#include <utility>

#include "base/check.h"
#include "http/gzip_source.h"

namespace tidemark::http {
namespace {

std::vector<const config::Resource*> ResourcesOf(const std::vector<ServedRow>& rows) {
  std::vector<const config::Resource*> resources;
  resources.reserve(rows.size());
  for (const ServedRow& row : rows) resources.push_back(row->resource.get());
  return resources;
}

openapi::Resources SharedResourcesOf(const std::vector<ServedRow>& rows) {
  openapi::Resources resources;
  resources.reserve(rows.size());
  for (const ServedRow& row : rows) resources.push_back(row->resource);
  return resources;
}

}  // namespace

Catalogue::Catalogue(std::vector<ServedRow> rows)
    : rows_(std::move(rows)),
      resources_(ResourcesOf(rows_)),
      router_(resources_),
      discovery_(resources_),
      openapi_(std::make_shared<openapi::Documents>(SharedResourcesOf(rows_), &GzippedIfLarge)) {
  std::set<const cache::Mirror*> seen;
  for (size_t i = 0; i < rows_.size(); ++i) {
    numbers_.emplace(resources_[i], i);
    cache::Mirror* const mirror = rows_[i]->mirror.get();
    if (mirror != nullptr && seen.insert(mirror).second) mirrors_.push_back(mirror);
  }
}

const ServedRow& Catalogue::RowOf(const config::Resource* resource) const {
  const auto found = numbers_.find(resource);
  TM_CHECK(found != numbers_.end()) << "a resource of another catalogue";
  return rows_[found->second];
}

}  // namespace tidemark::http
