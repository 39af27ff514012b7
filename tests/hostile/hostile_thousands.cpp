// Ten thousand hostile lines, lines of a megabyte, a million empty lines.
#include "date_models.h"
#include "external_data.h"
#include "hostile_translation.h"

namespace heed {
namespace {

using namespace heed::testing;

constexpr size_t most_memory = size_t{600} << 20;
constexpr size_t longest_word = 100'000;

TEST(HostileThousands, AreTranslatedInEveryMode) {
  const DateModels models;
  HostileTranslation translation(models.first(), hostile_lines(2, 10'000, longest_word),
                                 most_memory);
  for (const Mode& mode : translation_modes(models.second())) translation.try_mode(mode);
}

std::string repeated(std::string_view text, size_t bytes) {
  std::string line;
  while (line.size() < bytes) line += text;
  return line;
}

TEST(HostileThousands, LinesOfAMegabyteAreTranslated) {
  constexpr size_t megabyte = size_t{1} << 20;
  const DateModels models;
  const std::vector<std::string> lines = {repeated("Thursday, 3 May 1979. ", megabyte),
                                          std::string(megabyte, ' '),
                                          repeated("\xE2\x80\x8B", megabyte),
                                          repeated("e\xCC\x81", megabyte),
                                          repeated("\xFF", megabyte),
                                          repeated("👩‍👩‍👧‍👦 ", megabyte)};
  HostileTranslation translation(models.first(), lines, most_memory);
  translation.try_mode({"lines of a megabyte", {"--beam=1"}});
  translation.try_mode({"pharaoh alignments", {"--beam=1", "--alignment=pharaoh"}});
  translation.try_mode({"soft alignments", {"--beam=1", "--alignment=soft", "--json"}});
}

TEST(HostileThousands, AMillionEmptyLinesStayEmpty) {
  const DateModels models;
  HostileTranslation translation(models.first(), std::vector<std::string>(1'000'000), most_memory);
  const std::string out = translation.translate({"empty lines", {}}, 2);
  EXPECT_TRUE(out == std::string(1'000'000, '\n'));
}

// A model trained by others, with the vocabulary of a real language.
TEST(HostileThousands, AreTranslatedByARealModel) {
  const std::filesystem::path real = external_data("multi30k-model");
  if (!std::filesystem::exists(real)) GTEST_SKIP() << real << " is not there";
  const TemporaryFolder folder;
  const std::string model = folder.path("model");
  ASSERT_EQ(ProgramProcess({"convert", real.string(), model}).wait(), 0);
  HostileTranslation translation(model, hostile_lines(3, 1'000, longest_word / 10), most_memory);
  for (const Mode& mode : translation_modes(model)) translation.try_mode(mode);
}

}  // namespace
}  // namespace heed
