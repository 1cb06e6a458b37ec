// DefinitionForm brings definitions themselves, which kube-apiserver stores as apiextensions.k8s.io/v1beta1, into the v1
// that is served.
//
// Thread-safety: immutable.
// Errors:        Decode: InvalidArgument for what is no JSON object. There is nothing to convert when serving.
// Source:        apiextensions-apiserver's conversions of both versions; members in the order in which it writes them.
#ifndef TIDEMARK_CRD_DEFINITION_FORM_H_
#define TIDEMARK_CRD_DEFINITION_FORM_H_

#include <memory>

#include "config/object_form.h"

namespace tidemark::crd {

std::shared_ptr<const config::ObjectForm> MakeDefinitionForm();

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_DEFINITION_FORM_H_
