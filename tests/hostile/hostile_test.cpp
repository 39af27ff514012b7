// A few hundred hostile lines. hostile_thousands.cpp has more, and longer ones.
#include <numeric>

#include "date_models.h"
#include "hostile_translation.h"

namespace heed {
namespace {

using namespace heed::testing;

constexpr size_t most_memory = size_t{200} << 20;

TEST(HostileLines, AreTranslatedInEveryMode) {
  const DateModels models;
  HostileTranslation translation(models.first(), hostile_lines(1, 300, 2000), most_memory);
  for (const Mode& mode : translation_modes(models.second())) translation.try_mode(mode);
}

// What `heed attention` makes of such lines.
class HostileLooking : public ::testing::Test {
 protected:
  HostileLooking() {
    // Longer ones are refused: what is recorded grows with the square.
    std::string text;
    for (const std::string& line : hostile_lines(2, 300, 400))
      if (line.size() < 400) text += line + '\n', ++lines_;
    files_.put("in", text);
  }

  std::string look(const std::vector<std::string>& flags) {
    std::vector<std::string> arguments = {"attention", "--model", models_.first(), "--beam=1"};
    arguments.insert(arguments.end(), flags.begin(), flags.end());
    ProgramProcess process(
        arguments, {.in = files_.path("in"), .out = files_.path("out"), .err = files_.path("err")});
    EXPECT_EQ(process.wait(), 0) << files_.text("err");
    return files_.text("out");
  }

  DateModels models_;
  TemporaryFolder files_;
  size_t lines_ = 0;
};

TEST_F(HostileLooking, EveryLineIsAnObjectWhoseWeightsAddUpToOne) {
  const std::vector<std::string> found = lines_in(look({"--json"}));
  ASSERT_GT(lines_, 50);
  ASSERT_EQ(found.size(), lines_);
  for (const std::string& line : found) {
    const nlohmann::json object = nlohmann::json::parse(line);
    for (const auto& [side, tokens] :
         {std::pair("encoder", &object["source"]), std::pair("cross", &object["target"])}) {
      EXPECT_EQ((*tokens)["pieces"].size(), (*tokens)["words"].size());
      const nlohmann::json& rows = object["attention"][side][0][0];
      ASSERT_EQ(rows.size(), (*tokens)["pieces"].size());
      for (const nlohmann::json& row : rows) {
        ASSERT_EQ(row.size(), object["source"]["pieces"].size());
        const auto weights = row.get<std::vector<double>>();
        EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-4);
      }
    }
  }
}

TEST_F(HostileLooking, NothingReachesTheTerminalThatItWouldObey) {
  for (const char* const unit : {"--part=cross", "--pieces"}) {
    const std::string drawn = look({unit});
    EXPECT_TRUE(is_utf8(drawn));
    for (const char32_t character : characters_of(drawn))
      ASSERT_TRUE(character == '\n' || !is_control(character)) << static_cast<int>(character);
  }
}

TEST_F(HostileLooking, APageHoldsTheTextAsDataOnly) {
  const std::string page = look({"--html=-"});
  const std::string begin = "id=\"data\">", end = "</script>";
  const size_t from = page.find(begin) + begin.size();
  const std::string data = page.substr(from, page.find(end, from) - from);
  EXPECT_EQ(data.find('<'), std::string::npos);
  // The best translation of each line that has words, and no more with a beam of 1.
  EXPECT_GT(nlohmann::json::parse(data)["sentences"].size(), 50);
}

}  // namespace
}  // namespace heed
