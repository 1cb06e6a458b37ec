// Definitions for tests, in the form of v1, as the mirror has them.
//
// Thread-safety: constants.
#ifndef TIDEMARK_CRD_TEST_DEFINITIONS_H_
#define TIDEMARK_CRD_TEST_DEFINITIONS_H_

#include "absl/strings/string_view.h"

namespace tidemark::crd {

inline constexpr absl::string_view kWidgets =
    R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",)"
    R"("metadata":{"name":"widgets.shop.example.com","uid":"u-widgets","generation":1},)"
    R"("spec":{"group":"shop.example.com",)"
    R"("names":{"plural":"widgets","singular":"widget","shortNames":["wd","wdg"],"kind":"Widget",)"
    R"("listKind":"WidgetList","categories":["all","shop"]},"scope":"Namespaced","versions":[)"
    R"({"name":"v1","served":true,"storage":true,"schema":{"openAPIV3Schema":{"type":"object","properties":{)"
    R"("spec":{"type":"object","properties":{"color":{"type":"string"},"size":{"type":"integer"}},)"
    R"("x-kubernetes-preserve-unknown-fields":true},)"
    R"("status":{"type":"object","properties":{"phase":{"type":"string"},"replicas":{"type":"integer"}}}}}},)"
    R"("subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},)"
    R"("additionalPrinterColumns":[{"name":"Color","type":"string","jsonPath":".spec.color"},)"
    R"({"name":"Phase","type":"string","description":"where it is","priority":1,"jsonPath":".status.phase"}],)"
    R"("selectableFields":[{"jsonPath":".spec.color"},{"jsonPath":".spec.size"}]},)"
    R"({"name":"v1beta1","served":true,"storage":false,"deprecated":true,"schema":{"openAPIV3Schema":{"type":"object",)"
    R"("properties":{"spec":{"type":"object","properties":{"color":{"type":"string"},"old":{"type":"string"}},)"
    R"("x-kubernetes-preserve-unknown-fields":true},)"
    R"("status":{"type":"object","x-kubernetes-preserve-unknown-fields":true}}}},"subresources":{"status":{}},)"
    R"("selectableFields":[{"jsonPath":".spec.color"},{"jsonPath":".spec.old"}]},)"
    R"({"name":"v1alpha1","served":false,"storage":false,"schema":{"openAPIV3Schema":{"type":"object"}}}],)"
    R"("conversion":{"strategy":"None"}},)"
    R"("status":{"conditions":[{"type":"NamesAccepted","status":"True","message":"no conflicts found"},)"
    R"({"type":"Established","reason":"InitialNamesAccepted","status":"True"}],)"
    R"("acceptedNames":{"plural":"widgets","singular":"widget","shortNames":["wd","wdg"],"kind":"Widget",)"
    R"("listKind":"WidgetList","categories":["all","shop"]},"storedVersions":["v1"]}})";

inline constexpr absl::string_view kRegions =
    R"({"kind":"CustomResourceDefinition","apiVersion":"apiextensions.k8s.io/v1",)"
    R"("metadata":{"name":"regions.shop.example.com","uid":"u-regions"},)"
    R"("spec":{"group":"shop.example.com",)"
    R"("names":{"plural":"regions","singular":"region","kind":"Region","listKind":"RegionList"},"scope":"Cluster",)"
    R"("versions":[{"name":"v1","served":true,"storage":true,)"
    R"("schema":{"openAPIV3Schema":{"type":"object","properties":{"spec":{"type":"object",)"
    R"("properties":{"code":{"type":"string"},"kept":{"type":"string","default":"given"}}}}}}}],"conversion":{"strategy":"None"}},)"
    R"("status":{"conditions":[{"type":"Established","status":"True"}],)"
    R"("acceptedNames":{"plural":"regions","singular":"region","kind":"Region","listKind":"RegionList"}}})";

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_TEST_DEFINITIONS_H_
