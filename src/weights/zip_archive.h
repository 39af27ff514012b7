// The files in a zip archive. The reader trusts nothing.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// Every error is one sentence that names the archive and the file in it. Sizes are checked before
// memory is allocated: the files of an archive together unpack to at most `most_growth` times its
// own size, and none to more than the archive says.
class ZipArchive {
 public:
  static constexpr uint64_t most_growth = 64;

  // The bytes must outlive the object. `file` is the name for errors.
  ZipArchive(std::span<const std::byte> bytes, std::string file);
  ZipArchive(ZipArchive&&) noexcept;
  ZipArchive& operator=(ZipArchive&&) noexcept;
  ~ZipArchive();

  // Whether the bytes begin like an archive.
  static bool is_archive(std::span<const std::byte> bytes);

  const std::string& file() const { return file_; }
  std::vector<std::string> names() const;  // sorted
  bool contains(std::string_view name) const { return sizes_.contains(name); }
  uint64_t size(std::string_view name) const;  // unpacked; an Error if there is no such file
  std::vector<std::byte> read(std::string_view name) const;
  // The first bytes of a file, at most `most`.
  std::vector<std::byte> read_front(std::string_view name, uint64_t most) const;

 private:
  struct Entry {
    uint64_t index, size;
  };
  struct Handle;

  const Entry& entry(std::string_view name) const;

  std::string file_;
  std::unique_ptr<Handle> handle_;
  std::map<std::string, Entry, std::less<>> sizes_;
};

}  // namespace heed
