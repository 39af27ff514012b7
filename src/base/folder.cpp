#include "heed/base/folder.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
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

std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder) {
  std::vector<std::filesystem::path> entries;
  std::error_code nothing_there;
  FolderNames names(folder, nothing_there);
  while (const char* name = names.next()) entries.push_back(folder / name);
  std::ranges::sort(entries);
  return entries;
}

}  // namespace heed
