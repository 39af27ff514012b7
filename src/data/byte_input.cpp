#include "heed/data/byte_input.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "heed/base/descriptor.h"
#include "heed/base/error.h"
#include "heed/data/buffered_input.h"
#include "heed/data/gzip_input.h"
#include "heed/data/utf16_input.h"
#include "heed/data/zstd_input.h"

namespace heed {

namespace {

[[noreturn]] void fail_to_read(const std::string& name, int reason) {
  require(reason != EISDIR, "{}: is a folder, but a file was expected", name);
  fail(ErrorKind::system, "{}: cannot be read: {}", name, std::generic_category().message(reason));
}

class FileInput : public ByteInput {
 public:
  explicit FileInput(const std::string& path)
      : name_(input_name(path)),
        descriptor_(path == "-" ? ::fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 0)
                                : ::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (!descriptor_.is_open()) fail_to_read(name_, errno);
    if (S_ISDIR(status().st_mode)) fail_to_read(name_, EISDIR);
  }

  size_t read(std::span<char> buffer) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_.number(), buffer.data(), buffer.size());
      if (count >= 0) return static_cast<size_t>(count);
      if (errno == EAGAIN)
        wait();  // someone made this descriptor non-blocking
      else if (errno != EINTR)
        fail_to_read(name_, errno);
    }
  }

  bool is_ready() override {
    pollfd asked = {.fd = descriptor_.number(), .events = POLLIN, .revents = 0};
    return ::poll(&asked, 1, 0) !=
           0;  // also at the end of the input, or if read() will report an error
  }

  // 0 for pipes and similar.
  int64_t bytes_left() const {
    const off_t place = ::lseek(descriptor_.number(), 0, SEEK_CUR);
    return S_ISREG(status().st_mode) && place >= 0 ? std::max<int64_t>(0, status().st_size - place)
                                                   : 0;
  }

  // Peeks at the next bytes of an ordinary file.
  std::string peek(size_t count) const {
    std::string bytes(count, '\0');
    const ssize_t found = ::pread(descriptor_.number(), bytes.data(), count,
                                  ::lseek(descriptor_.number(), 0, SEEK_CUR));
    bytes.resize(found > 0 ? static_cast<size_t>(found) : 0);
    return bytes;
  }

 private:
  struct stat status() const {
    struct stat status = {};
    ::fstat(descriptor_.number(), &status);
    return status;
  }

  void wait() const {
    pollfd asked = {.fd = descriptor_.number(), .events = POLLIN, .revents = 0};
    ::poll(&asked, 1, -1);
  }

  std::string name_;
  Descriptor descriptor_;
};

class MemoryInput : public ByteInput {
 public:
  explicit MemoryInput(std::string bytes) : bytes_(std::move(bytes)) {}

  size_t read(std::span<char> buffer) override {
    const size_t count = bytes_.copy(buffer.data(), buffer.size(), given_);
    given_ += count;
    return count;
  }

 private:
  std::string bytes_;
  size_t given_ = 0;
};

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF";
constexpr std::string_view little_endian_mark = "\xFF\xFE", big_endian_mark = "\xFE\xFF";

std::unique_ptr<ByteInput> unpack_now(BufferedInput input, const std::string& name) {
  if (input.starts_with(gzip_signature)) return unpack_gzip(std::move(input), name);
  if (input.starts_with(zstd_signature)) return unpack_zstd(std::move(input), name);
  return std::make_unique<BufferedInput>(std::move(input));
}

std::unique_ptr<ByteInput> decode_now(BufferedInput input) {
  const bool is_little = input.starts_with(little_endian_mark);
  const bool is_big = input.starts_with(big_endian_mark);
  if (is_little || is_big) {
    input.skip(little_endian_mark.size());
    return decode_utf16(std::move(input), is_big);
  }
  if (input.starts_with(utf8_mark)) input.skip(utf8_mark.size());
  return std::make_unique<BufferedInput>(std::move(input));
}

// An input whose first bytes decide how it is read. They may come late, from a person at a
// terminal, so it waits for them only when it is read.
class InputToRecognise : public ByteInput {
 public:
  InputToRecognise(std::unique_ptr<ByteInput> input, std::string name)
      : input_(std::move(input)), name_(std::move(name)) {}

  size_t read(std::span<char> buffer) override {
    if (!std::exchange(recognised_, true))
      input_ = recognise(BufferedInput(std::move(input_)), name_);
    require(input_ != nullptr, "{}: cannot be read any further after a failure", name_);
    return input_->read(buffer);
  }
  bool is_ready() override { return input_ == nullptr || input_->is_ready(); }

 private:
  virtual std::unique_ptr<ByteInput> recognise(BufferedInput input,
                                               const std::string& name) const = 0;

  std::unique_ptr<ByteInput> input_;
  std::string name_;
  bool recognised_ = false;
};

class PackedInput : public InputToRecognise {
 public:
  using InputToRecognise::InputToRecognise;

 private:
  std::unique_ptr<ByteInput> recognise(BufferedInput input,
                                       const std::string& name) const override {
    return unpack_now(std::move(input), name);
  }
};

class TextInput : public InputToRecognise {
 public:
  TextInput(std::unique_ptr<ByteInput> input, std::string name, TextCheck check)
      : InputToRecognise(std::move(input), std::move(name)), check_(std::move(check)) {}

 private:
  std::unique_ptr<ByteInput> recognise(BufferedInput input,
                                       const std::string& name) const override {
    BufferedInput bytes(unpack_now(std::move(input), name));
    if (check_.refuse)
      if (const auto kind = what_it_looks_like(bytes.peek_ready()))
        fail("{}: looks like {}, but text in UTF-8 was expected{}", name, *kind, check_.advice);
    return decode_now(std::move(bytes));
  }

  TextCheck check_;
};

}  // namespace

std::unique_ptr<ByteInput> open_file(const std::string& path) {
  return std::make_unique<FileInput>(path);
}

std::unique_ptr<ByteInput> open_bytes(const std::string& path) {
  return unpack(open_file(path), input_name(path));
}

std::unique_ptr<ByteInput> open_text(const std::string& path, const TextCheck& check) {
  return text_in(open_file(path), input_name(path), check);
}

std::unique_ptr<ByteInput> text_in(std::unique_ptr<ByteInput> bytes, const std::string& name,
                                   const TextCheck& check) {
  return std::make_unique<TextInput>(std::move(bytes), name, check);
}

std::unique_ptr<ByteInput> unpack(std::unique_ptr<ByteInput> bytes, const std::string& name) {
  return std::make_unique<PackedInput>(std::move(bytes), name);
}

std::unique_ptr<ByteInput> input_of(std::string bytes) {
  return std::make_unique<MemoryInput>(std::move(bytes));
}

std::string read_all(ByteInput& input, size_t most, const std::string& name) {
  std::string bytes;
  std::vector<char> buffer(size_t{1} << 16);
  while (const size_t count = input.read(buffer)) {
    require(count <= most - bytes.size(), "{}: has more than {} bytes", name, most);
    bytes.append(buffer.data(), count);
  }
  return bytes;
}

int64_t known_size(const std::string& path) {
  // A pipe must not be opened for this: closing it would look to its writer like the end of its
  // reader.
  std::error_code absent;
  if (path != "-" && !std::filesystem::is_regular_file(path, absent)) return 0;
  const FileInput file(path);
  const std::string front = file.peek(zstd_signature.size());
  const bool is_packed = front.starts_with(gzip_signature) || front.starts_with(zstd_signature);
  return is_packed ? 0 : file.bytes_left();
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace heed
