// Learning to classify texts, from labelled ones.
#pragma once

#include "heed/runs/training_task.h"

namespace heed {

class ClassificationTask final : public TrainingTask {
 public:
  using TrainingTask::TrainingTask;

  void check() const override;
  void check_files() const override;
  std::string read(const TextFiles& text, const std::filesystem::path& to) const override;
  // Every label is in at least two texts, and there are two of them; held-out texts have no others.
  void check_corpus(const CorpusStore& train, const CorpusStore* valid) const override;
  // Of each label, a text is left to learn from.
  HoldingOut holding_out(const CorpusStore& all) const override;
  LearnerConfig learner(const CorpusSize& size) const override;
  void describe_model(const CorpusStore& train, const Announce& announce) const override;
  void change_model(const CorpusSize& size) const override;
  std::unique_ptr<TaughtModel> open(const CorpusStore& valid) const override;
};

}  // namespace heed
