#include "heed/data/tmx_reader.h"

#include <gtest/gtest.h>

#include "error_of.h"
#include "pairs_of.h"

namespace heed {
namespace {

using testing::drops_of;
using testing::error_of;
using testing::Pairs;
using testing::pairs_of;

// Bytes that come one at a time, so that every search has to cross the edge of a buffer.
class SlowInput : public ByteInput {
 public:
  explicit SlowInput(std::string bytes) : bytes_(std::move(bytes)) {}
  size_t read(std::span<char> buffer) override {
    const size_t count = bytes_.copy(buffer.data(), 1, given_);
    given_ += count;
    return count;
  }

 private:
  std::string bytes_;
  size_t given_ = 0;
};

TmxReader reader_of(const std::string& text, const std::string& source = "",
                    const std::string& target = "") {
  return {input_of(text), "a.tmx", source, target};
}

std::string variant(const std::string& language, const std::string& segment) {
  return "<tuv xml:lang=\"" + language + "\"><seg>" + segment + "</seg></tuv>";
}

std::string unit(const std::string& source, const std::string& target) {
  return "<tu>" + variant("en-US", source) + "\n" + variant("de-DE", target) + "</tu>\n";
}

std::string file_of(const std::string& units) {
  return "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE tmx SYSTEM \"tmx14.dtd\">\n<tmx "
         "version=\"1.4\"><header srclang=\"en-US\"/><body>\n" +
         units + "</body></tmx>\n";
}

TEST(TmxReader, ReadsUnits) {
  const std::string text =
      file_of(unit("one", "eins") + unit("Two &amp; &lt;three&gt; &#8364;", "Zwei\n  drei"));
  const Pairs expected = {{"one", "eins"}, {"Two & <three> €", "Zwei\n  drei"}};
  TmxReader reader = reader_of(text);
  EXPECT_EQ(pairs_of(reader), expected);
  TmxReader slow(std::make_unique<SlowInput>(text), "a.tmx", "", "");
  EXPECT_EQ(pairs_of(slow), expected);
}

TEST(TmxReader, ChoosesLanguages) {
  const std::string text =
      file_of("<tu tuid=\"a>b\">" + variant("EN_gb", "colour") + variant("de", "Farbe") +
              variant("fr-FR", "couleur") + "</tu><tu>" + variant("fr", "rouge") +
              variant("en-US", "red") + "</tu>");
  const auto read = [&](const std::string& source, const std::string& target) {
    TmxReader reader = reader_of(text, source, target);
    return pairs_of(reader);
  };
  EXPECT_EQ(read("fr", "en"), (Pairs{{"couleur", "colour"}, {"rouge", "red"}}));
  EXPECT_EQ(read("fr", "en-US"), (Pairs{{"rouge", "red"}}));
  EXPECT_EQ(read("", ""), (Pairs{{"colour", "Farbe"}}));
  EXPECT_EQ(read("", "fr"), (Pairs{{"colour", "couleur"}, {"red", "rouge"}}));
  EXPECT_EQ(read("de", ""), (Pairs{{"Farbe", "colour"}}));
  EXPECT_EQ(read("e", "f"), Pairs{});
  TmxReader reader = reader_of(text);
  EXPECT_EQ(drops_of(reader), std::vector<Drop>{Drop::missing_language});
}

TEST(TmxReader, TwoKindsOfOneLanguageArePairsToo) {
  TmxReader reader =
      reader_of(file_of("<tu>" + variant("en-GB", "colour") + variant("en-US", "color") + "</tu>"));
  EXPECT_EQ(pairs_of(reader), (Pairs{{"colour", "color"}}));
}

TEST(TmxReader, LeavesTheCodesOfToolsOut) {
  TmxReader reader =
      reader_of(file_of(unit("A <bpt i=\"1\">{\\b </bpt>bold<ept i=\"1\">}</ept> "
                             "<hi>w<hi>or</hi>d</hi><ph>&lt;br/&gt;<sub>no</sub></ph>.",
                             "<![CDATA[<tu> & </tu>]]> <!-- </tu> -->x")));
  EXPECT_EQ(pairs_of(reader), (Pairs{{"A bold word.", "<tu> & </tu> x"}}));
}

TEST(TmxReader, SkipsWhatIsNoUnit) {
  TmxReader reader = reader_of(
      file_of("<!-- <tu> --><tu/><tu tuid=\"1\" /><note><![CDATA[<tu>]]></note><tune>x</tune>" +
              unit("a", "b")));
  EXPECT_EQ(pairs_of(reader), (Pairs{{"a", "b"}}));
}

TEST(TmxReader, DeepElementsAreNoDanger) {
  std::string opening, closing;
  for (int i = 0; i < 200'000; ++i) {
    opening += "<hi>";
    closing += "</hi>";
  }
  TmxReader reader = reader_of(file_of(unit(opening + "a" + closing, "b")));
  EXPECT_EQ(pairs_of(reader), (Pairs{{"a", "b"}}));
}

TEST(TmxReader, ReferencesToNoCharacterAreDropped) {
  for (const char* reference :
       {"&#xD800;", "&#xDFFF;", "&#x110000;", "&#4294967361;", "&#99999999999999999999;", "&#;",
        "&#x;", "&#65", "&#6x5;", "&nbsp;", "&#-65;"}) {
    TmxReader reader =
        reader_of(file_of(unit("a", fmt::format("x{}y", reference)) + unit("one", "eins")));
    std::vector<std::optional<Drop>> drops;
    for (SentencePair pair; reader.next(pair);) drops.push_back(pair.drop);
    EXPECT_EQ(drops, (std::vector<std::optional<Drop>>{Drop::invalid_reference, std::nullopt}))
        << reference;
  }
}

TEST(TmxReader, NothingIsCutOffAtANul) {
  TmxReader reader =
      reader_of(file_of(unit("a&#0;b tail words", "eins") + unit("one", "e&#x00;ins")));
  EXPECT_EQ(pairs_of(reader), (Pairs{{std::string("a\0b tail words", 14), "eins"},
                                     {"one", std::string("e\0ins", 5)}}));
  TmxReader raw = reader_of(file_of(unit(std::string("a\0b", 3), "x") + unit("one", "eins")));
  EXPECT_EQ(drops_of(raw), std::vector<Drop>{Drop::nul_character});
}

TEST(TmxReader, AnAmpersandOfItsOwnStays) {
  TmxReader reader =
      reader_of(file_of(unit("AT&T & Co &amp;amp; &lt;&gt;&quot;&apos;", "R&D&#x20AC;&")));
  EXPECT_EQ(pairs_of(reader), (Pairs{{"AT&T & Co &amp; <>\"'", "R&D€&"}}));
}

TEST(TmxReader, SaysWhereAndWhatIsWrong) {
  const auto sentence = [](const std::string& text) {
    TmxReader reader = reader_of(text);
    return error_of([&] { pairs_of(reader); });
  };
  EXPECT_EQ(sentence("plain text"), "a.tmx: is not TMX, which begins with <tmx>");
  EXPECT_EQ(sentence("<html><tu></tu></html>"), "a.tmx: is not TMX, which begins with <tmx>");
  EXPECT_EQ(sentence(file_of("<tu>\n<tuv>")),
            "a.tmx: line 4: the file ends inside this unit, or the unit is longer than 16 MiB");
  EXPECT_EQ(sentence(file_of("<tu>\n<tuv></tu>")).substr(0, 43),
            "a.tmx: line 4: this unit is not XML: Start-");
  EXPECT_EQ(sentence("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><tmx></tmx>"),
            "a.tmx: the encoding is \"iso-8859-1\" but UTF-8 or UTF-16 was expected");
  EXPECT_EQ(sentence("<?xml encoding=?>"),
            "a.tmx: the encoding is \"\" but UTF-8 or UTF-16 was expected");
  EXPECT_EQ(sentence("<?xml encoding='utf-8'?><tmx>"), "(nothing was thrown)");
  EXPECT_EQ(sentence("<?xml encoding="), "a.tmx: is not TMX, which begins with <tmx>");
  EXPECT_EQ(sentence(file_of("")), "(nothing was thrown)");
}

}  // namespace
}  // namespace heed
