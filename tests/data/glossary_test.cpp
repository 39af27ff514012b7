#include "heed/data/glossary.h"

#include <gtest/gtest.h>

#include "error_of.h"

namespace heed {
namespace {

using testing::error_of;
using Places = std::vector<size_t>;

Glossary glossary_of(const std::string& text) {
  LineReader lines(input_of(text), "terms");
  return Glossary::read(lines);
}

std::string refusal(const std::string& text) {
  return error_of([&] { glossary_of(text); });
}

// Of the terms in a text.
Places numbers(const Glossary& glossary, const std::string& text) {
  Places found;
  for (const FoundTerm& one : glossary.terms_in(text)) found.push_back(one.term);
  return found;
}

TEST(Glossary, ReadsTermsWithTheirForms) {
  const Glossary glossary = glossary_of("house|houses\tHaus | Häuser\tnoun\n\ntree\tBaum\n");
  ASSERT_EQ(glossary.terms().size(), 2U);
  EXPECT_EQ(glossary.terms()[0].source, (std::vector<std::string>{"house", "houses"}));
  EXPECT_EQ(glossary.terms()[0].target, (std::vector<std::string>{"Haus", "Häuser"}));
  EXPECT_EQ(glossary.terms()[1].target, (std::vector<std::string>{"Baum"}));
}

TEST(Glossary, LinesWithTheSameSourceAreOneTerm) {
  const Glossary glossary = glossary_of("house\tHaus\nhouse\tGebäude\n");
  ASSERT_EQ(glossary.terms().size(), 1U);
  EXPECT_EQ(glossary.terms()[0].target, (std::vector<std::string>{"Haus", "Gebäude"}));
}

TEST(Glossary, NamesTheLineThatIsWrong) {
  EXPECT_EQ(refusal("a\tb\nhouse Haus\n"),
            "terms: line 2: a term, a tab and its translation were expected but \"house Haus\" was "
            "found");
  EXPECT_EQ(refusal("a\t\n"), "terms: line 1: a form in \"\" is empty");
  EXPECT_EQ(refusal("a|\tb\n"), "terms: line 1: a form in \"a|\" is empty");
  EXPECT_EQ(refusal("\tb\n"), "terms: line 1: a form in \"\" is empty");
  EXPECT_EQ(refusal("a\t\xff\n"), "terms: line 1: is not UTF-8");
  EXPECT_EQ(refusal("\n"), "terms: there are no terms");
}

TEST(Glossary, FindsWholeWords) {
  const Glossary glossary = glossary_of("house|houses\tHaus\nboat\tBoot\n");
  EXPECT_EQ(numbers(glossary, "The boat, the houses."), (Places{1, 0}));
  EXPECT_EQ(numbers(glossary, "houseboats and boathouse"), Places{});
  EXPECT_EQ(numbers(glossary, "house-boat (house)"), (Places{0, 1}));
  EXPECT_EQ(numbers(glossary, ""), Places{});
}

TEST(Glossary, TakesTheLongestTerm) {
  const Glossary glossary = glossary_of("river\tFluss\nriver bank\tUfer\nbank\tBank\n");
  EXPECT_EQ(numbers(glossary, "the river bank"), Places{1});
  EXPECT_EQ(numbers(glossary, "the bank by the river"), (Places{2, 0}));
}

TEST(Glossary, FormsWithoutCapitalsStandForAnyCase) {
  const Glossary glossary = glossary_of("us\tuns\nUS\tUSA\nEiffel\tEiffel\n");
  EXPECT_EQ(numbers(glossary, "the US told us"), (Places{1, 0}));
  EXPECT_EQ(numbers(glossary, "Us"), Places{0});
  EXPECT_EQ(numbers(glossary, "eiffel EIFFEL"), Places{});
}

TEST(Glossary, NeedsNoSpacesWhereThereAreNone) {
  const Glossary glossary = glossary_of("房子\thouse\n");
  EXPECT_EQ(numbers(glossary, "他的房子很大"), Places{0});
}

TEST(Glossary, TellsWhereATermIs) {
  const Glossary glossary = glossary_of("house|houses\tHaus\nriver bank\tUfer\n");
  const std::vector<FoundTerm> found = glossary.terms_in("é house \xff river bank, houses");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].places, (std::vector<TextRange>{{3, 8}, {23, 29}}));
  EXPECT_EQ(found[1].places, (std::vector<TextRange>{{11, 21}}));
}

TEST(Glossary, KnowsWhatIsTranslated) {
  const Glossary glossary = glossary_of("house\tHaus|Häuser\nhouses\t房子\n");
  EXPECT_TRUE(glossary.is_translated(0, "Das Haus."));
  EXPECT_TRUE(glossary.is_translated(0, "Die Hausboote, die Häuser"));
  EXPECT_FALSE(glossary.is_translated(0, "Das Hausboot"));
  EXPECT_FALSE(glossary.is_translated(0, "das haus"));
  EXPECT_TRUE(glossary.is_translated(1, "他的房子很大"));
}

TEST(Glossary, TellsItsContentsApart) {
  EXPECT_EQ(glossary_of("a\tb\n").checksum(), glossary_of("a\tb\n\n").checksum());
  EXPECT_NE(glossary_of("a\tb\n").checksum(), glossary_of("a\tc\n").checksum());
  EXPECT_NE(glossary_of("a\tbc\n").checksum(), glossary_of("ab\tc\n").checksum());
}

}  // namespace
}  // namespace heed
