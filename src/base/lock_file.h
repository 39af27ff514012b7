// A file that one program at a time can hold.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace heed {

// Held while the object lives. The lock ends with the program, however it ends; the file stays.
class LockFile {
 public:
  // Creates the file if necessary. Nothing if another program, or another object in this one, holds
  // it.
  static std::optional<LockFile> hold(const std::filesystem::path& path);

  LockFile(LockFile&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  LockFile& operator=(LockFile&& other) noexcept {
    std::swap(descriptor_, other.descriptor_);
    return *this;
  }
  ~LockFile();

 private:
  explicit LockFile(int descriptor) : descriptor_(descriptor) {}

  int descriptor_;
};

}  // namespace heed
