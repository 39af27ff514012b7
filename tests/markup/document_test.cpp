#include "heed/markup/document.h"

#include <gtest/gtest.h>

#include "word_translator.h"

namespace heed {
namespace {

using testing::translate_html;
using testing::WordOrder;

TEST(Document, TagsComeBackAroundTheWordsThatTheyWereAround) {
  EXPECT_EQ(translate_html("<p>Hello <b>big</b> world.</p>", WordOrder::reversed),
            "<p>WORLD <b>BIG</b> HELLO.</p>");
  EXPECT_EQ(translate_html("<p>one <b>two three</b> four</p>", WordOrder::last_to_front),
            "<p>FOUR ONE <b>TWO THREE</b></p>");
}

}  // namespace
}  // namespace heed
