#include "heed/data/byte_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <system_error>
#include <utility>

#include "compress.h"
#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;

TEST(ByteInput, IsReadToItsEndUnlessThatIsTooFar) {
  EXPECT_EQ(read_all(*input_of("12345"), 5, "a"), "12345");
  EXPECT_EQ(error_of([] { read_all(*input_of("12345"), 4, "a"); }), "a: has more than 4 bytes");
}

TEST(ByteInput, SeesFromTheBytesHowTheyArePacked) {
  const testing::TemporaryFolder folder;
  for (const std::string& text : {std::string(), std::string("a"), std::string("some text\n")})
    for (const std::string& packed : {text, testing::gzipped(text), testing::zstd_packed(text)}) {
      const std::string path = folder.put("file", packed);
      EXPECT_EQ(read_all(*open_bytes(path)), text);
      EXPECT_EQ(read_all(*open_text(path)), text);
    }
}

TEST(ByteInput, TextLosesItsByteOrderMark) {
  const testing::TemporaryFolder folder;
  const std::string marked = folder.put("marked", "\xEF\xBB\xBFtext");
  EXPECT_EQ(read_all(*open_text(marked)), "text");
  EXPECT_EQ(read_all(*open_bytes(marked)), "\xEF\xBB\xBFtext");
  const std::string little =
      folder.put("little", testing::gzipped(std::string("\xFF\xFEt\0\xE9\0", 6)));
  EXPECT_EQ(read_all(*open_text(little)), "té");
  const std::string big = folder.put("big", std::string("\xFE\xFF\0t\0\xE9", 6));
  EXPECT_EQ(read_all(*open_text(big)), "té");
}

TEST(ByteInput, WhatIsHardlyTextIsRefused) {
  const testing::TemporaryFolder folder;
  const std::string picture = std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR", 16);
  const std::string path = folder.put("a.png", picture),
                    packed = folder.put("a.gz", testing::gzipped(picture));
  EXPECT_EQ(error_of([&] { read_all(*open_text(path)); }),
            path + ": looks like a PNG picture, but text in UTF-8 was expected");
  EXPECT_EQ(error_of([&] { read_all(*open_text(packed, {.advice = "; really"})); }),
            packed + ": looks like a PNG picture, but text in UTF-8 was expected; really");
  EXPECT_EQ(read_all(*open_text(path, {.refuse = false})), picture);
  EXPECT_EQ(read_all(*open_bytes(path)), picture);
}

TEST(ByteInput, WhatHasFailedStaysSo) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.put("picture", "\x89PNG\r\n\x1a\n");
  const std::unique_ptr<ByteInput> input = open_text(path);
  EXPECT_NE(error_of([&] { read_all(*input); }).find("looks like"), std::string::npos);
  EXPECT_TRUE(input->is_ready());
  EXPECT_EQ(error_of([&] { read_all(*input); }),
            path + ": cannot be read any further after a failure");
}

TEST(ByteInput, TheSizeOfPlainFilesIsKnown) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(known_size(folder.put("a", "text")), 4);
  EXPECT_EQ(known_size(folder.put("b", testing::gzipped("text"))), 0);
  EXPECT_EQ(known_size(folder.put("c", testing::zstd_packed("text"))), 0);
  EXPECT_EQ(known_size("/dev/null"), 0);
}

// A pipe that the test writes to.
class Pipe {
 public:
  Pipe() {
    std::array<int, 2> ends = {};
    if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category());
    write_end_ = ends[1];
    path_ = fmt::format("/dev/fd/{}", ends[0]);
    read_end_ = ends[0];
  }
  ~Pipe() {
    ::close(read_end_);
    close();
  }

  const std::string& path() const { return path_; }
  void send(std::string_view bytes) const {
    if (::write(write_end_, bytes.data(), bytes.size()) != static_cast<ssize_t>(bytes.size()))
      throw std::system_error(errno, std::generic_category());
  }
  void close() {
    if (write_end_ >= 0) ::close(std::exchange(write_end_, -1));
  }

 private:
  std::string path_;
  int read_end_ = -1;
  int write_end_ = -1;
};

std::string read_some(ByteInput& input) {
  std::array<char, 100> buffer;
  return std::string(buffer.data(), input.read(buffer));
}

// Otherwise the test would wait forever.
TEST(ByteInput, WaitsForNoMoreThanThereIs) {
  const std::string mark = "\xFF\xFE";
  for (const auto& [first, second] : {std::pair<std::string, std::string>{"a", "b"},
                                      {testing::gzipped("a"), testing::gzipped("b")},
                                      {testing::zstd_packed("a"), testing::zstd_packed("b")},
                                      {mark + std::string("a\0", 2), std::string("b\0", 2)}}) {
    Pipe pipe;
    const auto input = open_text(pipe.path());
    EXPECT_FALSE(input->is_ready());
    pipe.send(first);
    EXPECT_TRUE(input->is_ready());
    EXPECT_EQ(read_some(*input), "a");
    EXPECT_FALSE(input->is_ready());
    pipe.send(second);
    EXPECT_TRUE(input->is_ready());
    EXPECT_EQ(read_some(*input), "b");
    pipe.close();
    EXPECT_TRUE(input->is_ready());
    EXPECT_EQ(read_some(*input), "");
  }
}

TEST(ByteInput, ADashIsStandardInput) {
  const testing::TemporaryFolder folder;
  const std::string path = folder.put("file", testing::gzipped("from standard input"));
  const int saved = ::dup(STDIN_FILENO), file = ::open(path.c_str(), O_RDONLY);
  ::dup2(file, STDIN_FILENO);
  EXPECT_EQ(read_all(*open_text("-")), "from standard input");
  ::dup2(saved, STDIN_FILENO);
  ::close(saved);
  ::close(file);
  EXPECT_EQ(input_name("-"), "standard input");
  EXPECT_EQ(input_name("a"), "a");
}

TEST(ByteInput, SaysWhyAFileCannotBeRead) {
  const testing::TemporaryFolder folder;
  EXPECT_EQ(error_of([&] { open_text(folder.path("none")); }),
            folder.path("none") + ": cannot be read: No such file or directory");
  EXPECT_EQ(error_of([&] { open_text(folder.path("")); }),
            folder.path("") + ": is a folder, but a file was expected");
}

}  // namespace
}  // namespace heed
