#include "heed/markup/document.h"

#include <gtest/gtest.h>

#include "word_translator.h"

namespace heed {
namespace {

using testing::translate_html;
using testing::WordOrder;

TEST(Document, First) {
  for (const char* html : {
    "<p>Hello <b>big</b> world.</p>",
    "<p>Hello <b>big blue</b> world. <i>Next <a href='x'>one</a></i>!</p>",
    "Hello <img src=a> here <img src=b> now",
    "un<b>believ</b>able <b>H</b>ello",
    "Use <code>printf</code> and <code>use</code> now.",
    "Hello {name}, you have %d items at http://x.org/a?b=1.",
    "<p>a &lt;b&gt; &amp; c &eacute; AT&T</p>",
    "<b>one<i>two</b>three</i> four",
    "x </i> y <b>z",
    "<script>if (a<b) c();</script><p>foo<!-- c --> bar",
    "<b><img></b> foo <a id=1></a>bar",
  }) {
    for (WordOrder order : {WordOrder::same, WordOrder::reversed, WordOrder::dropped})
      std::cerr << translate_html(html, order) << "\n";
    std::cerr << "\n";
  }
}

}  // namespace
}  // namespace heed
