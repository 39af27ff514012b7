#include "heed/runs/guided_head.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "adaptation_run.h"
#include "error_of.h"
#include "heed/folders/alignment_choice.h"
#include "heed/models/recording.h"
#include "same_bytes.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using testing::AdaptationRun;
using testing::error_of;
using testing::SmallRun;

// Written in the other language, a sentence begins with its last word.
class GuidedRun : public ::testing::Test {
 protected:
  GuidedRun() {
    constexpr int pairs = 300, words = 5;
    Rng rng(3);
    std::string source, target, links;
    for (int i = 0; i < pairs; ++i) {
      std::string from, to;
      for (int word = 0; word < words; ++word) {
        const std::string number = fmt::format("{}", rng.below(20));
        from += (from.empty() ? "a" : " a") + number;
        to = "b" + number + (to.empty() ? "" : " ") + to;
        links += fmt::format("{}{}-{}", word == 0 ? "" : " ", word, words - 1 - word);
      }
      source += from + "\n", target += to + "\n", links += "\n";
    }
    settings.train = {run.files().put("a", source), run.files().put("b", target)};
    settings.valid.clear();  // some pairs are held out, with their links
    settings.guide = run.files().put("links", links);
    settings.model["decoder-layers"] = "2";
    settings.model["dropout"] = "0";
    settings.vocabulary.kind = VocabularyKind::words;
    settings.folder = run.path("model");
  }

  // The share of the pieces of linked words that the head gives most of its attention to a piece of
  // the right word.
  double found_by(const HeadName& head) const {
    const ModelFolder found = load_model_folder(settings.folder);
    const std::string source = "a3 a17 a5 a11 a8", target = "b8 b11 b5 b17 b3";
    std::vector<int32_t> from = found.source.encode(source), to = found.target.encode(target);
    from.push_back(Vocabulary::end), to.push_back(Vocabulary::end);
    const Tensor weights =
        record(*found.model, from, to).part(AttentionPart::cross).weights_of(head);
    const auto word_of = [](const std::string& text, TextRange piece) {
      return std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(piece.end), ' ');
    };
    const std::vector<TextRange> from_ranges = found.source.encoded_ranges(source),
                                 to_ranges = found.target.encoded_ranges(target);
    double right = 0, all = 0;
    for (size_t row = 0; row < to_ranges.size(); ++row) {
      if (to_ranges[row].size() == 0) continue;
      const std::span<const float> keys = weights.row<float>(static_cast<int64_t>(row));
      const auto best = static_cast<size_t>(std::ranges::max_element(keys) - keys.begin());
      all += 1;
      if (best < from_ranges.size() && from_ranges[best].size() > 0)
        right += word_of(source, from_ranges[best]) == 4 - word_of(target, to_ranges[row]);
    }
    return right / all;
  }

  SmallRun run;
  TrainingSettings& settings = run.settings;
};

TEST_F(GuidedRun, TeachesTheHeadThatAlignsFromThenOn) {
  settings.guide_weight = 1;
  settings.model["width"] = "32";
  settings.trainer.steps = 150;
  settings.trainer.validate_every = 75;
  train(settings);
  const HeadName first_of_last = {AttentionPart::cross, 2, 1};
  EXPECT_GT(found_by(first_of_last), 0.9);
  const std::optional<AttentionChoice> choice = load_alignment_choice(settings.folder);
  ASSERT_TRUE(choice.has_value());
  EXPECT_EQ(choice->layer, 2);
  EXPECT_EQ(choice->head, 1);
  const SearchDefaults search = load_model_folder(settings.folder).notes.search;
  EXPECT_EQ(search.alignment_layer, 2);
  EXPECT_EQ(search.alignment_head, 1);
  // Without links, that head does something else.
  settings.guide.clear();
  settings.guide_weight = TrainingSettings().guide_weight;
  settings.folder = run.path("unguided");
  train(settings);
  EXPECT_LT(found_by(first_of_last), 0.6);
  EXPECT_FALSE(load_alignment_choice(settings.folder).has_value());
}

TEST_F(GuidedRun, GivesTheSameBytesHoweverItIsTrained) {
  settings.learning["r-drop"] = "1";
  testing::expect_same_bytes_however_trained(settings, run.path("ways"));
}

TEST_F(GuidedRun, MayLoseItsLinksButNotGetOthers) {
  train(settings);
  const std::string links = run.files().text("links");
  fs::remove(settings.guide);
  settings.trainer.steps += 1;
  EXPECT_EQ(train(settings), TrainingEnd::budget);
  run.files().put("links", "0-1\n" + links.substr(links.find('\n') + 1));
  settings.trainer.steps += 1;
  EXPECT_EQ(error_of([&] { train(settings); }),
            settings.guide +
                ": has changed since the run was started; --override continues with the new text");
  settings.change_settings = true;
  EXPECT_EQ(train(settings), TrainingEnd::budget);
}

TEST_F(GuidedRun, ChangesNothingButTheLoss) {
  settings.guide_weight = 1e-30;
  train(settings);
  const auto guided = testing::weights_in(settings.folder);
  settings.guide.clear();
  settings.guide_weight = TrainingSettings().guide_weight;
  settings.folder = run.path("unguided");
  train(settings);
  EXPECT_EQ(testing::weights_in(settings.folder), guided);
}

TEST_F(GuidedRun, RefusesWhatCannotBe) {
  const auto refusal = [&](const std::function<void(TrainingSettings&)>& change) {
    TrainingSettings other = settings;
    change(other);
    return error_of([&] { train(other); });
  };
  EXPECT_EQ(refusal([](auto& s) { s.sampling = 0.1; }),
            "--guide: links are between words, but --sampling makes pieces of them that cannot be "
            "traced back");
  EXPECT_EQ(refusal([](auto& s) { s.preset = "rnn", s.model.clear(); }),
            "--guide: the heads of Transformers can learn links, but the model is rnn");
  EXPECT_EQ(refusal([](auto& s) { s.task = Task::language; }),
            "--guide: only translators learn links between words");
  EXPECT_EQ(refusal([](auto& s) { s.guide.clear(), s.guide_weight = 0.2; }),
            "--guide-weight: there are no links, which --guide names");
  EXPECT_EQ(refusal([](auto& s) { s.guide = "-", s.train = {"-"}; }),
            "standard input can be read only once, but it was given several times");
  EXPECT_FALSE(fs::exists(settings.folder));  // nothing was begun
  const std::string all = run.files().text("links");
  run.files().put("links", all + "0-0\n");
  EXPECT_EQ(refusal([](auto&) {}),
            settings.guide + ": there are 301 lines of links, but 300 sentence pairs");
  run.files().put("links", "0-5" + all.substr(all.find('\n')));
  EXPECT_EQ(
      refusal([](auto&) {}),
      settings.guide + ": line 1: a link 0-5, but the words of the pair are 0 to 4 and 0 to 4");
}

TEST(GuidedPretrained, TeachesTheHeadThatItHas) {
  AdaptationRun run;
  save_alignment_choice(run.path("general"), {.layer = 1, .head = 2});
  std::string links;
  for (int i = 0; i < 200; ++i) links += "0-0\n";
  run.settings.guide = run.files().put("links", links);
  run.settings.freeze = {"embeddings"};
  train(run.settings);
  EXPECT_EQ(load_alignment_choice(run.settings.folder)->head, 2);
  // Its queries learn something else than without links.
  const auto guided = testing::weights_in(run.settings.folder);
  run.settings.guide.clear();
  run.settings.folder = run.path("unguided");
  train(run.settings);
  EXPECT_NE(testing::weights_in(run.settings.folder), guided);
  run.settings.guide = run.path("links");
  run.settings.freeze.clear();
  run.settings.adapter = 2;
  run.settings.folder = run.path("adapter");
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            "--guide: an adapter cannot say which head of its model has learned the links");
}

}  // namespace
}  // namespace heed
