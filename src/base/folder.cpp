#include "heed/base/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <string_view>

namespace heed {

FolderNames::FolderNames(const std::filesystem::path& folder, std::error_code& reason)
    : folder_(::opendir(folder.c_str())) {
  reason = folder_ ? std::error_code() : std::error_code(errno, std::generic_category());
}

const char* FolderNames::next() noexcept {
  if (!folder_) return nullptr;
  while (const dirent* entry = ::readdir(folder_.get())) {
    const std::string_view name = entry->d_name;
    if (name != "." && name != "..") return entry->d_name;
  }
  return nullptr;
}

void FolderNames::remove_files() noexcept {
  if (!folder_) return;
  ::rewinddir(folder_.get());
  while (const char* name = next()) ::unlinkat(::dirfd(folder_.get()), name, 0);
}

}  // namespace heed
