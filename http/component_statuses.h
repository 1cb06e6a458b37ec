// ComponentStatuses: kube-apiserver asks its scheduler, its controller manager and its etcd how they are when somebody lists
// these, and stores nothing. There are no such components here: the list is empty, and none has the name that is asked for.
//
// Thread-safety: a pure function but for the answer.
// Source:        core/v1 ComponentStatus, deprecated since 1.19.
#ifndef TIDEMARK_HTTP_COMPONENT_STATUSES_H_
#define TIDEMARK_HTTP_COMPONENT_STATUSES_H_

#include "base/clock.h"
#include "http/answer_form.h"
#include "http/responder.h"
#include "http/router.h"

namespace tidemark::http {

// A LIST, or a GET when `route` has a name.
void AnswerComponentStatuses(const Route& route, const AnswerForm& form, const Clock& clock, Responder* responder);

}  // namespace tidemark::http

#endif  // TIDEMARK_HTTP_COMPONENT_STATUSES_H_
