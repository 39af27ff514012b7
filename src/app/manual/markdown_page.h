// The manual as pages of Markdown.
#pragma once

#include <string>

#include "heed/app/manual/manual.h"

namespace heed {

// The list of commands, which links a page named after each: train.md.
std::string markdown_page(const ProgramManual& program);
std::string markdown_page(const ProgramManual& program, const CommandManual& command);

}  // namespace heed
