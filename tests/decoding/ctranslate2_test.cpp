// Converted CTranslate2 models give the results of their own engine, if they are available.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "external_data.h"
#include "heed/data/byte_input.h"
#include "heed/decoding/translator.h"
#include "heed/folders/ctranslate2_folder.h"

namespace heed {
namespace {

using heed::testing::external_data;

std::vector<std::string> lines_of(const std::filesystem::path& path) {
  const std::unique_ptr<ByteInput> input = open_text(path);
  std::istringstream text(read_all(*input));
  std::vector<std::string> lines;
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  return lines;
}

Translator translator_of(const std::filesystem::path& folder) {
  ModelFolder model = read_ctranslate2_folder(folder);
  return Translator(model.model->prepare(Precision::float32), model.source, model.target,
                    {.threads = 2});
}

TEST(CTranslate2Model, TransliteratesAsItsOwnEngine) {
  const auto folder = external_data("aren-transliteration");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const Translator translator = translator_of(folder);
  // The word, then the results of the engine with beam 1 and beam 4, each with its score.
  std::vector<std::string> words;
  std::vector<std::vector<std::string>> expected;
  for (const std::string& line : lines_of(folder / "words.tsv")) {
    std::vector<std::string> columns;
    std::istringstream text(line);
    for (std::string column; std::getline(text, column, '\t');) columns.push_back(column);
    ASSERT_EQ(columns.size(), 5u) << line;
    words.push_back(columns[0]);
    expected.push_back({columns.begin() + 1, columns.end()});
  }
  for (const int beam : {1, 4}) {
    const auto found = translator.translate_n_best(words, {.beam = beam});
    const size_t column = beam == 1 ? 0 : 2;
    for (size_t i = 0; i < words.size(); ++i) {
      EXPECT_EQ(found[i][0].text, expected[i][column]) << words[i] << ", beam " << beam;
      EXPECT_NEAR(found[i][0].hypothesis.score, std::stod(expected[i][column + 1]), 1e-3)
          << words[i];
    }
  }
}

TEST(CTranslate2Model, TranslatesAsItsOwnEngine) {
  const auto folder = external_data("multi30k-model");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const Translator translator = translator_of(folder);
  const std::vector<std::string> lines =
      lines_of(external_data("multi30k") / "test_2016_flickr.lc.norm.tok.en.gz");
  for (const int beam : {1, 5}) {
    // "score ||| pieces"
    const std::vector<std::string> expected =
        lines_of(folder / fmt::format("test_2016_flickr.beam{}.txt.gz", beam));
    const auto found = translator.translate_n_best(lines, {.beam = beam});
    ASSERT_EQ(found.size(), expected.size());
    int same = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      std::string pieces;
      for (const int32_t id : found[i][0].hypothesis.ids)
        pieces += fmt::format("{}{}", pieces.empty() ? "" : " ",
                              translator.target_vocabulary().piece(id));
      const size_t bar = expected[i].find(" ||| ");
      if (pieces != expected[i].substr(bar + 5)) continue;
      ++same;
      EXPECT_NEAR(found[i][0].hypothesis.score, std::stod(expected[i]), 1e-3) << i;
    }
    EXPECT_GE(same, 998) << "beam " << beam;
  }
}

}  // namespace
}  // namespace heed
