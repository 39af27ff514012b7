#include "heed/data/charset_decoder.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(CharsetDecoder, DecodesWhatTheHeaderNames) {
  const auto decoded = [](const char* header, const char* text) {
    return CharsetDecoder::of_header(header).decode(text);
  };
  EXPECT_EQ(decoded("Content-Type: text/plain; charset=ISO-8859-1\nX: y", "gr\xfc\xdf"), "grüß");
  EXPECT_EQ(decoded("charset=EUC-JP", "\xc7\xad"), "猫");
  EXPECT_EQ(decoded("charset=EUC-JP", ""), "");
  EXPECT_EQ(decoded("charset=UTF-8\n", "grüß"), "grüß");
}

TEST(CharsetDecoder, LeavesWhatItCannotDecode) {
  for (const char* header :
       {"", "charset=", "charset=CHARSET\n", "charset=UTF-8", "charset=EUC-JP"})
    EXPECT_EQ(CharsetDecoder::of_header(header).decode("\xfc!"), "\xfc!") << header;
  EXPECT_EQ(CharsetDecoder().decode("\xfc"), "\xfc");
}

TEST(CharsetDecoder, AFailureHasNoConsequencesForTheNextText) {
  const CharsetDecoder decoder = CharsetDecoder::of_header("charset=ISO-2022-JP");
  EXPECT_EQ(decoder.decode("\x1b$B\xff"), "\x1b$B\xff");
  EXPECT_EQ(decoder.decode("plain"), "plain");
}

}  // namespace
}  // namespace heed
