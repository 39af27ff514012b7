// The APIs of the server, each as a list of routes.
#pragma once

#include <vector>

#include "heed/server/route.h"

namespace heed {

std::vector<Route> libretranslate_routes();
std::vector<Route> deepl_routes();
std::vector<Route> heed_routes();
// Health and the like.
std::vector<Route> operation_routes();

}  // namespace heed
