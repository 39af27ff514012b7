#include "heed/decoding/text_links.h"

#include <gtest/gtest.h>

#include <thread>

#include "heed/decoding/translator.h"
#include "heed/models/transformer.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::made_up_sentences;
using testing::small_vocabulary;
using Words = std::vector<int64_t>;
using Ranges = std::vector<TextRange>;

TEST(LinkedWords, AreBetweenSpacesWithoutTheirPunctuation) {
  // "well-known, (yes)" in pieces.
  const std::string text = "well-known, (yes)";
  const Ranges pieces = {{0, 4}, {4, 5}, {5, 10}, {10, 11}, {12, 13}, {13, 16}, {16, 17}};
  EXPECT_EQ(linked_words(text, pieces), Words({0, 0, 0, 1, 2, 3, 4}));
}

TEST(LinkedWords, ArePiecesWhereThereAreNoSpaces) {
  const std::string text = "我喜欢abc。";
  const Ranges pieces = {{0, 3}, {3, 9}, {9, 10}, {10, 12}, {12, 15}};
  EXPECT_EQ(linked_words(text, pieces), Words({0, 1, 2, 2, 3}));
}

TEST(LinkedWords, APieceWithoutBytesBelongsToTheNextWord) {
  EXPECT_EQ(linked_words("a b", Ranges({{0, 0}, {0, 1}, {1, 1}, {2, 3}, {3, 3}})),
            Words({0, 0, 1, 1, -1}));
  EXPECT_EQ(linked_words("", {}), Words());
}

// What Moses's tokeniser makes of "yes", and so: the mark is moved before the quote, which becomes
// "&@@ quot;". The words of the text must not overlap.
TEST(LinkedWords, PiecesThatAreMovedOrShareBytesAreOneWord) {
  const std::string text = "\"yes\", so";
  const Ranges pieces = {{0, 1}, {0, 1}, {1, 4}, {5, 6}, {4, 5}, {4, 5}, {7, 9}};
  EXPECT_EQ(linked_words(text, pieces), Words({0, 0, 1, 2, 2, 2, 3}));
  const Tensor attention = Tensor::of({1, 8}, {0, 0, 0, 0, 0.9f, 0, 0.1f, 0});
  const TextLinks links = link_texts(attention, text, pieces, "a", Ranges({{0, 1}}));
  EXPECT_EQ(links.of_target, std::vector<TextLink>({{{4, 6}, {0, 1}}}));
}

TEST(TextLinks, FollowTheLargestWeights) {
  // "ab c" and the end of the sentence; "x y z".
  const Tensor attention = Tensor::of({3, 4}, {0.1f, 0.2f, 0.25f, 0.45f,  //
                                               0.0f, 0.1f, 0.8f, 0.1f,    //
                                               0.4f, 0.4f, 0.1f, 0.1f});
  const TextLinks links = link_texts(attention, "ab c", Ranges({{0, 1}, {1, 2}, {3, 4}}), "x y z",
                                     Ranges({{0, 1}, {2, 3}, {4, 5}}));
  EXPECT_EQ(links.of_target, std::vector<TextLink>({{{0, 2}, {0, 1}},  //
                                                    {{3, 4}, {2, 3}},
                                                    {{0, 2}, {4, 5}}}));
  EXPECT_EQ(links.of_source, std::vector<TextLink>({{{0, 2}, {4, 5}}, {{3, 4}, {2, 3}}}));
}

// A line that is translated in parts has links to its own bytes, each part where it stands.
TEST(TextLinks, OfTranslationsAreWithinTheTexts) {
  const int64_t vocabulary = small_vocabulary().size();
  Rng rng(5);
  const Transformer model(TransformerConfig{.source_vocabulary = vocabulary,
                                            .target_vocabulary = vocabulary,
                                            .encoder_layers = 1,
                                            .decoder_layers = 1,
                                            .width = 16,
                                            .ffn = 16,
                                            .heads = 2},
                          rng);
  for (const int64_t longest : {100, 5}) {
    const Translator translator(model.prepare(Precision::float32), small_vocabulary(),
                                small_vocabulary(), {.max_source = longest});
    for (const std::string& line : made_up_sentences(20)) {
      const SearchOptions options = {.beam = 2, .max_length = 12};
      const std::vector<Translation> plain =
          translator.submit({.text = line, .options = options}).get();
      const std::vector<Translation> linked =
          translator.submit({.text = line, .options = options, .want_links = true}).get();
      EXPECT_EQ(plain[0].text, linked[0].text);
      EXPECT_EQ(plain[0].links, TextLinks());
      const TextLinks& links = linked[0].links;
      ASSERT_FALSE(links.of_target.empty());
      size_t end = 0;
      for (const TextLink& link : links.of_target) {
        EXPECT_LE(end, link.target.begin);
        end = link.target.end;
        EXPECT_LE(end, linked[0].text.size());
        EXPECT_EQ(linked[0].text.substr(link.target.begin, link.target.size()).find(' '),
                  std::string::npos);
      }
      end = 0;
      for (const TextLink& link : links.of_source) {
        EXPECT_LE(end, link.source.begin);
        end = link.source.end;
        EXPECT_EQ(line.substr(link.source.begin, link.source.size()).find(' '), std::string::npos);
      }
      EXPECT_EQ(end, line.find_last_not_of(' ') + 1);
    }
  }
}

}  // namespace
}  // namespace heed
