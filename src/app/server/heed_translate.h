// POST /v1/translate: what was asked for, and the reply.
#pragma once

#include "heed/attention/head_name.h"
#include "heed/server/model_set.h"
#include "heed/server/route.h"

namespace heed {

void translate_for_heed(const Call& call);
std::vector<RouteField> translate_fields();

// The language a request names, or a Refusal (400).
std::string asked_language(const ModelSet& models, const std::string& code);
// The heads that a request switches off.
std::vector<HeadName> asked_heads(const Parameters& parameters);

}  // namespace heed
