// The table of routes as an OpenAPI 3 document.
#pragma once

#include <string>

#include "heed/server/route.h"

namespace heed {

std::string openapi_document(const RouteTable& routes);

}  // namespace heed
