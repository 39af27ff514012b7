// Whole files in and out. Every error names the path and the system's reason. "-" means standard
// input for reading and standard output for writing.
#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/descriptor.h"

namespace heed {

// The bytes of a file, which may also be a pipe.
std::vector<std::byte> read_file(const std::filesystem::path& path);

// The bytes of a file: mapped into memory if possible (an ordinary file), otherwise read (a pipe).
// Moving the object does not move the bytes. Changing them does not change the file.
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
  std::vector<std::byte> read_;  // holds the bytes if they are not mapped
};

struct PartialName;

// Whether a name means standard input or output: "-", /dev/stdin, /proc/self/fd/0 and links to
// them.
bool is_standard_input(const std::filesystem::path& path);
bool is_standard_output(const std::filesystem::path& path);

// A file that appears under its name only when it is complete: it is written under another name in
// the same folder, synced, and renamed by commit(). Without commit() nothing is left behind, and an
// older file of that name stays as it was. A device or a pipe is written to directly. A name of one
// of this program's descriptors (/dev/stdout, /dev/fd/3) is written to at its current position.
class OutputFile {
 public:
  explicit OutputFile(const std::filesystem::path& path);
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;
  ~OutputFile();

  void write(std::span<const std::byte> bytes);
  void write(std::string_view text) { write(std::as_bytes(std::span(text))); }
  // Writes everything to the disk, which may be full. Nothing can be written afterwards. Files that
  // belong together are all finished before the first is committed.
  void finish();
  void commit();  // once; calls finish() if necessary

 private:
  void create_temporary();  // leaves the descriptor closed if the system refuses
  bool open_temporary();
  void forget_temporary();

  std::string name_;                 // as the caller wrote it, for errors
  std::filesystem::path target_;     // the name after following symbolic links
  std::filesystem::path temporary_;  // empty when there is no temporary file to rename or remove
  struct Unlist {
    void operator()(PartialName* entry) const noexcept;
  };
  std::unique_ptr<PartialName, Unlist> listed_;  // where a signal handler finds the temporary file
  Descriptor descriptor_;
  bool finished_ = false;
};

void write_file_atomically(const std::filesystem::path& path, std::string_view text);

// Appends to a file, which is created if necessary. A failure may leave part of the text there.
void append_to_file(const std::filesystem::path& path, std::string_view text);

// Partial files are what killed programs leave: files that never got their final names. Writing a
// file removes abandoned ones from its folder, so that they do not pile up.
bool is_partial_file(const std::filesystem::path& path);
// Except those that are being written.
void remove_partial_files(const std::filesystem::path& folder);

// For a signal handler that ends the program: removes the files that this program has not finished.
// Async-signal-safe.
void remove_own_partial_files();

}  // namespace heed
