// Learning to translate, or any other mapping from text to text, from pairs of sentences.
#pragma once

#include "heed/runs/training_task.h"

namespace heed {

class TranslationTask final : public TrainingTask {
 public:
  using TrainingTask::TrainingTask;

  void check() const override;
  void check_files() const override;
  bool pretrained_has_changed() const override;
  std::string read(const TextFiles& text, const std::filesystem::path& to) const override;
  // Of each tag, a pair is left to learn from.
  HoldingOut holding_out(const CorpusStore& all) const override;
  LearnerConfig learner(const CorpusSize& size) const override;
  void describe_model(const CorpusStore& train, const Announce& announce) const override;
  void describe_corpus(const CorpusStore& train) const override;
  void change_model(const CorpusSize& size) const override;
  std::unique_ptr<TaughtModel> open(const CorpusStore& valid) const override;
};

}  // namespace heed
