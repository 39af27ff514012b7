#include "heed/data/text_check.h"

#include <gtest/gtest.h>

#include "heed/base/random.h"

namespace heed {
namespace {

using namespace std::string_literals;

constexpr const char* none = "text";

std::string_view kind_of(const std::string& sample) {
  return what_it_looks_like(sample).value_or(none);
}

std::string repeated(const std::string& text, int times) {
  std::string result;
  for (int i = 0; i < times; ++i) result += text;
  return result;
}

// Each character of an ASCII text, with this many bytes before and after it.
std::string widened(const std::string& text, size_t before, size_t after) {
  std::string result;
  for (const char letter : text) result.append(before, '\0').append(1, letter).append(after, '\0');
  return result;
}

TEST(TextCheck, TextOfAnyLanguageIsText) {
  EXPECT_EQ(kind_of(""), none);
  EXPECT_EQ(kind_of("a"), none);
  EXPECT_EQ(kind_of(std::string(1000, '\n')), none);
  for (const char* text :
       {"plain words\t\r\n", "Größe und Übung ", "日本語の文章。", "Привет, мир! ", "😀"})
    EXPECT_EQ(kind_of(repeated(text, 20'000)), none) << text;
}

TEST(TextCheck, AFewBrokenBytesDoNotMatter) {
  EXPECT_EQ(kind_of("\xFF\xFF\xFF\xFF\xFF"), none);
  EXPECT_EQ(kind_of("ba\n\xFF\n\0\n"s), none);
  EXPECT_EQ(kind_of(repeated("Gr\xF6\xDF"
                             "e und \xDC"
                             "bung in ISO-8859-1 ",
                             1000)),
            none);
  EXPECT_EQ(kind_of(repeated("ten bytes\xFF", 1000)), none);
  EXPECT_NE(kind_of(repeated("nine by\xFF\xFF", 1000)), none);
}

TEST(TextCheck, KnowsWhatItSees) {
  EXPECT_EQ(kind_of("\x89PNG\r\n\x1A\n\0\0\0\rIHDR"s), "a PNG picture");
  EXPECT_EQ(kind_of("\xFF\xD8\xFF\xE0\0\x10JFIF"s), "a JPEG picture");
  EXPECT_EQ(kind_of("GIF89a\x10\0\x10\0\0\0\0"s), "a GIF picture");
  EXPECT_EQ(kind_of("%PDF-1.7\n%\xE2\xE3\xCF\xD3\n"), "a PDF document");
  EXPECT_EQ(kind_of("PK\x03\x04\x14\0\x06\0\x08\0word/document.xml"s),
            "a ZIP archive or an office document");
  EXPECT_EQ(kind_of("\xFD"
                    "7zXZ\0\0\x04"s),
            "an xz archive");
  EXPECT_EQ(kind_of("BZh91AY&SY\x01\x02\x03\x04"), "a bzip2 archive");
  EXPECT_EQ(kind_of("7z\xBC\xAF\x27\x1C\0\x04"s), "a 7z archive");
  EXPECT_EQ(kind_of("\x7F"
                    "ELF\x02\x01\x01\0"s),
            "a program (ELF)");
  EXPECT_EQ(kind_of("SQLite format 3\0\x10\0\x01\x01"s), "an SQLite database");
}

TEST(TextCheck, ATextAboutSuchFilesIsText) {
  EXPECT_EQ(kind_of("GIF89a is a format of pictures.\n"), none);
  EXPECT_EQ(kind_of("BZh begins an archive.\n"), none);
  EXPECT_EQ(kind_of("%PDF-1.7 begins a document.\n"), none);
}

TEST(TextCheck, KnowsWideCharacters) {
  const std::string words = repeated("some words\n", 50);
  EXPECT_EQ(kind_of(widened(words, 0, 1)), "text in UTF-16 without a byte order mark");
  EXPECT_EQ(kind_of(widened(words, 1, 0)), "text in UTF-16 without a byte order mark");
  EXPECT_EQ(kind_of(widened(words, 0, 3)), "text in UTF-32");
  EXPECT_EQ(kind_of(widened(words, 3, 0)), "text in UTF-32");
  EXPECT_EQ(kind_of("\xFF\xFE\0\0"s.append(widened(words, 0, 3))), "text in UTF-32");
  EXPECT_EQ(kind_of("\xFF\xFE"s.append(widened(words, 0, 1))), none);
  EXPECT_EQ(kind_of("\xFE\xFF"s.append(widened(words, 1, 0))), none);
}

TEST(TextCheck, AnythingElseIsBinaryOrAnotherEncoding) {
  Rng rng(1);
  std::string noise;
  for (int i = 0; i < 1000; ++i) noise += static_cast<char>(rng.below(256));
  EXPECT_EQ(kind_of(noise), "binary data or text in another encoding");
  EXPECT_EQ(kind_of(repeated("\xF0\xD2\xC9\xD7\xC5\xD4 ", 20)),
            "binary data or text in another encoding");
}

}  // namespace
}  // namespace heed
