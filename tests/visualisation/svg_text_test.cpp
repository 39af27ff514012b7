#include "heed/visualisation/svg_text.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(SvgText, EscapesWhatXmlReserves) {
  EXPECT_EQ(svg_escape("a<b> & \"c\" 'd'"), "a&lt;b&gt; &amp; &quot;c&quot; &#39;d&#39;");
}

TEST(SvgText, LeavesOtherLettersAlone) { EXPECT_EQ(svg_escape("größer → 猫"), "größer → 猫"); }

TEST(SvgText, ReplacesWhatXmlCannotHold) {
  EXPECT_EQ(svg_escape("\xff"), "\uFFFD");
  EXPECT_EQ(svg_escape("\uFFFE"), "\uFFFD");
  EXPECT_EQ(svg_escape(std::string_view("\x01", 1)).find('\x01'), std::string::npos);
}

}  // namespace
}  // namespace heed
