// Model folders with a flipped bit or a truncated file: each is refused with one sentence, or
// translates as before.
#pragma once

#include <gtest/gtest.h>

#include <iostream>

#include "heed/base/error.h"
#include "heed/data/word_vocabulary.h"
#include "heed/decoding/translator.h"
#include "heed/folders/model_folder.h"
#include "temporary_folder.h"

namespace heed::testing {

inline ModelConfig smallest_transformer() {
  return TransformerConfig{.encoder_layers = 1,
                           .decoder_layers = 1,
                           .width = 2,
                           .ffn = 1,
                           .heads = 1,
                           .tied = TiedEmbeddings::decoder};
}

class DamagedFolder {
 public:
  DamagedFolder(ModelConfig config, WeightStorage storage) {
    const std::vector<std::string> source_words = {"a", "bb"}, target_words = {"x", "yy"};
    const Vocabulary source = word_vocabulary(source_words), target = word_vocabulary(target_words);
    set_vocabularies(config, source.size(), target.size());
    Rng rng(4);
    save_model_folder(folder_.path(""), {config, make_model(config, rng), source, target, storage});
    for (const auto& entry : std::filesystem::directory_iterator(folder_.path("")))
      files_.push_back(entry.path().filename().string());
    expected_ = translate();
  }

  const std::vector<std::string>& files() const { return files_; }
  std::string text(const std::string& file) const { return folder_.text(file); }

  // Whether the folder is refused when one of its files has this text instead. Otherwise it must
  // translate as before, with exactly the same scores.
  bool refuses(const std::string& file, const std::string& damaged,
               const std::string& whole) const {
    bool refused = false;
    folder_.put(file, damaged);
    try {
      EXPECT_EQ(translate(), expected_);
    } catch (const Error& error) {
      refused = true;
      EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos) << error.what();
    }
    folder_.put(file, whole);
    return refused;
  }

 private:
  // The translations and all digits of their scores.
  std::string translate() const {
    const std::vector<std::string> lines = {"a bb a", "bb"};
    const std::filesystem::path folder = folder_.path("");
    std::string all;
    for (const auto& ranked : Translator::load(folder).translate_n_best(
             lines, {.beam = 3, .n_best = 3, .max_length = 6}))
      for (const Translation& translation : ranked)
        all += fmt::format("{} {:a}\n", translation.text, translation.hypothesis.score);
    return all;
  }

  TemporaryFolder folder_{fast_folder()};
  std::vector<std::string> files_;
  std::string expected_;
};

// Every bit, or one of every byte.
enum class Bits { all, one_per_byte };

// The line around a byte.
inline std::string line_at(const std::string& text, size_t byte) {
  const size_t before = byte == 0 ? text.npos : text.rfind('\n', byte - 1),
               begin = before == text.npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', byte) - begin);
}

// Only dropout, which matters for training alone, may change without being noticed.
inline void flip(const DamagedFolder& folder, Bits bits) {
  int harmless = 0;
  for (const std::string& file : folder.files()) {
    const std::string whole = folder.text(file);
    for (size_t bit = 0; bit < 8 * whole.size(); bit += bits == Bits::all ? 1 : 9) {
      const size_t byte = bit / 8;
      std::string damaged = whole;
      damaged[byte] = static_cast<char>(damaged[byte] ^ (1 << bit % 8));
      if (!folder.refuses(file, damaged, whole)) {
        ++harmless;
        EXPECT_EQ(file, "config.json");
        EXPECT_NE(line_at(whole, byte).find("dropout"), std::string::npos) << line_at(whole, byte);
      }
      ASSERT_FALSE(::testing::Test::HasFailure())
          << file << ", byte " << byte << ", bit " << bit % 8;
    }
  }
  std::cout << harmless << " bits made no difference\n";
}

}  // namespace heed::testing
