// The files that a run reads, as they were when it was begun. What was prepared from them is in the
// folder, so they need not be there any more; but if one has changed, the same command asks for
// something else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "heed/app/cli/train_options.h"

namespace heed {

// By which a file is known again.
struct FileMark {
  uint64_t size = 0;
  int64_t modified = 0;   // nanoseconds since some moment
  uint32_t checksum = 0;  // of the bytes as they are stored

  bool operator==(const FileMark&) const = default;
};

// In the order of the flags' values. Nothing for what is not there or is no file that could be read
// again, such as a pipe.
using FileMarks = std::vector<std::optional<FileMark>>;

struct TrainingFiles {
  FileMarks train, valid, vocabulary;
};

// A file is read only if its size or its time is not what it was `before`.
FileMarks mark_files(const std::vector<std::string>& files, const FileMarks& before);

// Of these files, those whose bytes are not what they were. Nothing is said about a file without a
// mark.
std::vector<std::string> changed_files(const std::vector<std::string>& files,
                                       const FileMarks& before, const FileMarks& now);

// The marks of now, and where there are none because a file is gone, those that it had.
TrainingFiles remembered(const TrainingFiles& before, const TrainingFiles& now);

TrainingFiles load_training_files(
    const std::filesystem::path& path);  // no marks where there is no such file
void save_training_files(const std::filesystem::path& path, const TrainingFiles& files);

}  // namespace heed
