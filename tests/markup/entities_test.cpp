#include "heed/markup/entities.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(Entities, AreReadAsBrowsersDo) {
  const auto decoded = [](std::string_view text) {
    return decode_entities(text, MarkupKind::html);
  };
  EXPECT_EQ(decoded("&lt;&gt;&amp;&quot;&apos;"), "<>&\"'");
  EXPECT_EQ(decoded("&eacute;&Eacute;&NotEqualTilde;"), "é\xC3\x89\xE2\x89\x82\xCC\xB8");
  EXPECT_EQ(decoded("&copy 2 &notit; &notin;"), "© 2 ¬it; ∉");
  EXPECT_EQ(decoded("&#233;&#xe9;&#XE9;&#233 x"), "éééé x");
  EXPECT_EQ(decoded("&#0;&#x110000;&#xD800;&#99999999999;"), "����");
  EXPECT_EQ(decoded("&#128;&#x93;"), "€“");
  EXPECT_EQ(decoded("AT&T & &; &# &#x; &unknown; &"), "AT&T & &; &# &#x; &unknown; &");
  EXPECT_EQ(decoded("a\xFFz"), "a�z");
}

TEST(Entities, OfXmlAreFive) {
  EXPECT_EQ(decode_entities("&lt;&eacute;&nbsp;&#233;", MarkupKind::xml), "<&eacute;&nbsp;é");
  EXPECT_EQ(decode_entities("&lt;", MarkupKind::text), "&lt;");
}

TEST(Entities, KeepTextFromBecomingMarkup) {
  EXPECT_EQ(encode_entities("a<b> & \"c\"", MarkupKind::html), "a&lt;b&gt; &amp; \"c\"");
  EXPECT_EQ(encode_entities("\xC2\xA0", MarkupKind::html), "&nbsp;");
  EXPECT_EQ(encode_entities("\xC2\xA0", MarkupKind::xml), "\xC2\xA0");
  EXPECT_EQ(encode_entities("a<b", MarkupKind::text), "a<b");
  for (const std::string text : {"&lt;", "&amp;amp;", "<b>&nbsp;é"})
    EXPECT_EQ(decode_entities(encode_entities(text, MarkupKind::html), MarkupKind::html), text);
}

}  // namespace
}  // namespace heed
