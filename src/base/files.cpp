#include "heed/base/files.h"

#include <fcntl.h>
#include <limits.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <charconv>
#include <optional>
#include <system_error>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/folder.h"

namespace heed {

// A name in a list that a signal handler walks. Entries are reused, never freed.
struct PartialName {
  std::array<char, PATH_MAX> text = {};
  std::atomic<bool> taken = true;
  std::atomic<bool> may_be_there = false;  // `text` is complete, and the file may exist
  PartialName* next = nullptr;
};

namespace {

namespace fs = std::filesystem;

std::string reason_text(int reason) { return std::generic_category().message(reason); }

[[noreturn]] void fail_to_read(const std::string& name, int reason) {
  fail(ErrorKind::system, "{}: cannot be read: {}", name, reason_text(reason));
}

[[noreturn]] void fail_to_write(const std::string& name, int reason) {
  fail(ErrorKind::system, "{}: cannot be written: {}", name, reason_text(reason));
}

void write_all(const std::string& name, int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(name, errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

constexpr std::string_view partial_prefix = ".heed-", partial_suffix = ".partial";
constexpr std::string_view standard_stream = "-";

Descriptor duplicate(int descriptor) { return Descriptor(::fcntl(descriptor, F_DUPFD_CLOEXEC, 0)); }

Descriptor open(const fs::path& path, int flags) {
  return Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0666));
}

// A file opened for reading, and what the system says about it.
class Input {
 public:
  explicit Input(const fs::path& path)
      : name_(path == standard_stream ? "standard input" : path.string()),
        descriptor_(path == standard_stream ? duplicate(STDIN_FILENO) : open(path, O_RDONLY)) {
    if (!descriptor_.is_open() || ::fstat(descriptor(), &status_) != 0) fail_to_read(name_, errno);
    require(!S_ISDIR(status_.st_mode), "{}: is a folder, but a file was expected", name_);
  }

  // The size that the system reports: exact for an ordinary file, 0 for pipes and the like.
  size_t size() const {
    return S_ISREG(status_.st_mode) ? static_cast<size_t>(status_.st_size) : 0;
  }

  int descriptor() const { return descriptor_.number(); }

  std::vector<std::byte> read_to_end() const {
    // One byte more than the reported size lets the last read find the end without growing the
    // buffer.
    std::vector<std::byte> bytes(std::max<size_t>(size() + 1, 4096));
    size_t filled = 0;
    for (;;) {
      const ssize_t count = ::read(descriptor(), bytes.data() + filled, bytes.size() - filled);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_to_read(name_, errno);
      if (count == 0) break;
      filled += static_cast<size_t>(count);
      if (filled == bytes.size()) bytes.resize(bytes.size() * 2);
    }
    bytes.resize(filled);
    return bytes;
  }

 private:
  std::string name_;
  Descriptor descriptor_;
  struct stat status_ = {};
};

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

// The folder in which the system names the open descriptors of this program.
bool holds_own_descriptors(const fs::path& folder) {
  std::error_code absent;
  return folder == fs::canonical("/proc/self/fd", absent) ||
         folder == fs::canonical("/proc/thread-self/fd", absent);
}

bool is_below_proc(const fs::path& folder) { return folder.string().starts_with("/proc/"); }

std::optional<int> number_in(const std::string& text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto [stop, reason] = std::from_chars(text.data(), end, number);
  return reason == std::errc() && stop == end && number >= 0 ? std::optional(number) : std::nullopt;
}

// Where a name leads.
struct Destination {
  fs::path path;                       // after following symbolic links
  std::optional<int> descriptor = {};  // of this program, if the name refers to one
  bool in_place = false;               // written to as it is, since a rename would not replace it
};

// Follows symbolic links one by one. The links in /proc/self/fd only look like links to files:
// another program may be writing to the same open file, at its own position.
Destination follow(const fs::path& name) {
  constexpr int most_links = 40;  // as many as the system follows
  fs::path path = name;
  for (int links = 0; links < most_links; ++links) {
    std::error_code none;
    const fs::path folder = fs::canonical(folder_of(path), none);
    if (holds_own_descriptors(folder))
      if (const std::optional<int> number = number_in(path.filename().string()))
        return {.path = path, .descriptor = number, .in_place = true};
    const fs::file_status status = fs::symlink_status(path, none);
    const bool is_special = fs::exists(status) && !fs::is_regular_file(status) &&
                            !fs::is_directory(status) && !fs::is_symlink(status);
    if (is_special || is_below_proc(folder)) return {.path = path, .in_place = true};
    if (!fs::is_symlink(status)) return {.path = path};
    path = folder_of(path) / fs::read_symlink(path, none);
  }
  return {.path = name};
}

std::atomic<PartialName*> partial_names = nullptr;

// An unused entry of the list.
PartialName* take_partial_name() {
  for (PartialName* entry = partial_names; entry != nullptr; entry = entry->next)
    if (!entry->taken.exchange(true)) return entry;
  auto* entry = new PartialName;
  entry->next = partial_names;
  while (!partial_names.compare_exchange_weak(entry->next, entry)) {
  }
  return entry;
}

// The writer of a partial file holds a lock on it, which ends with the writer.
enum class Writer { there, gone, unknown };

Writer writer_of(const fs::path& partial_file) {
  const Descriptor descriptor = open(partial_file, O_RDONLY);
  if (!descriptor.is_open()) return Writer::unknown;
  if (::flock(descriptor.number(), LOCK_EX | LOCK_NB) == 0) return Writer::gone;
  return errno == EWOULDBLOCK ? Writer::there : Writer::unknown;
}

// False if another program removed the file as abandoned before the lock was held.
bool claim(const Descriptor& descriptor) {
  struct stat status = {};
  // Without locks in the file system, no program treats it as abandoned.
  ::flock(descriptor.number(), LOCK_EX);
  return ::fstat(descriptor.number(), &status) == 0 && status.st_nlink > 0;
}

template <typename Wanted>
void remove_partial_files_where(const fs::path& folder, Wanted wanted) {
  std::error_code ignored;
  FolderNames names(folder, ignored);
  while (const char* name = names.next()) {
    if (!is_partial_file(name)) continue;
    const fs::path file = folder / name;
    if (wanted(writer_of(file))) ::unlink(file.c_str());
  }
}

// Makes a rename in the folder survive a power cut. Some file systems cannot sync folders; the file
// itself is safe anyway.
void sync_folder(const fs::path& folder) {
  const Descriptor descriptor = open(folder, O_RDONLY | O_DIRECTORY);
  if (descriptor.is_open()) ::fsync(descriptor.number());
}

}  // namespace

bool is_standard_input(const fs::path& path) {
  return path == standard_stream || follow(path).descriptor == STDIN_FILENO;
}

bool is_standard_output(const fs::path& path) {
  return path == standard_stream || follow(path).descriptor == STDOUT_FILENO;
}

std::vector<std::byte> read_file(const fs::path& path) { return Input(path).read_to_end(); }

MappedFile::MappedFile(const fs::path& path) {
  const Input input(path);
  if (input.size() > 0) {
    void* start =
        ::mmap(nullptr, input.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, input.descriptor(), 0);
    if (start != MAP_FAILED) {
      bytes_ = {static_cast<std::byte*>(start), input.size()};
      return;
    }
  }
  read_ = input.read_to_end();
  bytes_ = read_;
}

MappedFile::MappedFile(MappedFile&& other) noexcept
    : bytes_(std::exchange(other.bytes_, {})), read_(std::move(other.read_)) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  std::swap(read_, other.read_);
  return *this;
}

MappedFile::~MappedFile() {
  const bool mapped = read_.empty() && !bytes_.empty();
  if (mapped) ::munmap(bytes_.data(), bytes_.size());
}

OutputFile::OutputFile(const fs::path& path)
    : name_(path == standard_stream ? "standard output" : path.string()) {
  if (path == standard_stream) {
    descriptor_ = duplicate(STDOUT_FILENO);
  } else if (const Destination destination = follow(path); destination.in_place) {
    // Truncating is up to whoever opened the descriptor, and means nothing for a device.
    descriptor_ = destination.descriptor ? duplicate(*destination.descriptor)
                                         : open(destination.path, O_WRONLY | O_APPEND);
  } else {
    target_ = destination.path;
    std::error_code ignored;
    require(!fs::is_directory(target_, ignored), "{}: is a folder, but a file was expected", name_);
    create_temporary();
  }
  if (!descriptor_.is_open()) fail_to_write(name_, errno);
}

OutputFile::~OutputFile() {
  if (temporary_.empty()) return;
  ::unlink(temporary_.c_str());
  forget_temporary();
}

void OutputFile::create_temporary() {
  const fs::path folder = folder_of(target_);
  remove_partial_files_where(folder, [](Writer writer) { return writer == Writer::gone; });
  // The length does not depend on the target's name, which may already be as long as the system
  // allows.
  static std::atomic<unsigned> count = 0;
  listed_.reset(take_partial_name());
  do
    temporary_ =
        folder / fmt::format("{}{}-{}{}", partial_prefix, ::getpid(), count++, partial_suffix);
  while (!open_temporary() && errno == EEXIST);
  if (!descriptor_.is_open()) return forget_temporary();
  // A replaced file keeps its permissions. If that is not allowed, the new file's own will do.
  struct stat old = {};
  if (::stat(target_.c_str(), &old) == 0)
    std::ignore = ::fchmod(descriptor_.number(), old.st_mode & 07777);
}

bool OutputFile::open_temporary() {
  const std::string& name = temporary_.native();
  // Listed before it exists, so that a signal never leaves it behind.
  listed_->text[name.copy(listed_->text.data(), listed_->text.size() - 1)] = 0;
  listed_->may_be_there = true;
  descriptor_ = open(temporary_, O_WRONLY | O_CREAT | O_EXCL);
  if (descriptor_.is_open() && claim(descriptor_)) return true;
  listed_->may_be_there = false;
  if (descriptor_.is_open()) {
    ::unlink(name.c_str());  // it is there still if its state could not be told
    descriptor_.close();
    errno = EEXIST;  // the name was taken for a moment
  }
  return false;
}

void OutputFile::forget_temporary() {
  temporary_.clear();
  listed_.reset();
}

void OutputFile::Unlist::operator()(PartialName* entry) const noexcept {
  entry->may_be_there = false;
  entry->taken = false;
}

void OutputFile::write(std::span<const std::byte> bytes) {
  assert(descriptor_.is_open() && !finished_);
  write_all(name_, descriptor_.number(), bytes);
}

void OutputFile::finish() {
  assert(descriptor_.is_open());
  if (!temporary_.empty() && ::fsync(descriptor_.number()) != 0) fail_to_write(name_, errno);
  finished_ = true;
}

void OutputFile::commit() {
  if (!finished_) finish();
  if (temporary_.empty()) {
    if (!descriptor_.close()) fail_to_write(name_, errno);
    return;
  }
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_to_write(name_, errno);
  forget_temporary();
  // Only now, because others treat an unlocked file as abandoned. It is on the disk.
  descriptor_.close();
  sync_folder(folder_of(target_));
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void append_to_file(const fs::path& path, std::string_view text) {
  const Descriptor descriptor = open(path, O_WRONLY | O_APPEND | O_CREAT);
  if (!descriptor.is_open()) fail_to_write(path.string(), errno);
  write_all(path.string(), descriptor.number(), std::as_bytes(std::span(text)));
}

bool is_partial_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(partial_prefix) && name.ends_with(partial_suffix);
}

void remove_partial_files(const fs::path& folder) {
  remove_partial_files_where(folder, [](Writer writer) { return writer != Writer::there; });
}

void remove_own_partial_files() {
  for (const PartialName* entry = partial_names; entry != nullptr; entry = entry->next)
    if (entry->may_be_there) ::unlink(entry->text.data());
}

}  // namespace heed
