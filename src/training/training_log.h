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

// Returns the new size of the log in bytes.
int64_t append_to_log(const std::filesystem::path& folder, const std::string& line);

// Truncates the log to this many bytes: the rest is about steps that will be repeated.
void cut_log(const std::filesystem::path& folder, int64_t bytes);

}  // namespace heed
