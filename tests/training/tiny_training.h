// A model and a corpus so small that a whole run takes a few milliseconds.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/models/model_config.h"
#include "heed/training/trainer.h"
#include "small_vocabulary.h"
#include "temporary_folder.h"
#include "thread_communicator.h"

namespace heed::testing {

inline ModelConfig tiny_model_config() {
  return TransformerConfig{.source_vocabulary = small_vocabulary().size(),
                           .target_vocabulary = small_vocabulary().size(),
                           .encoder_layers = 1,
                           .decoder_layers = 1,
                           .width = 8,
                           .ffn = 16,
                           .heads = 2,
                           .dropout = 0.1};
}

inline std::unique_ptr<Model> tiny_model(uint64_t seed = 5) {
  Rng rng(seed);
  return make_model(tiny_model_config(), rng);
}

// Sentences that the model can read, in any number of shards.
inline std::vector<Batch> tiny_shards(int shards, uint64_t seed, int sentences_each = 2) {
  Rng rng(seed);
  const auto sentences = [&] {
    std::vector<std::vector<int32_t>> side(static_cast<size_t>(sentences_each));
    for (std::vector<int32_t>& sentence : side) {
      for (uint64_t left = 1 + rng.below(6); left > 0; --left)
        sentence.push_back(2 + static_cast<int32_t>(rng.below(150)));
      sentence.push_back(Vocabulary::end);
    }
    return join_sentences(side);
  };
  std::vector<Batch> batches;
  for (int i = 0; i < shards; ++i) batches.push_back({sentences(), sentences()});
  return batches;
}

// Corpora on disk, and runs over them in folders of their own.
class TinyTraining {
 public:
  TinyTraining() {
    write("train.pairs", 0, 60);
    write("valid.pairs", 60, 70);
    train_ = std::make_unique<CorpusStore>(files_.path("train.pairs"));
    valid_ = std::make_unique<CorpusStore>(files_.path("valid.pairs"));
    validation_ = validation_batches(*valid_, *maker_, 100);
  }

  // Calls use(trainer) with a trainer that continues the run in that folder.
  template <typename Use>
  auto with_trainer(const std::string& folder, const TrainerConfig& config, Use use) const {
    const std::unique_ptr<Model> model = tiny_model();
    return with_trainer(folder, config, use, *model);
  }
  template <typename Use>
  auto with_trainer(const std::string& folder, const TrainerConfig& config, Use use,
                    PredictingModel& model, Communicator& ranks = alone()) const {
    Workers workers(1);
    TrainingBatches batches(*train_, maker_, {.tokens = 300, .shards = config.shards});
    std::filesystem::create_directories(files_.path(folder));
    Trainer trainer({model, batches, validation_, workers, {}, ranks}, config, files_.path(folder));
    return use(trainer);
  }

  TrainingEnd run(const std::string& folder, const TrainerConfig& config,
                  const TrainerEvents& events = {}) const {
    return with_trainer(folder, config, [&](Trainer& trainer) { return trainer.run(events); });
  }

  // The same on many ranks; all of them must find the same end.
  TrainingEnd run_on(int ranks, const std::string& folder, const TrainerConfig& config,
                     const TrainerEvents& events = {}) const {
    std::vector<TrainingEnd> ends(static_cast<size_t>(ranks));
    run_ranks(ranks, [&](Communicator& communicator) {
      const std::unique_ptr<Model> model = tiny_model();
      const auto run = [&](Trainer& trainer) { return trainer.run(events); };
      ends[static_cast<size_t>(communicator.rank())] =
          with_trainer(folder, config, run, *model, communicator);
    });
    for (const TrainingEnd end : ends) require(end == ends[0], "ranks with different ends");
    return ends[0];
  }

  std::string text(const std::string& file) const { return files_.text(file); }
  std::string weights(const std::string& folder) const {
    return text(folder + "/model.safetensors");
  }
  std::string path(const std::string& name) const { return files_.path(name); }

 private:
  void write(const std::string& name, uint64_t begin, uint64_t end) const {
    CorpusWriter writer(files_.path(name));
    for (uint64_t i = begin; i < end; ++i)
      writer.add(made_up_sentence(i), made_up_sentence(i + 1000));
    writer.commit();
  }

  // Thousands of checkpoints are synced.
  TemporaryFolder files_{fast_folder()};
  std::unique_ptr<CorpusStore> train_, valid_;
  std::shared_ptr<const ExampleMaker> maker_ = std::make_shared<PairExamples>(
      small_vocabulary(), small_vocabulary(), PairExamplesConfig{.max_length = 60});
  std::vector<ValidationBatch> validation_;
};

}  // namespace heed::testing
