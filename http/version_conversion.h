// Objects in other versions of the API than the one that is stored: kube-apiserver 1.36.3 serves events as v1 and as
// events.k8s.io/v1, autoscalers as autoscaling/v2 and autoscaling/v1.
//
//   const VersionConversion convert = FindVersionConversion("v1", "Event", "events.k8s.io/v1");
//   if (convert != nullptr) convert(object.Json(), &json);
//
// Thread-safety: pure functions.
// Errors:        none: of an object that lacks a field, the zero value is written.
// Cost:          some microseconds per KB.
// Source:        Kubernetes' conversions between its versions, and its Go types, whose order the fields have; checked against a
//                kube-apiserver's answers.
#ifndef TIDEMARK_HTTP_VERSION_CONVERSION_H_
#define TIDEMARK_HTTP_VERSION_CONVERSION_H_

#include <string>

#include "absl/strings/string_view.h"

namespace tidemark::http {

// `object` is one in the stored version without kind and apiVersion, as the mirror has it: {"metadata":{..},"spec":{..}}.
// Appends it in the served version, in the same form.
using VersionConversion = void (*)(absl::string_view object, std::string* json);

// nullptr: both versions write the object alike.
VersionConversion FindVersionConversion(absl::string_view stored_api_version, absl::string_view kind,
                                        absl::string_view served_api_version);

// The conversions, by what they make.
void AppendEventsV1Event(absl::string_view core_event, std::string* json);
void AppendAutoscalingV1Autoscaler(absl::string_view v2_autoscaler, std::string* json);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_VERSION_CONVERSION_H_
