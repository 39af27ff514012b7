#include "heed/decoding/translator.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <thread>

#include "chain_model.h"
#include "error_of.h"
#include "heed/decoding/long_lines.h"
#include "heed/decoding/session.h"
#include "heed/models/transformer.h"
#include "small_moses.h"
#include "small_vocabulary.h"

namespace heed {
namespace {

using testing::ChainModel;
using testing::error_of;
using testing::made_up_sentences;
using testing::small_vocabulary;

using Lines = std::vector<std::string>;

std::shared_ptr<const Generator> chain_model() {
  auto model = std::make_shared<ChainModel>(small_vocabulary().size());
  model->bonuses[Vocabulary::end] = 5.0f;
  return model;
}

std::shared_ptr<Model> transformer_of(int64_t width, int64_t ffn) {
  const int64_t vocabulary = small_vocabulary().size();
  Rng rng(5);
  return std::make_shared<Transformer>(TransformerConfig{.source_vocabulary = vocabulary,
                                                         .target_vocabulary = vocabulary,
                                                         .encoder_layers = 2,
                                                         .decoder_layers = 2,
                                                         .width = width,
                                                         .ffn = ffn,
                                                         .heads = 4},
                                       rng);
}

std::shared_ptr<const Generator> small_transformer() {
  return transformer_of(32, 64)->prepare(Precision::float32);
}

Translator make_translator(const std::shared_ptr<const Generator>& model,
                           const TranslatorOptions& options = {}) {
  return {model, small_vocabulary(), small_vocabulary(), options};
}

Lines some_lines() {
  Lines lines = made_up_sentences(60);
  lines[3] = "";
  lines[17] = "   ";
  lines[20] = lines[5];
  return lines;
}

TEST(Translator, TranslatesLineByLine) {
  const std::shared_ptr<const Generator> model = chain_model();
  const Vocabulary& vocabulary = small_vocabulary();
  const Lines lines = some_lines();
  const SearchOptions options{.beam = 3, .forbidden = {vocabulary.start()}};
  const Lines found = make_translator(model).translate(lines, options);
  ASSERT_EQ(found.size(), lines.size());
  for (size_t i = 0; i < lines.size(); ++i) {
    std::vector<std::vector<int32_t>> ids = {vocabulary.encode(lines[i])};
    if (ids[0].empty()) {
      EXPECT_EQ(found[i], "");
      continue;
    }
    ids[0].push_back(Vocabulary::end);
    const auto best = search_translations(*model, join_sentences(ids),
                                          {vocabulary.start(), Vocabulary::end}, options);
    EXPECT_EQ(found[i], vocabulary.decode(best[0][0].ids));
  }
  EXPECT_EQ(found[20], found[5]);
  EXPECT_NE(found[20], found[6]);
}

void expect_same(const std::vector<std::vector<Translation>>& found,
                 const std::vector<std::vector<Translation>>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  for (size_t i = 0; i < found.size(); ++i) {
    ASSERT_EQ(found[i].size(), expected[i].size()) << "line " << i;
    for (size_t rank = 0; rank < found[i].size(); ++rank) {
      EXPECT_EQ(found[i][rank].text, expected[i][rank].text) << "line " << i;
      EXPECT_EQ(found[i][rank].hypothesis.score, expected[i][rank].hypothesis.score);
    }
  }
}

TEST(Translator, NothingDependsOnTheBatches) {
  const Lines lines = some_lines();
  const SearchOptions search{.beam = 4, .n_best = 2, .max_ratio = 2};
  for (const auto& model : {chain_model(), small_transformer()}) {
    const auto one_by_one =
        make_translator(model, {.batch_tokens = 1}).translate_n_best(lines, search);
    for (const int64_t tokens : {77, 1000, 100000})
      expect_same(make_translator(model, {.batch_tokens = tokens}).translate_n_best(lines, search),
                  one_by_one);
  }
}

TEST(Translator, NothingDependsOnTheThreads) {
  const Lines lines = some_lines();
  const SearchOptions search{.beam = 4, .n_best = 2, .max_ratio = 2};
  for (const auto& model : {chain_model(), small_transformer()}) {
    const auto alone = make_translator(model, {.batch_tokens = 50}).translate_n_best(lines, search);
    for (const int threads : {2, 3, 8})
      expect_same(make_translator(model, {.threads = threads, .batch_tokens = 50})
                      .translate_n_best(lines, search),
                  alone);
  }
}

// The first part of a split line starts with it.
TEST(Translator, LinesBeginWithTheirPrefixes) {
  const Lines lines = {"ba ko ri", "ba", "ba ko ri ba ko ri ba ko ri"},
              prefixes = {"ko ba", "", "ri"};
  const Translator translator = make_translator(chain_model(), {.max_source = 6});
  const auto found = translator.translate_n_best(lines, {.beam = 2}, prefixes);
  EXPECT_TRUE(found[0][0].text.starts_with("ko ba")) << found[0][0].text;
  EXPECT_EQ(found[1][0].text, translator.translate(Lines{"ba"}, {.beam = 2})[0]);
  EXPECT_TRUE(found[2][0].text.starts_with("ri")) << found[2][0].text;
  EXPECT_EQ(error_of([&] { translator.translate_n_best(lines, {}, Lines{"a"}); }),
            "translator: 1 prefixes for 3 lines");
}

std::shared_ptr<const Glossary> glossary_of(const std::string& text) {
  LineReader lines(input_of(text), "terms");
  return std::make_shared<const Glossary>(Glossary::read(lines));
}

TEST(Translator, TermsOfTheGlossaryAppear) {
  const auto glossary = glossary_of("ba|zu\tkoriba|baba\nko\tri ten\nist\tgelo\n");
  const Lines lines = some_lines();
  for (const auto& model : {chain_model(), small_transformer()}) {
    const Translator plain = make_translator(model, {.lengths = {60, 20, 2}}),
                     bound = make_translator(model, {.lengths = {60, 20, 2}, .glossary = glossary});
    const auto free = plain.translate_n_best(lines, {.beam = 3});
    const auto found = bound.translate_n_best(lines, {.beam = 3});
    ASSERT_EQ(found.size(), lines.size());
    size_t with_terms = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (free[i].empty()) continue;
      const std::vector<FoundTerm> terms = glossary->terms_in(lines[i]);
      with_terms += !terms.empty();
      for (const FoundTerm& one : terms)
        EXPECT_TRUE(glossary->is_translated(one.term, found[i][0].text)) << found[i][0].text;
      EXPECT_EQ(found[i][0].missing.size(), 0U);
      if (terms.empty()) {
        EXPECT_EQ(found[i][0].text, free[i][0].text);
      }
    }
    EXPECT_GT(with_terms, 10U);
  }
}

// Their pieces say that a word goes on, rather than that it begins.
TEST(Translator, TermsOfTheGlossaryAppearInWordsOfMoses) {
  const auto glossary = glossary_of("ba|zu\tkoriba|baba\nko\tri ten\nist\tgelo\n");
  const Vocabulary moses = testing::small_moses_vocabulary();
  auto model = std::make_shared<ChainModel>(moses.size());
  model->bonuses[Vocabulary::end] = 5.0f;
  const Translator translator(model, moses, moses, {.lengths = {60, 20, 2}, .glossary = glossary});
  const Lines lines = some_lines();
  const auto found = translator.translate_n_best(lines, {.beam = 3});
  size_t with_terms = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    for (const FoundTerm& one : glossary->terms_in(lines[i])) {
      ++with_terms;
      EXPECT_TRUE(glossary->is_translated(one.term, found[i][0].text)) << found[i][0].text;
    }
  }
  EXPECT_GT(with_terms, 10U);
}

TEST(Translator, LinksOfMosesAreBetweenTheBytesOfBothTexts) {
  const Vocabulary moses = testing::small_moses_vocabulary();
  TransformerConfig config{
      .encoder_layers = 1, .decoder_layers = 1, .width = 8, .ffn = 8, .heads = 2};
  config.source_vocabulary = config.target_vocabulary = moses.size();
  Rng rng(5);
  const Translator translator(
      std::make_shared<Transformer>(config, rng)->prepare(Precision::float32), moses, moses, {});
  const std::string text = "„Bako.“ Ten … ba, (Ko 猫) .“ x";
  const Translation found =
      translator.submit({.text = text, .options = {.max_length = 12}, .want_links = true})
          .get()
          .front();
  EXPECT_GT(found.links.of_source.size(), 5U);
  size_t end = 0;
  for (const TextLink& link : found.links.of_source) {
    EXPECT_TRUE(end <= link.source.begin && link.source.begin < link.source.end);
    end = link.source.end;
    EXPECT_TRUE(link.target.begin < link.target.end && link.target.end <= found.text.size());
  }
  EXPECT_EQ(end, text.size());
}

TEST(Translator, ALineThatHasItsTermsStaysAsItIs) {
  const Translator plain = make_translator(chain_model());
  const std::string text = plain.translate(Lines{"ba ko"}).front();
  const std::string word = text.substr(0, text.find(' '));
  const auto found = make_translator(chain_model(), {.glossary = glossary_of("ba\t" + word + "\n")})
                         .translate_n_best(Lines{"ba ko"}, {});
  EXPECT_EQ(found[0][0].text, text);
}

TEST(Translator, TellsWhichTermsAreMissing) {
  const auto glossary = glossary_of("ko\tzu\nba\t東京\n");  // which the vocabulary lacks
  const Translator translator = make_translator(chain_model(), {.glossary = glossary});
  const auto found = translator.translate_n_best(Lines{"ba ko ri"}, {.beam = 2, .n_best = 2});
  ASSERT_FALSE(found[0].empty());
  EXPECT_EQ(found[0][0].missing, std::vector<size_t>{1});
  EXPECT_TRUE(glossary->is_translated(0, found[0][0].text));
  // Samples are what they are.
  const Sampling sampling{.seed = 3};
  EXPECT_EQ(translator.translate(Lines{"ba ko ri"}, {.sampling = sampling}),
            make_translator(chain_model()).translate(Lines{"ba ko ri"}, {.sampling = sampling}));
}

TEST(Translator, PartsOfALineHaveTheTermsThatTheyNeed) {
  const auto glossary = glossary_of("ri\tgelo\n");
  const Translator translator =
      make_translator(chain_model(), {.max_source = 3, .glossary = glossary});
  const auto found = translator.translate_n_best(Lines{"ba ko ba ko ba ri ba ko"}, {});
  EXPECT_GT(found[0][0].parts, 1);
  EXPECT_TRUE(glossary->is_translated(0, found[0][0].text)) << found[0][0].text;
  EXPECT_TRUE(found[0][0].missing.empty());
}

// A table of learned positions is finite.
TEST(Translator, StaysWithinTheContextLength) {
  const int64_t vocabulary = small_vocabulary().size();
  Rng rng(5);
  const auto model =
      std::make_shared<Transformer>(TransformerConfig{.source_vocabulary = vocabulary,
                                                      .target_vocabulary = vocabulary,
                                                      .encoder_layers = 1,
                                                      .decoder_layers = 1,
                                                      .width = 8,
                                                      .ffn = 8,
                                                      .heads = 2,
                                                      .positions = PositionKind::learned,
                                                      .context_length = 12},
                                    rng);
  const Translator translator = make_translator(model->prepare(Precision::float32));
  const Lines lines = {"ba ko ri ba ko ri ba ko ri ba ko ri ba ko ri ba ko ri"};
  EXPECT_FALSE(translator.translate(lines, {.beam = 2, .min_length = 5})[0].empty());
  EXPECT_EQ(error_of([&] {
              translator.translate_n_best(Lines{"ba"}, {}, lines);
            }).find("but the model writes at most 12") == std::string::npos,
            false);
}

TEST(Translator, LongLinesAreTranslatedInParts) {
  const std::shared_ptr<const Generator> model = chain_model();
  const Vocabulary& vocabulary = small_vocabulary();
  const Lines line = {"ba ko ri ba ko ri ba ko ri ba ko ri"};
  const SearchOptions search{.beam = 2, .n_best = 2};
  const auto size = static_cast<int64_t>(vocabulary.encode(line[0]).size());
  const auto whole = make_translator(model, {.max_source = size}).translate_n_best(line, search)[0];
  const auto in_parts =
      make_translator(model, {.max_source = size - 1}).translate_n_best(line, search)[0];
  ASSERT_EQ(in_parts.size(), 2u);
  EXPECT_EQ(in_parts[0].parts, 2);
  EXPECT_EQ(whole[0].parts, 1);
  EXPECT_NE(in_parts[0].text, whole[0].text);
  // Both halves are the same text, thus the same translation.
  const Lines half = {"ba ko ri ba ko ri"};
  const auto expected = make_translator(model).translate_n_best(half, search)[0];
  for (size_t rank = 0; rank < 2; ++rank) {
    EXPECT_EQ(in_parts[rank].text, expected[rank].text + " " + expected[rank].text);
    EXPECT_DOUBLE_EQ(in_parts[rank].hypothesis.log_probability,
                     2 * expected[rank].hypothesis.log_probability);
    EXPECT_DOUBLE_EQ(in_parts[rank].hypothesis.score, expected[rank].hypothesis.score);
  }
}

// A word of a megabyte is thousands of equal parts.
TEST(Translator, EqualPartsOfALineAreTranslatedOnce) {
  const auto model = std::make_shared<ChainModel>(small_vocabulary().size());
  model->bonuses[Vocabulary::end] = 5.0f;
  const auto part = static_cast<int64_t>(small_vocabulary().encode("ba ko").size());
  const Translator translator = make_translator(model, {.max_source = part});
  const auto work = [&](const std::string& line, const std::string& prefix = {}) {
    const int64_t before = model->scored_rows;
    translator.translate_n_best(Lines{line}, {.beam = 2}, Lines{prefix});
    return model->scored_rows - before;
  };
  std::string repeated = "ba ko";
  for (int i = 0; i < 49; ++i) repeated += " ba ko";
  EXPECT_EQ(work(repeated), work("ba ko"));
  EXPECT_EQ(work("ba ko ri ba ba ko"), work("ba ko") + work("ri ba"));
  // The first part begins with the prefix, so it is another.
  EXPECT_EQ(work(repeated, "ko"), work("ba ko", "ko") + work("ba ko"));
  const auto found = translator.translate_n_best(Lines{"ba ko ba ko"}, {.beam = 2})[0][0];
  EXPECT_EQ(found.parts, 2);
  const std::string once = translator.translate(Lines{"ba ko"}, {.beam = 2})[0];
  EXPECT_EQ(found.text, once + " " + once);
}

// As long as the training sentences, or a little longer.
TEST(Translator, WhatTheModelHasLearntFromDecidesHowLongALineMayBe) {
  std::string line = "ba";
  for (int i = 0; i < 299; ++i) line += " ko";
  const auto parts = [&](const TranslatorOptions& options) {
    return make_translator(chain_model(), options)
        .translate_n_best(Lines{line}, {.beam = 1, .max_length = 3})[0][0]
        .parts;
  };
  const auto tokens = static_cast<int64_t>(small_vocabulary().encode(line).size());
  EXPECT_GT(parts({}), 1);
  EXPECT_EQ(parts({.lengths = {tokens, tokens, 1}}), 1);
  EXPECT_GT(parts({.lengths = {tokens / 2, tokens, 1}}), 1);
  EXPECT_EQ(parts({.max_source = tokens, .lengths = {tokens / 2, tokens, 1}}), 1);
}

// One letter may mean a long text.
TEST(Translator, WhatTheModelHasLearntFromDecidesHowLongATranslationMayBe) {
  auto model = std::make_shared<ChainModel>(small_vocabulary().size());
  model->bonuses[Vocabulary::end] = -50.0f;
  const auto tokens = [&](const TranslatorOptions& options) {
    return make_translator(model, options)
        .translate_n_best(Lines{"b"}, {.beam = 1})[0][0]
        .hypothesis;
  };
  EXPECT_GE(tokens({.lengths = {2, 500, 250}}).ids.size(), 500u);
  EXPECT_TRUE(tokens({.lengths = {2, 500, 250}}).cut);
  EXPECT_EQ(tokens({}).ids.size(), 256u);
}

TEST(Translator, SeveralThreadsMayShareIt) {
  const Translator translator = make_translator(chain_model(), {.threads = 2, .batch_tokens = 50});
  const Lines lines = some_lines(), expected = translator.translate(lines);
  Lines found[2];
  {
    const auto translate = [&](Lines& result) { result = translator.translate(lines); };
    std::jthread first([&] { translate(found[0]); }), second([&] { translate(found[1]); });
  }
  EXPECT_EQ(found[0], expected);
  EXPECT_EQ(found[1], expected);
}

TEST(Translator, GivesAttention) {
  const Translator translator = make_translator(small_transformer());
  const Lines line = {"ba ko ri"};
  const auto best =
      translator.translate_n_best(line, {.max_length = 6, .want_attention = true})[0][0];
  const auto source_tokens = static_cast<int64_t>(small_vocabulary().encode(line[0]).size()) + 1;
  ASSERT_EQ(best.hypothesis.attention.shape(),
            (Shape{static_cast<int64_t>(best.hypothesis.ids.size()), source_tokens}));
  for (size_t t = 0; t < best.hypothesis.ids.size(); ++t) {
    double sum = 0;
    for (int64_t s = 0; s < source_tokens; ++s)
      sum += best.hypothesis.attention[static_cast<int64_t>(t) * source_tokens + s];
    EXPECT_NEAR(sum, 1, 1e-5);
  }
}

Translation best_of(const Translator& translator, const std::string& text, const std::string& tag,
                    const SearchOptions& options = {.max_length = 6}) {
  std::vector<TranslationRequest> requests(1);
  requests[0] = {.text = text, .options = options, .tag = tag, .want_links = true};
  return translator.translate_n_best(std::move(requests))[0][0];
}

// To a vocabulary that has no token for it, a tag is what it would be in the text.
TEST(Translator, ReadsTheTagInFrontOfALine) {
  const std::shared_ptr<const Generator> model = small_transformer();
  const Translator translator = make_translator(model, {.tags = {"ba", "zu"}}),
                   usual = make_translator(model, {.tags = {"ba", "zu"}, .tag = "ba"});
  const Translation expected = best_of(translator, "ba ko ri zu", ""),
                    found = best_of(translator, "ko ri zu", "ba");
  EXPECT_EQ(found.text, expected.text);
  EXPECT_EQ(found.hypothesis.score, expected.hypothesis.score);
  EXPECT_EQ(best_of(usual, "ko ri zu", "").hypothesis.score, expected.hypothesis.score);
  EXPECT_NE(best_of(usual, "ko ri zu", "zu").hypothesis.score, expected.hypothesis.score);
  EXPECT_NE(best_of(translator, "ko ri zu", "").hypothesis.score, expected.hypothesis.score);
  // But it is none of the words.
  const Tensor& weights = found.hypothesis.attention;
  const auto tag = static_cast<int64_t>(small_vocabulary().encode("ba").size());
  ASSERT_EQ(weights.shape()[1] + tag, expected.hypothesis.attention.shape()[1]);
  for (int64_t row = 0; row < weights.shape()[0]; ++row)
    for (int64_t column = 0; column < weights.shape()[1]; ++column)
      EXPECT_EQ(weights.matrix<float>()(row, column),
                expected.hypothesis.attention.matrix<float>()(row, tag + column));
  EXPECT_EQ(found.alignment.source_words(), 3);
  EXPECT_EQ(expected.alignment.source_words(), 4);
  ASSERT_EQ(found.links.of_source.size(), 3u);
  for (size_t word = 0; word < 3; ++word) {
    EXPECT_EQ(found.links.of_source[word].target, expected.links.of_source[word + 1].target);
    EXPECT_EQ(found.links.of_source[word].source.begin + 3,
              expected.links.of_source[word + 1].source.begin);
  }
  EXPECT_EQ(translator.tags().names(), (Lines{"ba", "zu"}));
}

TEST(Translator, ReadsTheTagInFrontOfEveryPart) {
  const Translator translator =
      make_translator(small_transformer(), {.max_source = 3, .tags = {"ba"}});
  const std::string line = "ko ri zu ko ri zu ten ko";
  std::string expected;
  for (const std::vector<int32_t>& part :
       cut_line(small_vocabulary().encode(line), small_vocabulary(), 3))
    expected += (expected.empty() ? "" : " ") +
                best_of(translator, small_vocabulary().decode(part), "ba").text;
  const Translation found = best_of(translator, line, "ba");
  EXPECT_GT(found.parts, 1);
  EXPECT_EQ(found.text, expected);
  EXPECT_EQ(found.alignment.source_words(), 8);
}

// Where a term of the source is, decides where its translation appears.
TEST(Translator, FindsTermsBehindTheTag) {
  const std::shared_ptr<const Generator> model = small_transformer();
  const auto glossary = glossary_of("zu\tgelo\n");
  const Translator translator =
      make_translator(model, {.lengths = {60, 20, 2}, .tags = {"ba"}, .glossary = glossary});
  const SearchOptions search = {.max_length = 12};
  for (const char* text : {"zu ko ri", "ko ri ten zu", "ten ko zu ri ko ri"}) {
    const Translation found = best_of(translator, text, "ba", search);
    EXPECT_TRUE(glossary->is_translated(0, found.text)) << found.text;
    EXPECT_EQ(found.text, best_of(translator, fmt::format("ba {}", text), "", search).text);
  }
}

TEST(Translator, TheTagIsNoWordOfTheShortlist) {
  const Vocabulary& vocabulary = small_vocabulary();
  const std::vector<int32_t> tag = vocabulary.encode("ba");
  // Each word may become itself, but that of the tag anything.
  ShortlistLists lists;
  for (int32_t id = 0; id < vocabulary.size(); ++id) {
    lists.offsets.push_back(std::ssize(lists.targets));
    if (id != tag.front()) lists.targets.push_back(id);
    for (int32_t any = 0; id == tag.front() && any < vocabulary.size(); ++any)
      lists.targets.push_back(any);
  }
  lists.offsets.push_back(std::ssize(lists.targets));
  const auto shortlist =
      std::make_shared<const Shortlist>(lists, vocabulary.size(), vocabulary.size());
  const Translator translator =
      make_translator(small_transformer(), {.tags = {"ba"}, .shortlist = shortlist});
  const std::vector<int32_t> candidates = shortlist->candidates(vocabulary.encode("ko ri"));
  const auto keeps_to_candidates = [&](const std::string& text, const std::string& of) {
    return std::ranges::all_of(best_of(translator, text, of).hypothesis.ids, [&](int32_t id) {
      return std::ranges::binary_search(candidates, id);
    });
  };
  EXPECT_TRUE(keeps_to_candidates("ko ri", "ba"));
  EXPECT_FALSE(keeps_to_candidates("ba ko ri", ""));
}

TEST(Translator, RefusesTagsThatTheModelLacks) {
  EXPECT_EQ(error_of([] { make_translator(chain_model(), {.tag = "ba"}); }),
            "the tag \"ba\": the model has no tags");
  const Translator translator = make_translator(chain_model(), {.tags = {"ba", "ko"}});
  EXPECT_EQ(error_of([&] { best_of(translator, "ri", "law"); }),
            "the tag \"law\": the model has ba, ko");
}

TEST(Translator, SaysWhatIsWrong) {
  EXPECT_EQ(error_of([] { make_translator(chain_model(), {.batch_tokens = 0}); }),
            "translator: batches of 0 tokens but at least 1 was expected");
  EXPECT_EQ(error_of([] { make_translator(chain_model(), {.max_source = 0}); }),
            "translator: a maximum source length of 0 but at least 1 was expected");
  const Translator translator = make_translator(chain_model(), {.threads = 2});
  EXPECT_EQ(error_of([&] { translator.translate(some_lines(), {.beam = 0}); }),
            "beam search: a beam of 0, but it must be at least 1");
  EXPECT_TRUE(translator.translate({}).empty());
}

}  // namespace
}  // namespace heed
