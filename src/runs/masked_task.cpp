#include "heed/runs/masked_task.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/data/masked_examples.h"
#include "heed/data/text_corpus.h"
#include "heed/data/validation_batches.h"
#include "heed/folders/bert_config_json.h"
#include "heed/folders/bert_files.h"
#include "heed/folders/stored_weights.h"
#include "heed/models/masked_model.h"
#include "heed/runs/changed_model.h"
#include "heed/runs/encoder_presets.h"
#include "heed/runs/generating_model.h"

namespace heed {

namespace {

namespace fs = std::filesystem;

constexpr int64_t judged_batch_tokens = 1024;

BertConfig description_in(const fs::path& folder) {
  const fs::path file = folder / bert_files::config;
  return parse_bert_config(MappedFile(file).text(), file.string());
}

// The words of ids, without the frame.
std::string spelt(const WordPieces& pieces, std::span<const int32_t> ids) {
  std::string text;
  for (const int32_t id : ids) {
    if (pieces.frames(id)) continue;
    if (!text.empty() && !pieces.continues_word(id)) text += ' ';
    text += pieces.spelling(id);
  }
  return text;
}

int32_t likeliest(std::span<const float> scores) {
  return static_cast<int32_t>(std::ranges::max_element(scores) - scores.begin());
}

class TaughtMaskedModel final : public TaughtModel {
 public:
  TaughtMaskedModel(const TrainingSettings& settings, const CorpusStore& valid)
      : config_(description_in(settings.folder)),
        pieces_(WordPieces::load(settings.folder / bert_files::tokenizer)),
        context_length_(std::min(settings.max_length, config_.context_length)),
        sampling_(settings.sampling.value_or(0)),
        samples_(static_cast<size_t>(settings.samples)),
        model_(fresh(config_, settings)),
        judged_(validation_batches(valid, *validation_examples(), judged_batch_tokens)) {}

  PredictingModel& model() override { return *model_; }
  std::string_view name() const override { return "masked"; }
  ModelSeal seal() const override {
    return ModelSeal(DescriptionFiles{{bert_files::tokenizer, pieces_.json()},
                                      {bert_files::config, to_json(config_, BertHead::masked)}});
  }
  int64_t source_vocabulary() const override { return pieces_.size(); }
  int64_t target_vocabulary() const override { return pieces_.size(); }

  std::shared_ptr<const ExampleMaker> training_examples() const override { return examples(true); }
  std::shared_ptr<const ExampleMaker> validation_examples() const override {
    return examples(false);
  }
  bool groups_by_length() const override { return false; }

  // A sixth of the tokens is missing.
  Batch made_up_batch() const override {
    Batch batch = heed::made_up_batch(source_vocabulary(), source_vocabulary());
    TokenBatch& target = batch.target;
    std::vector<std::vector<int32_t>> missing;
    for (int64_t s = 0; s < batch.sentences(); ++s) {
      missing.emplace_back();
      for (int64_t t = 0; t < target.layout.length(s); t += 6) {
        missing.back().push_back(target.sentence(s)[static_cast<size_t>(t)]);
        batch.places.push_back(static_cast<int32_t>(target.layout.begin(s) + t));
      }
    }
    target = join_sentences(missing);
    return batch;
  }

  // The share of missing words that were found, and some texts with the likeliest words filled in.
  OutputScores judge(int threads) const override {
    std::vector<std::vector<int32_t>> filled(judged_.size());
    Workers workers(threads);
    workers.run(static_cast<int64_t>(judged_.size()), [&](int64_t task, int) {
      const auto index = static_cast<size_t>(task);
      Tape tape({.record = false});
      const Tensor scores = logits(tape, *model_, judged_[index].batch).value();
      for (int64_t row = 0; row < scores.shape()[0]; ++row)
        filled[index].push_back(likeliest(scores.row<float>(row)));
    });
    int64_t right = 0, all = 0;
    for (size_t i = 0; i < judged_.size(); ++i)
      for (size_t t = 0; t < filled[i].size(); ++t, ++all)
        right += filled[i][t] == judged_[i].batch.target.ids[t];
    OutputScores outputs;
    outputs.accuracy = all == 0 ? 0 : 100 * static_cast<double>(right) / static_cast<double>(all);
    // The last batches have the longest texts.
    for (size_t i = judged_.size(); i > 0 && outputs.samples.size() < samples_; --i)
      add_samples(judged_[i - 1].batch, filled[i - 1], outputs.samples);
    return outputs;
  }

 private:
  static std::unique_ptr<MaskedModel> fresh(const BertConfig& config,
                                            const TrainingSettings& settings) {
    Rng rng(derive_key(make_key(settings.seed), 1));
    auto model = std::make_unique<MaskedModel>(config, rng);
    load_pretrained(settings, model->encoder());
    return model;
  }

  std::shared_ptr<const ExampleMaker> examples(bool varies) const {
    return std::make_shared<MaskedExamples>(
        pieces_, MaskedExamplesConfig{.context_length = context_length_,
                                      .varies = varies,
                                      .sampling = varies ? sampling_ : 0});
  }

  void add_samples(const Batch& batch, std::span<const int32_t> filled,
                   std::vector<SampleOutput>& samples) const {
    std::vector<int32_t> truth = batch.source.ids, guess = batch.source.ids;
    for (size_t t = 0; t < batch.places.size(); ++t) {
      truth[static_cast<size_t>(batch.places[t])] = batch.target.ids[t];
      guess[static_cast<size_t>(batch.places[t])] = filled[t];
    }
    const auto text = [&](const std::vector<int32_t>& ids, int64_t s) {
      return spelt(pieces_,
                   std::span(ids).subspan(static_cast<size_t>(batch.source.layout.begin(s)),
                                          static_cast<size_t>(batch.source.layout.length(s))));
    };
    for (int64_t s = 0; s < batch.sentences() && samples.size() < samples_; ++s)
      samples.push_back({text(batch.source.ids, s), text(truth, s), text(guess, s)});
  }

  BertConfig config_;
  WordPieces pieces_;
  int64_t context_length_;
  double sampling_;
  size_t samples_;
  std::unique_ptr<MaskedModel> model_;
  std::vector<ValidationBatch> judged_;
};

}  // namespace

void MaskedTask::check() const {
  check_encoder_settings(settings());
  const Criterion criterion = settings().trainer.criterion;
  require(!higher_is_better(criterion) || criterion == Criterion::accuracy,
          "--criterion: {} but a masked model is judged by cross-entropy, perplexity or accuracy",
          name_of(criterion));
  require(!higher_is_better(criterion) || settings().valid_lines > 0,
          "--criterion: {} needs filled masks, but --valid-lines is 0", name_of(criterion));
}

void MaskedTask::check_files() const { check_pretrained(settings()); }

std::string MaskedTask::read(const TextFiles& text, const fs::path& to) const {
  return prepare_text(text.files, settings().documents, to).in_words();
}

LearnerConfig MaskedTask::learner(const CorpusSize& size) const {
  return chosen_encoder(settings(), size).learner;
}

void MaskedTask::describe_model(const CorpusStore& train, const Announce& announce) const {
  const WordPieces pieces = encoder_pieces(settings(), sentences_of(train, Side::target), announce);
  BertConfig config = chosen_encoder(settings(), size_of(train)).model.encoder;
  config.vocabulary = std::max<int64_t>(config.vocabulary, pieces.size());
  heed::check(config);  // before it is written
  // An Error if the pieces cannot mask a word, before anything is written.
  const MaskedExamples possible(pieces, {.context_length = config.context_length});
  write_file_atomically(settings().folder / bert_files::tokenizer, pieces.json());
  write_file_atomically(settings().folder / bert_files::config, to_json(config, BertHead::masked));
}

void MaskedTask::change_model(const CorpusSize& size) const {
  const BertConfig before = description_in(settings().folder);
  BertConfig now = chosen_encoder(settings(), size).model.encoder;
  now.vocabulary = before.vocabulary;
  MaskedModel old_model(before, Initialiser::unset()), new_model(now, Initialiser::unset());
  require_same_shapes(settings().folder, old_model, new_model);
  replace_config(settings().folder, to_json(now, BertHead::masked), now != before);
}

std::unique_ptr<TaughtModel> MaskedTask::open(const CorpusStore& valid) const {
  return std::make_unique<TaughtMaskedModel>(settings(), valid);
}

}  // namespace heed
