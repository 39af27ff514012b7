// The files that a run reads, as they were when it was started. What was prepared from them is in
// the folder, so they may be gone. But if one has changed, the same command asks for something
// else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace heed {

// Identifies the contents of a file.
struct FileMark {
  uint64_t size = 0;
  int64_t modified = 0;   // nanoseconds since some epoch
  uint32_t checksum = 0;  // of the stored bytes

  bool operator==(const FileMark&) const = default;
};

// In the order of the flags' values. Nothing for a file that does not exist or cannot be read
// twice, such as a pipe.
using FileMarks = std::vector<std::optional<FileMark>>;

struct TrainingFiles {
  FileMarks train, valid, vocabulary;
};

// A file is read only if its size or time has changed since `before`.
FileMarks mark_files(const std::vector<std::string>& files, const FileMarks& before);

// The files whose bytes have changed. Files without a mark count as unchanged.
std::vector<std::string> changed_files(const std::vector<std::string>& files,
                                       const FileMarks& before, const FileMarks& now);

// The marks of `now`, and for files that are gone, those of `before`.
TrainingFiles remembered(const TrainingFiles& before, const TrainingFiles& now);

TrainingFiles load_training_files(
    const std::filesystem::path& path);  // no marks if there is no such file
void save_training_files(const std::filesystem::path& path, const TrainingFiles& files);

}  // namespace heed
