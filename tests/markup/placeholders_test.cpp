#include "heed/markup/placeholders.h"

#include <gtest/gtest.h>

#include <chrono>

namespace heed {
namespace {

using List = std::vector<std::string>;

List placeholders_of(std::string_view text) {
  List found;
  for (const TextRange range : find_placeholders(text))
    found.emplace_back(text.substr(range.begin, range.size()));
  return found;
}

TEST(Placeholders, OfEveryKind) {
  for (const char* one :
       {"{name}",
        "{0}",
        "{}",
        "{0:>8}",
        "{user.name!r}",
        "{n, number}",
        "{n, plural, one {# file} other {# files}}",
        "{who,select,female {She has {n, plural, one {#} other {#s}}.} other {x}}",
        "{{name}}",
        "{{ name }}",
        "${x}",
        "$(x)",
        "%s",
        "%d",
        "%-5.2f",
        "%1$s",
        "%2$-5d",
        "%(n)d",
        "%(count)s",
        "%{name}",
        "%name%",
        "%%",
        "%lu",
        "%zu",
        "%@",
        "%1",
        "%<PRIu64>",
        "http://example.org/a?b=1&c=(d)#e",
        "https://x.org",
        "www.example.org",
        "mailto:a@b.org",
        "me.too+x@mail.example.org"})
    EXPECT_EQ(placeholders_of("Take " + std::string(one) + " now."), List({one}));
}

TEST(Placeholders, EndBeforePunctuation) {
  EXPECT_EQ(placeholders_of("See http://x.org/a, or (http://x.org/b)."),
            List({"http://x.org/a", "http://x.org/b"}));
  EXPECT_EQ(placeholders_of("Mail a@b.org."), List({"a@b.org"}));
  EXPECT_EQ(placeholders_of("{a}{b}%s%d"), List({"{a}", "{b}", "%s", "%d"}));
}

TEST(Placeholders, AreFoundInTimeHoweverManyBracketsFollow) {
  const auto begin = std::chrono::steady_clock::now();
  EXPECT_EQ(placeholders_of("http://x.org/(a)" + std::string(300'000, ')')),
            List({"http://x.org/(a)"}));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(2));
}

TEST(Placeholders, AreNotInOrdinaryText) {
  for (const char* text : {"100% sure", "50 % of all", "100%ig", "{two words here}", "a @ b", "x@y",
                           "$5", "{", "}", "%", "http://", "if (a) { b; }", "{n, plural, one {",
                           "{n, many, one {x y}}", "@home", "5 %"})
    EXPECT_EQ(placeholders_of(text), List()) << text;
}

}  // namespace
}  // namespace heed
