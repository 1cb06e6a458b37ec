// ColumnForm gives a resource of one's own (--resource-definitions) the Table columns that its entry names; its objects are served
// as they are stored.
//
// Thread-safety: immutable.
#ifndef TIDEMARK_CRD_COLUMN_FORM_H_
#define TIDEMARK_CRD_COLUMN_FORM_H_

#include <memory>
#include <vector>

#include "config/object_form.h"
#include "config/resource.h"

namespace tidemark::crd {

std::shared_ptr<const config::ObjectForm> MakeColumnForm(const std::vector<config::TableColumn>& columns);

}  // namespace tidemark::crd

#endif  // TIDEMARK_CRD_COLUMN_FORM_H_
