// A view of attention in the forms that programs and the page read.
#pragma once

#include <string>
#include <vector>

#include "heed/runs/attention_view.h"

namespace heed {

// As `heed attention --json` writes it.
std::string attention_for_programs(const AttentionView& view, const HeadCounts& counts);

// As the viewer in the page reads it (web/README.md): packed, every head of every layer.
std::string attention_for_page(const AttentionView& view, const HeadCounts& counts,
                               const std::vector<HeadName>& without);

}  // namespace heed
