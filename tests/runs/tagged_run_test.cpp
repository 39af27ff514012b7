// Translators that are trained with tags in front of their sources.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <functional>

#include "adaptation_run.h"
#include "error_of.h"
#include "heed/decoding/folder_translator.h"
#include "heed/runs/conversion.h"
#include "same_bytes.h"

namespace heed {
namespace {

namespace fs = std::filesystem;
using testing::AdaptationRun;
using testing::error_of;
using testing::SmallRun;

// The same words are translated in three ways: by two tags, and without one.
class TaggedRun : public ::testing::Test {
 protected:
  TaggedRun() {
    write("train", 300, 3);
    settings.train = {run.path("train.a"), run.path("train.b")};
    settings.tags = run.path("train.tags");
    settings.valid.clear();  // some pairs are held out, with their tags
    settings.vocabulary.kind = VocabularyKind::words;
    settings.model["dropout"] = "0";
  }

  void write(const std::string& name, int pairs, uint64_t seed) const {
    Rng rng(seed);
    std::string source, target, tags;
    for (int i = 0; i < pairs; ++i) {
      const std::string number = fmt::format("{}", rng.below(10)),
                        other = fmt::format("{}", rng.below(10));
      const int kind = i % 3;
      const char* const word = kind == 0 ? "legal" : kind == 1 ? "casual" : "plain";
      source += fmt::format("a{} a{}\n", number, other);
      target += fmt::format("{0}{1} {0}{2}\n", word, number, other);
      tags += kind == 2 ? "\n" : fmt::format("{}\n", word);
    }
    run.files().put(name + ".a", source);
    run.files().put(name + ".b", target);
    run.files().put(name + ".tags", tags);
  }

  // To where the model obeys.
  void learn_well() {
    settings.model["width"] = "32";
    settings.trainer.steps = 400;
    settings.trainer.validate_every = 400;
  }

  std::string refusal(const std::function<void(TrainingSettings&)>& change) const {
    TrainingSettings other = settings;
    change(other);
    return error_of([&] { train(other); });
  }

  static std::string translated(const fs::path& folder, const std::string& tag,
                                const std::string& line = "a3 a7") {
    const std::vector<std::string> lines = {line};
    return Translator::load(folder, {.tag = tag}).translate(lines).front();
  }

  static double score_of(const Translator& translator, const std::string& tag) {
    std::vector<TranslationRequest> requests(1);
    requests[0] = {.text = "a3 a7", .options = {.beam = 1, .max_length = 8}, .tag = tag};
    return translator.translate_n_best(std::move(requests)).front().front().hypothesis.score;
  }

  SmallRun run;
  TrainingSettings& settings = run.settings;
};

TEST_F(TaggedRun, TeachesTheModelToObey) {
  learn_well();
  settings.valid_lines = 15;
  double chrf = 0;
  TrainingCallbacks callbacks;
  callbacks.validated = [&](const Validation& found, const Progress&) {
    chrf = *found.outputs->chrf;
  };
  train(settings, callbacks);
  EXPECT_EQ(translated(settings.folder, "legal"), "legal3 legal7");
  EXPECT_EQ(translated(settings.folder, "casual"), "casual3 casual7");
  EXPECT_EQ(translated(settings.folder, ">>casual<<"), "casual3 casual7");
  EXPECT_EQ(translated(settings.folder, ""), "plain3 plain7");
  // What was held out kept its tags: otherwise two thirds of it would be wrong.
  EXPECT_GT(chrf, 99);
  // The tag is a token of its own.
  const ModelFolder found = load_model_folder(settings.folder);
  EXPECT_EQ(found.notes.tags, (std::vector<std::string>{"casual", "legal"}));
  const SourceTags tags = tags_of(found);
  ASSERT_EQ(tags.ids_of("legal").size(), 1u);
  EXPECT_EQ(found.source.piece(tags.ids_of("legal").front()), ">>legal<<");
  EXPECT_EQ(error_of([&] { translated(settings.folder, "formal"); }),
            settings.folder.string() + ": the tag \"formal\": the model has casual, legal");
}

TEST_F(TaggedRun, GivesTheSameBytesHoweverItIsTrained) {
  settings.learning["r-drop"] = "1";
  settings.vocabulary.kind = VocabularyKind::bpe;
  settings.sampling = 0.1;
  testing::expect_same_bytes_however_trained(settings, run.path("ways"));
}

TEST_F(TaggedRun, ReadsTheTagsOfPairsToValidateWith) {
  write("valid", 30, 5);
  settings.valid = {run.path("valid.a"), run.path("valid.b")};
  EXPECT_EQ(refusal([](auto&) {}),
            "--tags: the pairs of --valid have tags, too, which --valid-tags names");
  settings.valid_tags = run.path("valid.tags");
  learn_well();
  double with_tags = 0, without = 0;
  TrainingCallbacks callbacks;
  callbacks.validated = [&](const Validation& found, const Progress&) {
    with_tags = found.cross_entropy;
  };
  train(settings, callbacks);
  settings.folder = run.path("other");
  settings.valid_tags = run.files().put("none", std::string(30, '\n'));
  callbacks.validated = [&](const Validation& found, const Progress&) {
    without = found.cross_entropy;
  };
  train(settings, callbacks);
  EXPECT_LT(with_tags, 0.3);
  EXPECT_GT(without, 1);
  settings.folder = run.path("third");
  settings.valid_tags = run.files().put("others", "formal\n" + std::string(29, '\n'));
  EXPECT_EQ(refusal([](auto&) {}),
            settings.valid_tags + ": the tag \"formal\": the model has casual, legal");
}

TEST_F(TaggedRun, MayLoseItsTagsButNotGetOthers) {
  train(settings);
  const std::string tags = run.files().text("train.tags");
  fs::remove(settings.tags);
  settings.trainer.steps += 1;
  EXPECT_EQ(train(settings), TrainingEnd::budget);
  run.files().put("train.tags", "casual" + tags.substr(tags.find('\n')));
  settings.trainer.steps += 1;
  EXPECT_EQ(refusal([](auto&) {}),
            settings.tags +
                ": has changed since the run was started; --override continues with the new text");
  settings.change_settings = true;
  EXPECT_EQ(train(settings), TrainingEnd::budget);
  // A token for another tag would need another vocabulary.
  run.files().put("train.tags", "formal" + tags.substr(tags.find('\n')));
  EXPECT_EQ(refusal([](auto&) {}),
            settings.tags + ": the tag \"formal\": the model has casual, legal");
}

TEST_F(TaggedRun, LeavesAPairOfEachTagToLearnFrom) {
  // Of 40 pairs, two are held out; each has a tag of its own, but for the last.
  write("train", 40, 3);
  std::string tags;
  for (int i = 0; i < 39; ++i) tags += fmt::format("t{}\n", i);
  run.files().put("train.tags", tags + "t38\n");
  train(settings);
  EXPECT_EQ(load_model_folder(settings.folder).notes.tags.size(), 39u);
}

TEST_F(TaggedRun, RefusesWhatCannotBe) {
  EXPECT_EQ(refusal([](auto& s) { s.task = Task::language; }),
            "--tags: only translators read tags");
  EXPECT_EQ(refusal([](auto& s) { s.tags.clear(), s.valid_tags = "x"; }),
            "--valid-tags: there are no --tags that the model learns");
  EXPECT_EQ(refusal([](auto& s) { s.valid_tags = "x"; }),
            "--valid-tags: there is no --valid whose tags they are");
  EXPECT_FALSE(fs::exists(settings.folder));  // nothing was begun
  const std::string all = run.files().text("train.tags");
  run.files().put("train.tags", all + "legal\n");
  EXPECT_EQ(refusal([](auto&) {}),
            settings.tags + ": there are 301 lines of tags, but 300 sentence pairs");
  run.files().put("train.tags", "two words" + all.substr(all.find('\n')));
  EXPECT_EQ(refusal([](auto&) {}),
            settings.tags +
                ": line 1: \"two words\" but a tag was expected, a word of at most 64 "
                "bytes without spaces, control characters, < and >, or an empty line");
}

TEST_F(TaggedRun, GuidesAHeadPastTheTag) {
  std::string links;
  for (int i = 0; i < 300; ++i) links += "0-0 1-1\n";
  settings.guide = run.files().put("links", links);
  settings.guide_weight = 1;
  learn_well();
  train(settings);
  // Neither word is taken for the other, nor is the tag counted.
  const Translator translator = Translator::load(settings.folder);
  std::vector<TranslationRequest> requests(1);
  requests[0].text = "a3 a7";
  requests[0].tag = "legal";
  requests[0].want_links = true;
  const Translation found = translator.translate_n_best(std::move(requests)).front().front();
  EXPECT_EQ(found.text, "legal3 legal7");
  EXPECT_EQ(found.alignment.links(), (std::vector<WordAlignment::Link>{{0, 0}, {1, 1}}));
  EXPECT_EQ(found.alignment.source_words(), 2);
  ASSERT_EQ(found.links.of_target.size(), 2u);
  EXPECT_EQ(found.links.of_target[1].source.begin, 3u);
}

TEST_F(TaggedRun, KeepsItsTagsInFormatsOfOtherTools) {
  settings.model["norm"] = "post";
  settings.model["sinusoids"] = "tensor2tensor";
  settings.trainer.steps = 50;
  for (const VocabularyKind kind : {VocabularyKind::words, VocabularyKind::unigram}) {
    settings.vocabulary.kind = kind;
    const std::string place = run.path(fmt::format("kind{}", static_cast<int>(kind)));
    settings.folder = place + "/trained";
    train(settings);
    const ModelFolder model = load_model_folder(settings.folder);
    // Marian's decoders start with zeros.
    for (const Parameter& parameter : parameters_of(*model.model))
      if (parameter.name == "model.shared.weight") {
        Tensor table = parameter.value;
        std::ranges::fill(table.row<float>(model.target.start()), 0.0f);
      }
    const Translator own = make_translator(model, {}, "own");
    for (const ModelFormat format :
         {ModelFormat::huggingface, ModelFormat::marian, ModelFormat::ctranslate2}) {
      const std::string folder = fmt::format("{}/{}", place, static_cast<int>(format));
      save_new_model(folder, model, format);
      const Translator other = Translator::load(folder);
      for (const char* tag : {"legal", "casual"})
        EXPECT_EQ(score_of(other, tag), score_of(own, tag)) << folder << tag;
      EXPECT_NE(score_of(other, "legal"), score_of(other, "casual"));
    }
  }
}

// A vocabulary that is kept spells tags with the pieces that it has.
class TaggedAdaptation : public ::testing::Test {
 protected:
  // Targets of the tag "b" have other digits.
  TaggedAdaptation() {
    run.settings.valid.clear();
    std::string changed, tags;
    int line = 0;
    const std::string iso = run.files().text("train.iso");
    for (std::string_view rest = iso; !rest.empty(); ++line) {
      const size_t end = rest.find('\n') + 1;
      std::string text(rest.substr(0, end));
      if (line % 2 == 1)
        for (char& byte : text)
          if (byte == '1') byte = '2';
      changed += text;
      tags += line % 2 == 1 ? "lundi\n" : "mardi\n";
      rest.remove_prefix(end);
    }
    run.files().put("train.iso", changed);
    run.settings.tags = run.files().put("tags", tags);
  }

  AdaptationRun run;
};

TEST_F(TaggedAdaptation, SpellsTagsWithThePiecesThatItHas) {
  train(run.settings);
  const ModelFolder found = load_model_folder(run.settings.folder);
  EXPECT_EQ(found.notes.tags, (std::vector<std::string>{"lundi", "mardi"}));
  EXPECT_EQ(found.source.bytes(), load_model_folder(run.path("general")).source.bytes());
  const SourceTags tags = tags_of(found);
  EXPECT_EQ(found.source.decode(tags.ids_of("lundi")), "lundi");
  EXPECT_NE(tags.ids_of("lundi"), tags.ids_of("mardi"));
}

TEST_F(TaggedAdaptation, RefusesTagsThatItCannotSpell) {
  run.files().put("tags", "法\n" + std::string(199, '\n'));
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            "the tag \"法\": the vocabulary of the model, which has no token for it, lacks its "
            "characters, too");
}

TEST_F(TaggedAdaptation, AddsNoTagsWithAnAdapter) {
  run.settings.adapter = 2;
  EXPECT_EQ(error_of([&] { train(run.settings); }),
            "--tags: an adapter cannot add \"lundi\" to the tags of its model");
}

}  // namespace
}  // namespace heed
