#include "heed/data/byte_input.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "compress.h"
#include "error_of.h"
#include "temporary_folder.h"

namespace heed {
namespace {

using testing::error_of;

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
  const std::string little = folder.put("little", testing::gzipped(std::string("\xFF\xFEt\0\xE9\0", 6)));
  EXPECT_EQ(read_all(*open_text(little)), "té");
  const std::string big = folder.put("big", std::string("\xFE\xFF\0t\0\xE9", 6));
  EXPECT_EQ(read_all(*open_text(big)), "té");
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
