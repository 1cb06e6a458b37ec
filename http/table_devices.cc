#include <string>

#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

std::string ClaimState(const JsonView& claim) {
  const bool deleted = claim.At("metadata", "deletionTimestamp").present();
  if (!claim.At("status", "allocation").present()) return deleted ? "deleted" : "pending";
  std::string state = deleted ? "deleted,allocated" : "allocated";
  if (claim.At("status", "reservedFor").size() > 0) state += ",reserved";
  return state;
}

}  // namespace

void ResourceClaim(const JsonView& claim, TableRow* row) {
  row->NameOf(claim);
  row->Text(ClaimState(claim));
  row->AgeOf(claim);
}

void ResourceSlice(const JsonView& object, TableRow* row) {
  const JsonView spec = object.Field("spec");
  row->NameOf(object);
  row->Text(spec.Field("nodeName").Text());
  row->Text(spec.Field("driver").Text());
  row->Text(spec.At("pool", "name").Text());
  row->AgeOf(object);
}

}  // namespace tidemark::http::cells
