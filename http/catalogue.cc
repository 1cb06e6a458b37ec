#include "http/catalogue.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tidemark::http {
namespace {

std::vector<const config::Resource*> ResourcesOf(const std::vector<ServedRow>& rows) {
  std::vector<const config::Resource*> resources;
  resources.reserve(rows.size());
  for (const ServedRow& row : rows) resources.push_back(row->resource.get());
  return resources;
}

}  // namespace

Catalogue::Catalogue(std::vector<ServedRow> rows)
    : rows_(std::move(rows)), resources_(ResourcesOf(rows_)), router_(resources_), discovery_(resources_) {
  for (size_t i = 0; i < rows_.size(); ++i) numbers_.emplace(resources_[i], i);
}

const ServedRow& Catalogue::RowOf(const config::Resource* resource) const {
  const auto found = numbers_.find(resource);
  TM_CHECK(found != numbers_.end()) << "a resource of another catalogue";
  return rows_[found->second];
}

std::vector<cache::Mirror*> Catalogue::Mirrors() const {
  std::vector<cache::Mirror*> mirrors;
  for (const ServedRow& row : rows_) {
    cache::Mirror* const mirror = row->mirror.get();
    if (mirror != nullptr && std::find(mirrors.begin(), mirrors.end(), mirror) == mirrors.end()) {
      mirrors.push_back(mirror);
    }
  }
  return mirrors;
}

}  // namespace tidemark::http
