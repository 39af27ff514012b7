// POST /v1/translate: what was asked for, and the reply.
#pragma once

#include "heed/attention/head_name.h"
#include "heed/server/model_set.h"
#include "heed/server/route.h"

namespace heed {

void translate_for_heed(const Call& call);
std::vector<RouteField> translate_fields();

// The heads that a request switches off.
std::vector<HeadName> asked_heads(const Parameters& parameters);

}  // namespace heed
