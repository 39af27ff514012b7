// Random pages, translations and links, for properties that hold for all of them.
#pragma once

#include <string>
#include <vector>

#include "heed/base/random.h"
#include "heed/markup/document.h"

namespace heed::testing {

class PageMaker {
 public:
  explicit PageMaker(uint64_t seed) : rng_(seed) {}

  size_t below(size_t limit) { return static_cast<size_t>(rng_.below(limit)); }
  template <typename List>
  auto one_of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

  // A page that is also XML: every tag is closed, in order.
  std::string well_formed() {
    std::string page = "<div>";
    for (size_t i = 1 + below(4); i > 0; --i) page += block();
    return page + "</div>";
  }

  // Anything that looks like a page.
  std::string soup() {
    static const std::vector<std::string> bits = {"<b>",
                                                  "</b>",
                                                  "<i class='x'>",
                                                  "</i>",
                                                  "<p>",
                                                  "</p>",
                                                  "<a href=\"y>z\">",
                                                  "</a>",
                                                  "<",
                                                  ">",
                                                  "&",
                                                  "&amp;",
                                                  "&lt",
                                                  "<img src=1>",
                                                  "<br/>",
                                                  "<!--",
                                                  "-->",
                                                  "<!-- x -->",
                                                  "<code>",
                                                  "</code>",
                                                  "<script>",
                                                  "</script>",
                                                  "one ",
                                                  "two ",
                                                  "three. ",
                                                  "<![CDATA[",
                                                  "]]>",
                                                  "<?",
                                                  "\"",
                                                  "'",
                                                  "</",
                                                  "<x id=\"1\"/>",
                                                  "</span>",
                                                  "<span id=s>",
                                                  "\xC3\xA9 ",
                                                  "\xFF",
                                                  "\n",
                                                  "  ",
                                                  "{name} ",
                                                  "%s ",
                                                  "<title>",
                                                  "</title>",
                                                  "<B>",
                                                  "<div translate=no>",
                                                  "</div>",
                                                  "=",
                                                  "/>"};
    std::string page;
    for (size_t i = below(40); i > 0; --i) page += one_of(bits);
    return page;
  }

  // Words that try to become markup.
  TranslatedSentence translation_of(const std::string& source) {
    static const std::vector<std::string> words = {"eins",
                                                   "<b>",
                                                   "</b>",
                                                   "&amp;",
                                                   "a<b",
                                                   "\"drei\"",
                                                   "<!--",
                                                   "-->",
                                                   "]]>",
                                                   "zwei,",
                                                   "&",
                                                   "<script>alert(1)</script>",
                                                   "\xC3\xBC"
                                                   "ber",
                                                   "\xE4\xB8\x96\xE7\x95\x8C",
                                                   "x>y",
                                                   "'",
                                                   "<img/>",
                                                   "."};
    TranslatedSentence translation;
    std::vector<TextRange> targets;
    for (size_t i = below(9); i > 0; --i) {
      if (!translation.text.empty()) translation.text += ' ';
      const size_t begin = translation.text.size();
      translation.text += one_of(words);
      targets.push_back({begin, translation.text.size()});
    }
    std::vector<TextRange> sources;
    for (size_t at = 0; at < source.size();) {
      const size_t end = std::min(source.find(' ', at), source.size());
      if (end > at) sources.push_back({at, end});
      at = end + 1;
    }
    if (sources.empty() || targets.empty()) return translation;
    for (const TextRange target : targets)
      translation.links.of_target.push_back({one_of(sources), target});
    for (const TextRange origin : sources)
      translation.links.of_source.push_back({origin, one_of(targets)});
    if (below(8) == 0) damage(translation.links);
    return translation;
  }

 private:
  std::string words() {
    static const std::vector<std::string> list = {
        "one",      "two,", "three.", "a &lt; b", "R&amp;D", "Four",
        "\"five\"", "it's", "{name}", "100%",     "%d",      "\xC3\xA9t\xC3\xA9"};
    std::string text;
    for (size_t i = below(4); i > 0; --i) text += one_of(list) + (below(4) == 0 ? "" : " ");
    return text;
  }

  std::string start_tag(const std::string& name) {
    std::string tag = "<" + name;
    if (below(3) == 0) tag += " class=\"c" + std::to_string(below(3)) + "\"";
    if (below(3) == 0) tag += " id=\"n" + std::to_string(++ids_) + "\"";
    if (below(6) == 0) tag += " title=\"a &gt; &quot;b&quot;\"";
    return tag + ">";
  }

  std::string inline_content(int depth) {
    std::string content = words();
    for (size_t i = below(4); i > 0; --i) {
      const size_t kind = below(depth > 4 ? 3 : 8);
      if (kind == 0) {
        content += "<img src=\"" + std::to_string(below(5)) + "\"/>";
      } else if (kind == 1) {
        content += "<!-- c" + std::to_string(below(3)) + " -->";
      } else if (kind == 2) {
        content += "<code>x" + std::to_string(below(3)) + "</code>";
      } else {
        const std::string name = one_of(std::vector<std::string>{"b", "i", "a", "span", "em", "q"});
        content += start_tag(name) + inline_content(depth + 1) + "</" + name + ">";
      }
      content += words();
    }
    return content;
  }

  std::string block() {
    const std::string name = one_of(std::vector<std::string>{"p", "li", "h1", "td"});
    return start_tag(name) + inline_content(0) + "</" + name + ">\n";
  }

  void damage(TextLinks& links) {
    for (TextLink& link : links.of_target) {
      if (below(2) == 0) link.source.end += below(40);
      if (below(2) == 0) link.target.begin += below(10);
    }
    if (below(2) == 0) links.of_source.clear();
  }

  Rng rng_;
  int ids_ = 0;
};

}  // namespace heed::testing
