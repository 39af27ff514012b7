// Man pages: roff with the macros of man(7).
#pragma once

#include <string>

#include "heed/app/manual/manual.h"

namespace heed {

// heed(1)
std::string man_page(const ProgramManual& program);
// heed-train(1)
std::string man_page(const ProgramManual& program, const CommandManual& command);

}  // namespace heed
