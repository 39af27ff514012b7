// What is in a folder. std::filesystem's iterators end the program where there is no memory for an
// entry.
#pragma once

#include <dirent.h>

#include <filesystem>
#include <memory>
#include <system_error>
#include <vector>

namespace heed {

// The names in a folder one after the other, in no particular order, without "." and "..".
class FolderNames {
 public:
  // With a reason there are no names.
  FolderNames(const std::filesystem::path& folder, std::error_code& reason);

  // The next name, valid until the call after this one; null if there are no more, or if the system
  // fails to tell. Asks for no memory.
  const char* next() noexcept;

  // Removes all that is no folder, as far as the system lets it. Asks for no memory.
  void remove_files() noexcept;

 private:
  struct Close {
    void operator()(DIR* folder) const noexcept { ::closedir(folder); }
  };
  std::unique_ptr<DIR, Close> folder_;
};

// The paths of what is in a folder, sorted; none if it cannot be read.
std::vector<std::filesystem::path> entries_of(const std::filesystem::path& folder);

}  // namespace heed
