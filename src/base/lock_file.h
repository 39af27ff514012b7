// A file that one program at a time can hold.
#pragma once

#include <filesystem>
#include <optional>
#include <utility>

#include "heed/base/descriptor.h"

namespace heed {

// Held while the object lives. The lock ends with the program, however it ends; the file stays.
class LockFile {
 public:
  // Creates the file if necessary. Nothing if another program, or another object in this one, holds
  // it.
  static std::optional<LockFile> hold(const std::filesystem::path& path);

 private:
  explicit LockFile(Descriptor descriptor) : descriptor_(std::move(descriptor)) {}

  Descriptor descriptor_;
};

}  // namespace heed
