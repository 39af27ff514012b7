// A zip archive whose parts are read into memory. The reader trusts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/files.h"

struct zip;  // libzip's

namespace heed {

// Every error is one sentence that names the file and its part. Nothing is ever unpacked to a path
// that the archive chooses: the caller asks for parts by name and gets their bytes. Sizes are
// checked before memory is allocated: no part may unpack to far more than it takes in the file, nor
// may all of them together.
class ZipFile {
 public:
  static ZipFile open(const std::filesystem::path& path);
  // Reads from memory, which must outlive the object. `file` is the name for errors.
  static ZipFile parse(std::span<const std::byte> bytes, std::string file);

  const std::string& file() const { return file_; }
  std::vector<std::string> names() const;  // sorted; without folders
  bool contains(std::string_view name) const { return parts_.contains(name); }
  size_t size(std::string_view name) const;  // in bytes, as the archive says

  // The bytes of a part. An Error if it is damaged.
  std::string read(std::string_view name) const;
  // Its first bytes, at most `most`. Damage behind them is not seen.
  std::string read_front(std::string_view name, size_t most) const;
  // The same of a part that must be stored as it is.
  std::string read_stored(std::string_view name) const;

 private:
  struct Part {
    uint64_t index = 0, size = 0, packed = 0;
    bool stored = false;
  };
  struct Close {
    void operator()(zip* archive) const noexcept;
  };

  ZipFile(std::optional<MappedFile> mapped, std::span<const std::byte> bytes, std::string file);
  void list_parts(size_t file_size);
  const Part& part(std::string_view name) const;
  std::string bytes_of(std::string_view name, const Part& part, size_t most) const;

  std::optional<MappedFile> mapped_;
  std::string file_;
  std::unique_ptr<zip, Close> archive_;
  std::map<std::string, Part, std::less<>> parts_;
};

// Whether a file begins as zip archives do.
bool begins_like_zip(std::span<const std::byte> bytes);

}  // namespace heed
