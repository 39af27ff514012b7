#include "heed/runs/training_task.h"

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/field_text.h"
#include "heed/base/files.h"
#include "heed/folders/stored_weights.h"
#include "heed/runs/classification_task.h"
#include "heed/runs/guided_head.h"
#include "heed/runs/language_task.h"
#include "heed/runs/masked_task.h"
#include "heed/runs/mixed_text.h"
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
  require(
      settings.adapter == 0 || (settings.task == Task::translate && !settings.pretrained.empty()),
      "--adapter: only a translator that is given with --pretrained can have adapters");
  mixed_text(settings);  // an Error if it is none
  check_guide(settings);
  require(settings.task == Task::translate || settings.weights.empty(), ErrorKind::usage,
          "--weights: only pairs of sentences have weights");
  require(settings.task == Task::translate || settings.tags.empty(), ErrorKind::usage,
          "--tags: only translators read tags");
  require(settings.valid_tags.empty() || (!settings.tags.empty() && !settings.valid.empty()),
          ErrorKind::usage, "--valid-tags: {}",
          settings.tags.empty() ? "there are no --tags that the model learns"
                                : "there is no --valid whose tags they are");
  require(settings.tags.empty() || settings.valid.empty() || !settings.valid_tags.empty(),
          ErrorKind::usage,
          "--tags: the pairs of --valid have tags, too, which --valid-tags names");
  const std::vector<std::string> texts = training_texts(settings);
  require(
      std::ranges::count_if(texts, [](const auto& file) { return is_standard_input(file); }) <= 1,
      "standard input can be read only once, but it was given several times");
  require(settings.task == Task::translate || (settings.mix.empty() && settings.general.empty()),
          "--{}: only translators are trained with other text",
          settings.mix.empty() ? "general" : "mix");
  const auto close = settings.learning.find("keep-close");
  require(!settings.pretrained.empty() || close == settings.learning.end() || close->second == "0",
          "--keep-close: only a model that is given with --pretrained can be kept close");
  const bool kept_close = close != settings.learning.end() && close->second != "0";
  require(settings.adapter == 0 || (settings.freeze.empty() && !kept_close),
          "--{}: with --adapter, all of the pretrained model stays as it is",
          settings.freeze.empty() ? "keep-close" : "freeze");
  task_of(settings)->check();
}

}  // namespace heed
