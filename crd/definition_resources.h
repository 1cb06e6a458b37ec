// What one definition adds to the table of resources: a row for each version that is served, all answered from one mirror.
//
// Thread-safety: pure.
#ifndef TIDEMARK_CRD_DEFINITION_RESOURCES_H_
#define TIDEMARK_CRD_DEFINITION_RESOURCES_H_

#include <vector>

#include "config/resource.h"
#include "crd/definition.h"

namespace tidemark::crd {

struct DefinitionResources {
  // What is mirrored: objects in the version they are stored in, with the selectable fields of every served version.
  config::Resource mirrored;
  // In the definition's order.
  std::vector<config::Resource> served;
};

DefinitionResources ResourcesOf(Definition definition);

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_DEFINITION_RESOURCES_H_
