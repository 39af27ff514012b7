// Marian's models give the results of their own engine, if they are available.
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "external_data.h"
#include "heed/data/byte_input.h"
#include "heed/decoding/translator.h"
#include "heed/kernels/int8_gemm.h"

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

// Of so many lines; "0 ||| text ||| F0= -7.6 ||| -0.45".
std::vector<double> best_scores(const std::filesystem::path& path) {
  std::vector<double> scores;
  std::string last;
  for (const std::string& line : lines_of(path)) {
    const std::string number = line.substr(0, line.find(" ||| "));
    if (number == last) continue;
    last = number;
    scores.push_back(std::stod(line.substr(line.rfind(" ||| ") + 5)));
  }
  return scores;
}

struct Fixture {
  const char* folder;
  const char* model;
  const char* greedy;  // the beginnings of the names of Marian's answers
  const char* beam;
  int equal_greedy, equal_beam;  // lines, at least
  bool shortlist = false;
  Precision precision = Precision::float32;
};

// Greedy search with the pre-norm model runs away in 7 lines until it is cut. Marian cuts at three
// times the longest source of a batch, heed at three times the line's own, so that Marian's line
// goes on where heed's ends. 8-bit activations are rounded in other ways; with integers, the lines
// are those of a machine whose rows have 255 steps.
constexpr Fixture fixtures[] = {
    {"marian-transformer", "model.npz", "test.greedy", "test.beam4", 500, 500},
    {"marian-prenorm", "model.npz", "test.greedy", "test.beam4", 493, 498},
    {"marian-student", "model.npz", "test.greedy", "test.beam4", 495, 495},
    {"marian-student", "model.float32.bin", "test.float32bin.beam1", "test.float32bin.beam4", 495,
     495},
    {"marian-student", "model.intgemm8.bin", "test.intgemm8.beam1", "test.intgemm8.beam4", 450,
     450},
    {"marian-student", "model.npz", "test.shortlistbin.beam1", "test.shortlistbin.beam4", 495, 495,
     true},
    {"marian-student", "model.intgemm8.bin", "test.intgemm8.shortlist.beam1",
     "test.intgemm8.shortlist.beam4", 450, 450, true},
    {"marian-student", "model.intgemm8.bin", "test.intgemm8.beam1", "test.intgemm8.beam4", 440, 440,
     false, Precision::int8},
    {"marian-student", "model.intgemm8.bin", "test.intgemm8.shortlist.beam1",
     "test.intgemm8.shortlist.beam4", 440, 440, true, Precision::int8}};

class MarianModel : public ::testing::TestWithParam<Fixture> {
 protected:
  void SetUp() override {
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
    if (GetParam().precision == Precision::int8 && kernels::largest_row_integer() < 255)
      GTEST_SKIP() << "this machine has no sums of four products of bytes";
  }

  std::filesystem::path folder = external_data(GetParam().folder);
};

TEST_P(MarianModel, TranslatesAsItsOwnEngine) {
  const Fixture& fixture = GetParam();
  const Translator translator = Translator::load(
      folder / fixture.model,
      {.threads = 2, .use_shortlist = fixture.shortlist, .precision = fixture.precision});
  const std::vector<std::string> lines = lines_of(folder / "test.en");
  for (const int beam : {1, 4}) {
    const std::string name = beam == 1 ? fixture.greedy : fixture.beam;
    const std::vector<std::string> expected = lines_of(folder / (name + ".de.gz"));
    const auto found = translator.translate_n_best(lines, {.beam = beam});
    ASSERT_EQ(found.size(), expected.size());
    const bool exact = std::string_view(fixture.model).find("intgemm") == std::string::npos;
    const std::filesystem::path scored = folder / (name + ".nbest.gz");
    const std::vector<double> scores =
        exact && std::filesystem::exists(scored) ? best_scores(scored) : std::vector<double>();
    int same = 0;
    for (size_t i = 0; i < lines.size(); ++i) {
      if (found[i][0].text != expected[i]) {
        if (fixture.folder == std::string_view("marian-prenorm") && beam == 1) {
          EXPECT_TRUE(expected[i].starts_with(found[i][0].text)) << i << ": " << found[i][0].text;
        }
        continue;
      }
      ++same;
      if (!scores.empty() && beam == 4) {
        EXPECT_NEAR(found[i][0].hypothesis.score, scores[i], 1e-3) << i;
      }
    }
    EXPECT_GE(same, beam == 1 ? fixture.equal_greedy : fixture.equal_beam) << "beam " << beam;
  }
}

INSTANTIATE_TEST_SUITE_P(, MarianModel, ::testing::ValuesIn(fixtures), [](const auto& test) {
  std::string name = fmt::format("{}_{}{}{}", test.param.folder, test.param.model,
                                 test.param.shortlist ? "_shortlist" : "",
                                 test.param.precision == Precision::int8 ? "_int8" : "");
  for (char& character : name)
    if (character == '-' || character == '.') character = '_';
  return name;
});

// "0-0 1-1 …": numbers of source and target pieces, the ends included.
TEST(MarianAlignment, IsTheGuidedHeads) {
  const auto folder = external_data("marian-student");
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  const Translator translator = Translator::load(folder / "model.npz", {.threads = 2});
  const std::vector<std::string> lines = lines_of(folder / "test.en");
  const std::vector<std::string> expected = lines_of(folder / "test.greedy.hard-alignment.gz");
  const auto found = translator.translate_n_best(lines, {.beam = 1, .want_attention = true});
  int links = 0, same = 0;
  for (size_t i = 0; i < lines.size(); ++i) {
    const std::string theirs = expected[i].substr(expected[i].rfind(" ||| ") + 5);
    std::istringstream text(theirs);
    const Tensor& attention = found[i][0].hypothesis.attention;
    for (std::string link; text >> link;) {
      const int64_t source = std::stoll(link), target = std::stoll(link.substr(link.find('-') + 1));
      if (target >= attention.shape()[0]) continue;  // the end of the sentence
      ++links;
      const auto row = attention.row<float>(target);
      same += std::ranges::max_element(row) - row.begin() == source;
    }
  }
  EXPECT_GE(same, 0.99 * links) << links;
}

}  // namespace
}  // namespace heed
