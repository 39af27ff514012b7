#include "heed/decoding/long_lines.h"

#include <gtest/gtest.h>

#include "small_vocabulary.h"

namespace heed {
namespace {

using Parts = std::vector<std::vector<int32_t>>;

Parts cut(const std::string& text, int64_t longest) {
  const Vocabulary& vocabulary = testing::small_vocabulary();
  return cut_line(vocabulary.encode(text), vocabulary, longest);
}

TEST(LongLines, ShortLinesAreOnePart) {
  const std::string text = "ba ko ri";
  const std::vector<int32_t> ids = testing::small_vocabulary().encode(text);
  EXPECT_EQ(cut("", 5), Parts{});
  EXPECT_EQ(cut(text, static_cast<int64_t>(ids.size())), Parts{ids});
  EXPECT_EQ(cut(text, 1000), Parts{ids});
}

TEST(LongLines, NothingIsLostAndNoPartIsTooLong) {
  const Vocabulary& vocabulary = testing::small_vocabulary();
  std::string text;
  for (uint64_t i = 0; i < 40; ++i) text += testing::made_up_sentence(i) + " ";
  const std::vector<int32_t> ids = vocabulary.encode(text);
  for (const int64_t longest : {1, 2, 7, 50, 128}) {
    std::vector<int32_t> together;
    for (const std::vector<int32_t>& part : cut(text, longest)) {
      EXPECT_GE(part.size(), 1u);
      EXPECT_LE(part.size(), static_cast<size_t>(longest));
      together.insert(together.end(), part.begin(), part.end());
    }
    EXPECT_EQ(together, ids);
  }
}

std::string with_end(uint64_t i) {
  return testing::made_up_sentence(i) + (i % 3 == 0 ? "." : i % 3 == 1 ? "!" : "?”");
}

Vocabulary vocabulary_with_ends() {
  uint64_t next = 0;
  return train_vocabulary({.size = 200}, [&](std::string& sentence) {
    sentence = with_end(next);
    return next++ < 500;
  });
}

TEST(LongLines, EverySentenceIsAPart) {
  const Vocabulary vocabulary = vocabulary_with_ends();
  std::string text;
  std::vector<std::string> sentences, found;
  for (uint64_t i = 0; i < 40; ++i) {
    sentences.push_back("müllo bako müllo bako müllo bako " + with_end(i));
    ASSERT_GE(vocabulary.encode(sentences.back()).size(), 8u) << sentences.back();
    text += sentences.back() + " ";
  }
  for (const std::vector<int32_t>& part : cut_line(vocabulary.encode(text), vocabulary, 100))
    found.push_back(vocabulary.decode(part));
  EXPECT_EQ(found, sentences);
}

TEST(LongLines, AFewTokensAreNoSentence) {
  const Vocabulary vocabulary = vocabulary_with_ends();
  const std::string first = "ba. " + with_end(1), second = with_end(2);
  const Parts parts = cut_line(vocabulary.encode(first + " " + second), vocabulary,
                               static_cast<int64_t>(vocabulary.encode(first + second).size()) - 2);
  ASSERT_EQ(parts.size(), 2u);
  EXPECT_EQ(vocabulary.decode(parts[0]), first);
  EXPECT_EQ(vocabulary.decode(parts[1]), second);
}

TEST(LongLines, SomeSentencesHaveNoSpaceAfterThem) {
  uint64_t next = 0;
  const auto text = [](uint64_t i) {
    std::string characters;
    for (uint64_t k = 0; k < 6; ++k)
      characters += std::string("日月火水木金土").substr(3 * ((i * 5 + k * k) % 7), 3);
    return characters + (i % 2 == 0 ? "。" : "！」");
  };
  const Vocabulary vocabulary = train_vocabulary({.size = 20}, [&](std::string& sentence) {
    sentence = text(next);
    return next++ < 200;
  });
  std::string line;
  for (uint64_t i = 0; i < 30; ++i) line += text(i);
  for (const std::vector<int32_t>& part : cut_line(vocabulary.encode(line), vocabulary, 40)) {
    const std::string end = vocabulary.decode(part);
    EXPECT_TRUE(end.ends_with("。") || end.ends_with("！」")) << end;
  }
}

TEST(LongLines, PartsBeginWithAWordWhereTheyCan) {
  const Vocabulary& vocabulary = testing::small_vocabulary();
  std::string words, one_word;
  for (int i = 0; i < 60; ++i) words += "müllo ", one_word += "bako";
  for (const std::vector<int32_t>& part : cut(words, 20))
    EXPECT_TRUE(vocabulary.piece(part.front()).starts_with("▁"));
  EXPECT_GT(cut(one_word, 20).size(), 3u);
}

}  // namespace
}  // namespace heed
