// training.jsonl: what happened during a run, one JSON object per line.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "heed/training/learner.h"
#include "heed/training/progress.h"
#include "heed/training/validation.h"

namespace heed {

std::string log_line(const StepReport& report, const Progress& progress);
std::string log_line(const Validation& validation, const Progress& progress);

// Gives the size of the log afterwards, in bytes.
int64_t append_to_log(const std::filesystem::path& folder, const std::string& line);

// Forgets what lies behind the first so many bytes: it tells of steps that will be done again.
void cut_log(const std::filesystem::path& folder, int64_t bytes);

}  // namespace heed
