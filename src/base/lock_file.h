// A file that one program at a time can hold.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

namespace heed {

// Held from construction on. It is let go whatever way the program ends; the file stays.
class LockFile {
 public:
  // Makes the file where there is none. Nothing if another program holds it, or another object of
  // this one.
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
