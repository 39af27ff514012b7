// Whole files in and out. Every error names the path and the system's reason. "-" is standard input
// where a file is read, and standard output where one is written.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

// The bytes of a file, which may also be a pipe.
std::vector<std::byte> read_file(const std::filesystem::path& path);

// The bytes of a file, mapped into memory where the system can do that (an ordinary file), read
// otherwise (a pipe). The bytes stay where they are when the object is moved. They may be changed:
// the file stays as it is.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }
  std::span<std::byte> bytes() { return bytes_; }
  std::string_view text() const {
    return {reinterpret_cast<const char*>(bytes_.data()), bytes_.size()};
  }

 private:
  std::span<std::byte> bytes_;
  std::vector<std::byte> read_;  // holds the bytes where they are not mapped
};

struct PartialName;

// Whether a name stands for standard input or output: "-", /dev/stdin, /proc/self/fd/0 and links to
// them.
bool is_standard_input(const std::filesystem::path& path);
bool is_standard_output(const std::filesystem::path& path);

// A file that appears under its name only when it is complete: it is written under another name in
// the same folder, synced and renamed by commit(). Without commit() nothing is left behind, and an
// older file of that name stays as it was. A name that stands for a device or a pipe is written to
// directly; one that stands for a descriptor of this program (/dev/stdout, /dev/fd/3) is written to
// where that descriptor is.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Puts all of it onto the disk, where there may be no room for it. Nothing can be written
  // afterwards. Of files that belong together, all are finished before the first is committed.
  void finish();
  void commit();  // once; finishes it where that was not done

 private:
  void create_temporary();  // leaves the descriptor negative where the system refuses
  bool open_temporary();
  void forget_temporary();

  std::string name_;                 // as the caller wrote it, for errors
  std::filesystem::path target_;     // the name behind any symbolic links
  std::filesystem::path temporary_;  // empty when there is no temporary file to rename or remove
  struct Unlist {
    void operator()(PartialName* entry) const noexcept;
  };
  std::unique_ptr<PartialName, Unlist> listed_;  // where a signal handler finds the temporary file
  int descriptor_ = -1;
  bool finished_ = false;
};

void write_file_atomically(const std::filesystem::path& path, std::string_view text);

// Adds to the end of a file, which is made where there is none; a failure may leave a part of the
// text there.
void append_to_file(const std::filesystem::path& path, std::string_view text);

// What killed programs leave: files that were begun and never got their names. Whoever writes a
// file removes those that others left in its folder, so that they never become many.
bool is_partial_file(const std::filesystem::path& path);
// Except those that are being written.
void remove_partial_files(const std::filesystem::path& folder);

// For a signal handler that ends the program: removes what this program has begun and not finished.
// Calls only what is safe there.
void remove_own_partial_files();

}  // namespace heed
