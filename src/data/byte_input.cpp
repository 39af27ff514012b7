#include "heed/data/byte_input.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/data/buffered_input.h"
#include "heed/data/gzip_input.h"
#include "heed/data/utf16_input.h"
#include "heed/data/zstd_input.h"

namespace heed {

namespace {

class FileInput : public ByteInput {
 public:
  explicit FileInput(const std::string& path) : name_(input_name(path)) {
    descriptor_ = path == "-" ? ::dup(STDIN_FILENO) : ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    require(descriptor_ >= 0, "{}: cannot be read: {}", name_, std::strerror(errno));
  }
  FileInput(const FileInput&) = delete;
  FileInput& operator=(const FileInput&) = delete;
  ~FileInput() override { ::close(descriptor_); }

  size_t read(std::span<char> buffer) override {
    for (;;) {
      const ssize_t count = ::read(descriptor_, buffer.data(), buffer.size());
      if (count >= 0) return static_cast<size_t>(count);
      require(errno != EISDIR, "{}: is a folder, but a file was expected", name_);
      require(errno == EINTR, "{}: cannot be read: {}", name_, std::strerror(errno));
    }
  }

 private:
  std::string name_;
  int descriptor_ = -1;
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

}  // namespace

std::unique_ptr<ByteInput> open_bytes(const std::string& path) {
  return unpack(std::make_unique<FileInput>(path), input_name(path));
}

std::unique_ptr<ByteInput> open_text(const std::string& path) { return decode_text(open_bytes(path)); }

std::unique_ptr<ByteInput> unpack(std::unique_ptr<ByteInput> bytes, const std::string& name) {
  BufferedInput input(std::move(bytes));
  const std::string_view front = input.peek(zstd_signature.size());
  if (front.starts_with(gzip_signature)) return unpack_gzip(std::move(input), name);
  if (front.starts_with(zstd_signature)) return unpack_zstd(std::move(input), name);
  return std::make_unique<BufferedInput>(std::move(input));
}

std::unique_ptr<ByteInput> decode_text(std::unique_ptr<ByteInput> bytes) {
  constexpr std::string_view utf8_mark = "\xEF\xBB\xBF", little_endian = "\xFF\xFE", big_endian = "\xFE\xFF";
  BufferedInput input(std::move(bytes));
  const std::string_view front = input.peek(utf8_mark.size());
  const bool is_utf8 = front.starts_with(utf8_mark);
  const bool is_little = front.starts_with(little_endian), is_big = front.starts_with(big_endian);
  if (is_utf8) input.skip(utf8_mark.size());
  if (is_little || is_big) input.skip(little_endian.size());
  if (is_little || is_big) return decode_utf16(std::move(input), is_big);
  return std::make_unique<BufferedInput>(std::move(input));
}

std::unique_ptr<ByteInput> input_of(std::string bytes) {
  return std::make_unique<MemoryInput>(std::move(bytes));
}

std::string read_all(ByteInput& input) {
  std::string bytes;
  std::vector<char> buffer(size_t{1} << 16);
  while (const size_t count = input.read(buffer)) bytes.append(buffer.data(), count);
  return bytes;
}

std::string input_name(const std::string& path) { return path == "-" ? "standard input" : path; }

}  // namespace heed
