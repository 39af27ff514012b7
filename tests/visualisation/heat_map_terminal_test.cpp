#include "heed/visualisation/heat_map_terminal.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "heed/base/random.h"
#include "heed/base/text.h"

namespace heed {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream stream(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::string without_colours(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\x1b')
      i = std::min(text.find('m', i), text.size());
    else
      plain += text[i];
  }
  return plain;
}

Tensor random_weights(int64_t queries, int64_t keys) {
  Rng rng(5);
  Tensor weights = Tensor::zeros({queries, keys});
  for (float& weight : weights.span<float>()) weight = static_cast<float>(rng.uniform());
  return weights;
}

const HeatMapFigure small = {"Small",
                             {{"Only", Tensor::of({2, 3}, {1, 0.5f, 0, 0, 0.25f, 0.75f}), {}, {}}}};

TEST(HeatMapTerminal, DrawsDigits) {
  EXPECT_EQ(draw_for_terminal(small, {.width = 80, .ink = Ink::digits}),
            "Small\n"
            "\n"
            "Only\n"
            "        Keys\n"
            "Queries 0 1 2\n"
            "      0 9 5 .\n"
            "      1 . 2 7\n"
            "\n"
            "Weight: . is 0, 9 is 1\n");
}

TEST(HeatMapTerminal, DigitsArePlainAscii) {
  for (const char byte : draw_for_terminal(small, {.width = 80, .ink = Ink::digits}))
    EXPECT_TRUE(byte == '\n' || (byte >= ' ' && byte <= '~'));
}

TEST(HeatMapTerminal, DrawsShadesUnderLabels) {
  HeatMapFigure figure = small;
  figure.title.clear();
  figure.maps[0].title.clear();
  figure.maps[0].query_labels = {"das", "Haus"};
  figure.maps[0].key_labels = {"the", "old", "house"};
  EXPECT_EQ(draw_for_terminal(figure, {.width = 80, .ink = Ink::shades}),
            "        Keys\n"
            "Queries the   old   house\n"
            "    das ██████▒▒▒▒▒▒\n"
            "   Haus       ░░░░░░▓▓▓▓▓▓\n"
            "\n"
            "Weight: 0 \" ░▒▓█\" 1\n");
}

TEST(HeatMapTerminal, LongLabelsStandUpright) {
  HeatMapFigure figure{"", {{"", Tensor::zeros({1, 30}), {}, {}}}};
  for (int i = 0; i < 30; ++i) figure.maps[0].key_labels.push_back(i == 1 ? "日本" : "abc");
  const std::vector<std::string> lines =
      lines_of(draw_for_terminal(figure, {.width = 70, .ink = Ink::digits}));
  EXPECT_EQ(lines[1].substr(0, 14), "        a   a ");
  EXPECT_EQ(lines[2].substr(0, 15), "        b 日b ");
  EXPECT_EQ(lines[3].substr(0, 15), "Queries c 本c ");
}

TEST(HeatMapTerminal, ColoursAreBackgrounds) {
  const std::string palette = draw_for_terminal(small, {.width = 80, .ink = Ink::palette});
  const std::string full = draw_for_terminal(small, {.width = 80, .ink = Ink::truecolour});
  EXPECT_NE(palette.find("\x1b[48;5;"), std::string::npos);
  EXPECT_NE(full.find("\x1b[48;2;"), std::string::npos);
  // Every line resets the terminal.
  for (const std::string& drawn : {palette, full})
    for (const std::string& line : lines_of(drawn)) {
      const bool coloured = line.find("\x1b[48") != std::string::npos;
      EXPECT_TRUE(!coloured || line.rfind("\x1b[48") < line.rfind("\x1b[0m")) << line;
    }
  EXPECT_EQ(draw_for_terminal(small, {.width = 80, .ink = Ink::shades}).find('\x1b'),
            std::string::npos);
}

TEST(HeatMapTerminal, ALabelCannotSteerTheTerminal) {
  HeatMapFigure figure = small;
  figure.title = "\x1b]0;owned\x07";
  figure.maps[0].title = "\x1b[2J";
  figure.maps[0].query_labels = {"\x1b[31m", "a\nb"};
  const std::string drawn = draw_for_terminal(figure, {.width = 80, .ink = Ink::shades});
  EXPECT_EQ(drawn.find('\x1b'), std::string::npos);
  EXPECT_NE(drawn.find("a\\x0ab"), std::string::npos);
}

TEST(HeatMapTerminal, NoLineIsWiderThanTheTerminal) {
  const std::string words[] = {"a", "attention", "日本語のとても長い言葉である",
                               "é", "▁piece",    "\U0001F600"};
  for (const int width : {48, 60, 80, 200})
    for (const int64_t keys : {1, 2, 7, 40, 41, 500})
      for (const Ink ink : {Ink::digits, Ink::shades, Ink::palette, Ink::truecolour})
        for (const bool labelled : {false, true}) {
          HeatMap map{std::string(300, 't'), random_weights(5, keys), {}, {}};
          for (int64_t i = 0; labelled && i < 5; ++i)
            map.query_labels.push_back(words[i] + words[2]);
          for (int64_t i = 0; labelled && i < keys; ++i) map.key_labels.push_back(words[i % 6]);
          const HeatMapFigure figure{std::string(300, 'T'), {map}};
          for (const std::string& line :
               lines_of(draw_for_terminal(figure, {.width = width, .ink = ink})))
            EXPECT_LE(display_width(without_colours(line)), width) << line;
        }
}

TEST(HeatMapTerminal, LargeMapsAreAveragedAndSaySo) {
  const HeatMapFigure figure{"", {{"", random_weights(100, 300), {}, {}}}};
  const std::string drawn =
      draw_for_terminal(figure, {.width = 80, .ink = Ink::digits, .max_rows = 10});
  EXPECT_EQ(lines_of(drawn).size(), 2u + 10u + 3u);
  EXPECT_NE(drawn.find("Each cell is the mean of 10 × 5 weights.\n"), std::string::npos);
}

TEST(HeatMapTerminal, ManyMapsAreCutAndSaySo) {
  const HeatMapFigure figure = heat_map_figure("", Tensor::zeros({40, 2, 2}));
  const std::string drawn = draw_for_terminal(figure, {.width = 80, .max_maps = 3});
  EXPECT_NE(drawn.find("Batch 2\n"), std::string::npos);
  EXPECT_EQ(drawn.find("Batch 3\n"), std::string::npos);
  EXPECT_NE(drawn.find("These are the first 3 of 40 maps.\n"), std::string::npos);
}

TEST(HeatMapTerminal, EmptyMapsAreHarmless) {
  for (const Shape& shape : {Shape{0, 0}, Shape{0, 3}, Shape{3, 0}})
    EXPECT_NE(draw_for_terminal({"", {{"", Tensor::zeros(shape), {}, {}}}}, {}).find("Weight"),
              std::string::npos);
  EXPECT_FALSE(draw_for_terminal({"", {}}, {}).empty());
}

TEST(HeatMapTerminal, AxesHaveTheNamesThatTheyAreGiven) {
  const HeatMap map{"", Tensor::of({1, 2}, {0, 1}), {"ja"}, {"a", "b"}};
  EXPECT_EQ(draw_for_terminal(
                {"", {map}},
                {.width = 60, .ink = Ink::digits, .query_axis = "Target", .key_axis = "Source"}),
            "       Source\n"
            "Target a b\n"
            "    ja . 9\n"
            "\n"
            "Weight: . is 0, 9 is 1\n");
}

}  // namespace
}  // namespace heed
