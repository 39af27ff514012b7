#include "heed/base/files.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cassert>
#include <cerrno>
#include <system_error>
#include <utility>

#include "heed/base/error.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

std::string reason_text(int reason) { return std::generic_category().message(reason); }

[[noreturn]] void fail_to_read(const fs::path& path, int reason) {
  fail("{}: cannot be read: {}", path.string(), reason_text(reason));
}

[[noreturn]] void fail_to_write(const fs::path& path, int reason) {
  fail("{}: cannot be written: {}", path.string(), reason_text(reason));
}

void write_all(const fs::path& path, int descriptor, std::span<const std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail_to_write(path, errno);
    bytes = bytes.subspan(static_cast<size_t>(count));
  }
}

// Closes a descriptor at the end of a block.
class Closed {
 public:
  explicit Closed(int descriptor) : descriptor_(descriptor) {}
  Closed(const Closed&) = delete;
  Closed& operator=(const Closed&) = delete;
  ~Closed() { ::close(descriptor_); }

 private:
  int descriptor_;
};

constexpr std::string_view partial_prefix = ".heed-", partial_suffix = ".partial";

// A file opened for reading, and what the system says about it.
class Input {
 public:
  explicit Input(const fs::path& path)
      : path_(path), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (descriptor_ < 0) fail_to_read(path, errno);
    if (::fstat(descriptor_, &status_) != 0) {
      const int reason = errno;
      ::close(descriptor_);
      fail_to_read(path, reason);
    }
    if (S_ISDIR(status_.st_mode)) {
      ::close(descriptor_);
      fail("{}: is a folder, but a file was expected", path.string());
    }
  }
  Input(const Input&) = delete;
  Input& operator=(const Input&) = delete;
  ~Input() { ::close(descriptor_); }

  // The size that the system reports: exact for an ordinary file, 0 for pipes and the like.
  size_t size() const { return S_ISREG(status_.st_mode) ? static_cast<size_t>(status_.st_size) : 0; }

  int descriptor() const { return descriptor_; }

  std::vector<std::byte> read_to_end() const {
    // One byte more than the reported size lets the last read find the end without growing the buffer.
    std::vector<std::byte> bytes(std::max<size_t>(size() + 1, 4096));
    size_t filled = 0;
    for (;;) {
      const ssize_t count = ::read(descriptor_, bytes.data() + filled, bytes.size() - filled);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_to_read(path_, errno);
      if (count == 0) break;
      filled += static_cast<size_t>(count);
      if (filled == bytes.size()) bytes.resize(bytes.size() * 2);
    }
    bytes.resize(filled);
    return bytes;
  }

 private:
  fs::path path_;
  int descriptor_;
  struct stat status_ = {};
};

// What a rename should replace: the file behind a symbolic link, not the link.
fs::path behind_links(const fs::path& path) {
  std::error_code ignored;
  const fs::path resolved = fs::canonical(path, ignored);
  return ignored ? path : resolved;
}

bool is_device_or_pipe(const fs::path& path) {
  std::error_code ignored;
  const fs::file_status status = fs::status(path, ignored);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

// Makes a rename in the folder survive a power cut. Some file systems cannot sync folders; the file itself is
// safe.
void sync_folder(const fs::path& folder) {
  const int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return;
  ::fsync(descriptor);
  ::close(descriptor);
}

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

}  // namespace

std::vector<std::byte> read_file(const fs::path& path) { return Input(path).read_to_end(); }

MappedFile::MappedFile(const fs::path& path) {
  const Input input(path);
  if (input.size() > 0) {
    void* start = ::mmap(nullptr, input.size(), PROT_READ | PROT_WRITE, MAP_PRIVATE, input.descriptor(), 0);
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

OutputFile::OutputFile(const fs::path& path) : name_(path), target_(behind_links(path)) {
  std::error_code ignored;
  require(!fs::is_directory(target_, ignored), "{}: is a folder, but a file was expected", name_.string());
  if (is_device_or_pipe(target_))
    descriptor_ = ::open(target_.c_str(), O_WRONLY | O_CLOEXEC);
  else
    create_temporary();
  if (descriptor_ < 0) fail_to_write(name_, errno);
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::create_temporary() {
  // The name does not grow with the target's, which may already be as long as the system allows.
  static std::atomic<unsigned> count = 0;
  fs::path candidate;
  do {
    candidate =
        folder_of(target_) / fmt::format("{}{}-{}{}", partial_prefix, ::getpid(), count++, partial_suffix);
    descriptor_ = ::open(candidate.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  } while (descriptor_ < 0 && errno == EEXIST);
  if (descriptor_ < 0) return;
  temporary_ = std::move(candidate);
  // A file that is replaced keeps its permissions. Where that is not allowed the new file's own are as good.
  struct stat old = {};
  if (::stat(target_.c_str(), &old) == 0) std::ignore = ::fchmod(descriptor_, old.st_mode & 07777);
}

void OutputFile::write(std::span<const std::byte> bytes) {
  assert(descriptor_ >= 0);
  write_all(name_, descriptor_, bytes);
}

void OutputFile::commit() {
  assert(descriptor_ >= 0);
  if (!temporary_.empty() && ::fsync(descriptor_) != 0) fail_to_write(name_, errno);
  if (::close(std::exchange(descriptor_, -1)) != 0) fail_to_write(name_, errno);
  if (temporary_.empty()) return;
  if (::rename(temporary_.c_str(), target_.c_str()) != 0) fail_to_write(name_, errno);
  temporary_.clear();
  sync_folder(folder_of(target_));
}

void write_file_atomically(const fs::path& path, std::string_view text) {
  OutputFile file(path);
  file.write(text);
  file.commit();
}

void append_to_file(const fs::path& path, std::string_view text) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (descriptor < 0) fail_to_write(path, errno);
  const Closed closed(descriptor);
  write_all(path, descriptor, std::as_bytes(std::span(text)));
}

bool is_partial_file(const fs::path& path) {
  const std::string name = path.filename().string();
  return name.starts_with(partial_prefix) && name.ends_with(partial_suffix);
}

void remove_partial_files(const fs::path& folder) {
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored))
    if (is_partial_file(entry.path())) fs::remove(entry, ignored);
}

}  // namespace heed
