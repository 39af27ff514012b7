#include "heed/runs/training_task.h"

#include "heed/base/error.h"
#include "heed/base/field_text.h"
#include "heed/folders/stored_weights.h"
#include "heed/runs/classification_task.h"
#include "heed/runs/language_task.h"
#include "heed/runs/masked_task.h"
#include "heed/runs/translation_task.h"

namespace heed {

void TaughtModel::save(const std::filesystem::path& folder) {
  save_weights(folder, parameters_of(model()), WeightStorage::float32, seal());
}

WatchedStep TaughtModel::look(int64_t, Workers&) const { fail("training: no sentence is watched"); }

std::unique_ptr<TrainingTask> task_of(const TrainingSettings& settings) {
  switch (settings.task) {
    case Task::translate:
      return std::make_unique<TranslationTask>(settings);
    case Task::language:
      return std::make_unique<LanguageTask>(settings);
    case Task::masked:
      return std::make_unique<MaskedTask>(settings);
    case Task::classify:
      return std::make_unique<ClassificationTask>(settings);
  }
  __builtin_unreachable();
}

void refuse_impossible_settings(const TrainingSettings& settings) {
  check_bounds(settings);
  const int size = settings.vocabulary.size;
  require(size == 0 || size >= smallest_vocabulary,
          "--vocabulary: {} but 0 or at least {} was expected", size, smallest_vocabulary);
  require(!settings.pretrained.empty() || settings.freeze.empty(),
          "--freeze: only parts of a model that is given with --pretrained can stay as they are");
  const auto close = settings.learning.find("keep-close");
  require(!settings.pretrained.empty() || close == settings.learning.end() || close->second == "0",
          "--keep-close: only a model that is given with --pretrained can be kept close");
  task_of(settings)->check();
}

}  // namespace heed
