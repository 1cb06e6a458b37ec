#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "http/table_cells.h"
#include "http/table_text.h"

namespace tidemark::http::cells {
namespace {

// In this order, each once.
constexpr absl::string_view kAccessModes[][2] = {
    {"ReadWriteOnce", "RWO"}, {"ReadOnlyMany", "ROX"}, {"ReadWriteMany", "RWX"}, {"ReadWriteOncePod", "RWOP"}};

std::string AccessModes(const JsonView& modes) {
  std::set<absl::string_view> given;
  for (const JsonView& mode : modes.elements()) given.insert(mode.Text());
  std::vector<absl::string_view> shown;
  for (const auto& [mode, sign] : kAccessModes) {
    if (given.count(mode) > 0) shown.push_back(sign);
  }
  return absl::StrJoin(shown, ",");
}

absl::string_view PhaseOf(const JsonView& object) {
  if (object.At("metadata", "deletionTimestamp").present()) return "Terminating";
  return object.At("status", "phase").Text();
}

// The class of a volume or claim; an old annotation comes before the field.
absl::string_view StorageClassOf(const JsonView& object) {
  const JsonView annotation = object.At("metadata", "annotations", "volume.beta.kubernetes.io/storage-class");
  return annotation.present() ? annotation.Text() : object.At("spec", "storageClassName").Text();
}

bool IsDefaultClass(const JsonView& annotations) {
  return annotations.Field("storageclass.kubernetes.io/is-default-class").Text() == "true" ||
         annotations.Field("storageclass.beta.kubernetes.io/is-default-class").Text() == "true";
}

}  // namespace

void CSIDriver(const JsonView& object, TableRow* row) {
  const JsonView spec = object.Field("spec");
  const JsonView attach = spec.Field("attachRequired");
  const JsonView tokens = spec.Field("tokenRequests");
  row->NameOf(object);
  row->Bool(!attach.present() || attach.Bool());
  row->Bool(spec.Field("podInfoOnMount").Bool());
  row->Bool(spec.Field("storageCapacity").Bool());
  row->Text(tokens.present() ? JoinField(tokens, "audience") : std::string(kUnset));
  row->Bool(spec.Field("requiresRepublish").Bool());
  row->TextOr(JoinTexts(spec.Field("volumeLifecycleModes")), kNone);
  row->AgeOf(object);
}

void CSINode(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Number(static_cast<int64_t>(object.At("spec", "drivers").size()));
  row->AgeOf(object);
}

void PersistentVolume(const JsonView& volume, TableRow* row) {
  const JsonView spec = volume.Field("spec");
  const JsonView claim = spec.Field("claimRef");
  row->NameOf(volume);
  row->Text(QuantityText(spec.At("capacity", "storage")));
  row->Text(AccessModes(spec.Field("accessModes")));
  row->Text(spec.Field("persistentVolumeReclaimPolicy").Text());
  row->Text(PhaseOf(volume));
  row->Text(claim.present() ? absl::StrCat(claim.Field("namespace").Text(), "/", claim.Field("name").Text()) : "");
  row->Text(StorageClassOf(volume));
  row->Text(TextIfPresent(spec.Field("volumeAttributesClassName"), kUnset));
  row->Text(volume.At("status", "reason").Text());
  row->AgeOf(volume);
  row->Text(TextIfPresent(spec.Field("volumeMode"), kUnset));
}

void PersistentVolumeClaim(const JsonView& claim, TableRow* row) {
  const JsonView spec = claim.Field("spec");
  const JsonView status = claim.Field("status");
  const absl::string_view volume = spec.Field("volumeName").Text();
  row->NameOf(claim);
  row->Text(PhaseOf(claim));
  row->Text(volume);
  row->Text(volume.empty() ? "" : QuantityText(status.At("capacity", "storage")));
  row->Text(volume.empty() ? "" : AccessModes(status.Field("accessModes")));
  row->Text(StorageClassOf(claim));
  row->Text(TextIfPresent(spec.Field("volumeAttributesClassName"), kUnset));
  row->AgeOf(claim);
  row->Text(TextIfPresent(spec.Field("volumeMode"), kUnset));
}

void StorageClass(const JsonView& object, TableRow* row) {
  const absl::string_view name = object.At("metadata", "name").Text();
  row->Text(IsDefaultClass(object.At("metadata", "annotations")) ? absl::StrCat(name, " (default)") : name);
  row->Text(object.Field("provisioner").Text());
  row->Text(TextIfPresent(object.Field("reclaimPolicy"), "Delete"));
  row->Text(TextIfPresent(object.Field("volumeBindingMode"), "Immediate"));
  row->Bool(object.Field("allowVolumeExpansion").Bool());
  row->AgeOf(object);
}

void VolumeAttachment(const JsonView& object, TableRow* row) {
  const JsonView spec = object.Field("spec");
  row->NameOf(object);
  row->Text(spec.Field("attacher").Text());
  row->Text(spec.At("source", "persistentVolumeName").Text());
  row->Text(spec.Field("nodeName").Text());
  row->Bool(object.At("status", "attached").Bool());
  row->AgeOf(object);
}

void VolumeAttributesClass(const JsonView& object, TableRow* row) {
  row->NameOf(object);
  row->Text(object.Field("driverName").Text());
  row->AgeOf(object);
}

}  // namespace tidemark::http::cells
