// POST /v1/documents: whole files.
#pragma once

#include "heed/server/route.h"

namespace heed {

void translate_document(const Call& call);
std::vector<RouteField> document_fields();

}  // namespace heed
