#include "heed/runs/translation_task.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "heed/base/error_place.h"
#include "heed/base/files.h"
#include "heed/data/corpus.h"
#include "heed/data/source_tags.h"
#include "heed/folders/adapter_file.h"
#include "heed/folders/alignment_choice.h"
#include "heed/folders/model_folder.h"
#include "heed/runs/attention_watch.h"
#include "heed/runs/changed_model.h"
#include "heed/runs/generating_model.h"
#include "heed/runs/guided_head.h"
#include "heed/runs/pretrained_translator.h"
#include "heed/runs/translation_judge.h"

namespace heed {

namespace {

// What is kept of a sentence grows with the square of its length.
constexpr int64_t longest_watched = 1024;

struct Vocabularies {
  Vocabulary source, target;
};

Vocabularies make_vocabularies(const TrainingSettings& settings, const CorpusStore& store,
                               const Announce& announce) {
  if (!settings.vocabulary_files.empty()) {
    require(settings.vocabulary_files.size() <= 2,
            "train: {} vocabulary files but one or two were expected",
            settings.vocabulary_files.size());
    return {Vocabulary::load(settings.vocabulary_files.front()),
            Vocabulary::load(settings.vocabulary_files.back())};
  }
  announce("learning the vocabulary");
  VocabularyConfig config = settings.vocabulary;
  config.seed = settings.seed;
  if (!settings.separate) {
    const Vocabulary joint = train_vocabulary(config, sentences_of(store, Side::both));
    return {joint, joint};
  }
  return {train_vocabulary(config, sentences_of(store, Side::source)),
          train_vocabulary(config, sentences_of(store, Side::target))};
}

JudgeOptions judging(const TrainingSettings& settings, const ModelDescription& model) {
  return {.lines = settings.valid_lines,
          .beam = settings.valid_beam,
          .samples = settings.samples,
          .tokenised = settings.vocabulary.tokenised,
          .lengths = model.lengths,
          .tags = model.notes.tags};
}

// That the run is to learn; none without --tags, whatever the corpus is.
std::set<std::string> learned_tags(const TrainingSettings& settings, const CorpusStore& train) {
  return settings.tags.empty() ? std::set<std::string>() : tags_in(train);
}

// An Error names the file if the model lacks one of the tags in it: because they are of pairs that
// it is only validated with, or because the file has changed since the model was begun.
void check_tags(const std::set<std::string>& found, const SourceTags& tags,
                const std::string& file) {
  with_place(file, [&] {
    for (const std::string& tag : found) tags.ids_of(tag);
  });
}

class TaughtTranslator final : public TaughtModel {
 public:
  TaughtTranslator(const TrainingSettings& settings, const CorpusStore& valid)
      : found_(load_model_description(settings.folder)),
        model_(settings.pretrained.empty() ? new_model(found_.config, settings.seed)
                                           : adapted_model(settings, found_.config)),
        pairs_{.max_length = std::min(settings.max_length, model_->max_length()),
               .tags = SourceTags(found_.source, found_.notes.tags),
               .source_sampling = settings.sampling,
               .target_sampling = settings.sampling,
               .with_links = !settings.guide.empty()},
        judging_(judging(settings, found_)),
        judge_(valid, found_.source, found_.target, judging_) {
    if (!settings.valid_tags.empty()) check_tags(tags_in(valid), pairs_.tags, settings.valid_tags);
    if (settings.adapter > 0) adapt(settings);
    if (!settings.guide.empty()) guide(settings);
    const std::vector<WatchedSentence> watched = watched_sentences(settings);
    if (!watched.empty())
      watch_.emplace(watched, valid, found_.source, found_.target, *model_,
                     WatchOptions{.beam = settings.valid_beam,
                                  .max_length = std::min(settings.max_length, longest_watched),
                                  .lengths = found_.lengths,
                                  .tags = found_.notes.tags});
  }

  PredictingModel& model() override { return *model_; }
  PredictingModel& learning() override {
    if (adapted_) return *adapted_;
    return *model_;
  }
  void save(const std::filesystem::path& folder) override {
    // First, so that a model of this folder never comes without it.
    if (aligning_) save_alignment_choice(folder, *aligning_);
    if (!adapted_) return TaughtModel::save(folder);
    save_adapter(folder / adapter_name, parameters_of(*adapted_), adapter_);
  }
  std::string_view name() const override { return name_of(found_.config); }
  ModelSeal seal() const override {
    return seal_of(found_.config, found_.source, found_.target, found_.lengths, found_.notes);
  }
  int64_t source_vocabulary() const override { return found_.source.size(); }
  int64_t target_vocabulary() const override { return found_.target.size(); }

  std::shared_ptr<const ExampleMaker> training_examples() const override {
    return std::make_shared<PairExamples>(found_.source, found_.target, pairs_);
  }
  std::shared_ptr<const ExampleMaker> validation_examples() const override {
    return std::make_shared<PairExamples>(
        found_.source, found_.target,
        PairExamplesConfig{.max_length = pairs_.max_length, .tags = pairs_.tags});
  }

  OutputScores judge(int threads) const override { return judge_(*model_, threads); }

  OutputScores judge_on(const CorpusStore& texts, int threads) const override {
    return TranslationJudge(texts, found_.source, found_.target, judging_)(*model_, threads);
  }

  bool watches() const override { return watch_.has_value(); }
  WatchedStep look(int64_t step, Workers& workers) const override {
    return watch_->look(*model_, step, workers);
  }

 private:
  void adapt(const TrainingSettings& settings) {
    const AdapterConfig config = adapter_config(settings);
    adapted_.emplace(*model_, config, settings.seed);
    adapter_ = {config.rank, config.alpha,
                adapter_base(load_model_folder(pretrained_copy(settings)))};
  }

  void guide(const TrainingSettings& settings) {
    const HeadGuide guide = guide_of(settings, found_.config, found_.notes.search);
    dynamic_cast<GuidableModel&>(*model_).guide(guide);
    aligning_ = {.layer = static_cast<int>(guide.head.layer),
                 .head = static_cast<int>(guide.head.head)};
  }

  ModelDescription found_;
  std::unique_ptr<Model> model_;
  std::optional<AdaptedModel> adapted_;  // if adapters learn instead of the model
  AdapterDescription adapter_;
  std::optional<AttentionChoice> aligning_;  // the head that learns links, if one does
  PairExamplesConfig pairs_;
  JudgeOptions judging_;
  TranslationJudge judge_;
  std::optional<AttentionWatch> watch_;
};

}  // namespace

void TranslationTask::check() const {
  if (settings().pretrained.empty())
    check_presets(settings());
  else
    refuse_flags_of_new_models(settings());
  if (!settings().guide.empty() && settings().pretrained.empty())
    guide_of(settings(), chosen_preset(settings(), {}).model);
  require(!settings().cased, "--cased: only encoders that classify or fill in words have it");
  const auto tied = settings().model.find("tied-embeddings");
  require(
      !has_two_vocabularies(settings()) || tied == settings().model.end() || tied->second != "all",
      "--tied-embeddings: all needs a joint vocabulary, but there are two");
  require(settings().batch_tokens >= settings().max_length,
          "--batch: {} tokens, but sentences may have up to {} (--max-length)",
          settings().batch_tokens, settings().max_length);
  const Criterion criterion = settings().trainer.criterion;
  require(criterion != Criterion::accuracy && criterion != Criterion::f1,
          "--criterion: {} is of labels, but the task is to translate", name_of(criterion));
  require(!higher_is_better(criterion) || settings().valid_lines > 0,
          "--criterion: {} needs translations, but --valid-lines is 0", name_of(criterion));
}

void TranslationTask::check_files() const {
  // The copy of a run that goes on will do.
  if (settings().pretrained.empty() || !needs_pretrained(settings())) return;
  read_pretrained(settings());
}

bool TranslationTask::pretrained_has_changed() const {
  return !settings().pretrained.empty() && differs_from_copy(settings());
}

std::string TranslationTask::read(const TextFiles& text, const std::filesystem::path& to) const {
  CorpusInput input = {.files = text.files,
                       .source = settings().from,
                       .target = settings().to,
                       .max_characters = settings().max_characters};
  if (!settings().format.empty()) input.format = format_named(settings().format);
  const CorpusReport report = prepare_corpus(input, to, text.notes);
  const std::string reasons = report.reasons();
  return fmt::format("{} sentence pairs{}", report.kept,
                     reasons.empty() ? "" : ", dropped: " + reasons);
}

TrainingTask::HoldingOut TranslationTask::holding_out(const CorpusStore& all) const {
  if (settings().tags.empty()) return TrainingTask::holding_out(all);
  std::map<std::string, int64_t, std::less<>> left;
  for (int64_t chunk = 0; chunk < all.chunks(); ++chunk)
    for (const PairView& pair : all.read(chunk).pairs) ++left[std::string(pair.tag)];
  return [left](const PairView& pair) mutable {
    int64_t& of_tag = left.find(pair.tag)->second;
    const bool may_go = pair.tag.empty() || of_tag > 1;
    of_tag -= may_go ? 1 : 0;
    return may_go;
  };
}

LearnerConfig TranslationTask::learner(const CorpusSize& size) const {
  if (!settings().pretrained.empty()) return adapting_learner(settings());
  return chosen_preset(settings(), size).learner;
}

void TranslationTask::describe_model(const CorpusStore& train, const Announce& announce) const {
  const std::set<std::string> tags = learned_tags(settings(), train);
  if (!settings().pretrained.empty()) return describe_adapted(settings(), tags);
  ModelNotes notes;
  notes.tags.assign(tags.begin(), tags.end());
  Vocabularies words = make_vocabularies(settings(), train, announce);
  const bool joint = words.source.bytes() == words.target.bytes();
  words.source = with_tags(words.source, notes.tags);
  if (joint) words.target = words.source;
  // An Error if it cannot write them.
  [[maybe_unused]] const SourceTags written(words.source, notes.tags);
  ModelConfig model = chosen_preset(settings(), size_of(train)).model;
  set_vocabularies(model, words.source.size(), words.target.size());
  heed::check(model);  // before it is written
  save_model_description(settings().folder, model, words.source, words.target, {}, notes);
}

// Adds the lengths of the corpus to those in the description, whose tags are those that there are.
void TranslationTask::describe_corpus(const CorpusStore& train) const {
  const std::filesystem::path description = settings().folder / "config.json";
  const Vocabulary source = Vocabulary::load(settings().folder / "source.spm"),
                   target = Vocabulary::load(settings().folder / "target.spm");
  const ModelNotes notes = load_model_notes(description);
  check_tags(learned_tags(settings(), train), SourceTags(source, notes.tags), settings().tags);
  const TrainedLengths noted = load_trained_lengths(description);
  // A little text says nothing about the sentences that a model of another tool has seen.
  if (!settings().pretrained.empty() && !noted.known()) return;
  TrainedLengths all = noted;
  all.add(measure_lengths(train, source, target, settings().max_length));
  if (all == noted) return;
  replace_config(settings().folder, to_json(load_model_config(description), all, notes), true);
}

void TranslationTask::change_model(const CorpusSize& size) const {
  const ModelConfig model =
      settings().pretrained.empty()
          ? chosen_preset(settings(), size).model
          : adapted_config(load_model_config(pretrained_copy(settings()) / "config.json"),
                           settings());
  change_description(settings(), model);
}

std::unique_ptr<TaughtModel> TranslationTask::open(const CorpusStore& valid) const {
  return std::make_unique<TaughtTranslator>(settings(), valid);
}

}  // namespace heed
