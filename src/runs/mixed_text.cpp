#include "heed/runs/mixed_text.h"

#include <optional>

#include "heed/base/error.h"
#include "heed/base/numbers.h"
#include "heed/base/text.h"

namespace heed {

MixedText mixed_text(const TrainingSettings& settings) {
  if (settings.mix.empty()) return {};
  MixedText text = {settings.mix};
  const std::string last = text.files.back();
  text.files.pop_back();
  const std::optional<double> share = parse_number<double>(last);
  require(share && *share > 0 && *share < 1, ErrorKind::usage,
          "--mix: {} but files and a share between 0 and 1 were expected", quote(last));
  require(!text.files.empty(), ErrorKind::usage, "--mix: files were expected before the share");
  text.share = *share;
  return text;
}

std::vector<std::string> training_texts(const TrainingSettings& settings) {
  std::vector<std::string> files = settings.train;
  const MixedText mixed = mixed_text(settings);
  files.insert(files.end(), mixed.files.begin(), mixed.files.end());
  for (const std::string& notes : {settings.guide, settings.weights, settings.tags})
    if (!notes.empty()) files.push_back(notes);
  return files;
}

std::vector<std::string> validation_texts(const TrainingSettings& settings) {
  std::vector<std::string> files = settings.valid;
  files.insert(files.end(), settings.general.begin(), settings.general.end());
  if (!settings.valid_tags.empty()) files.push_back(settings.valid_tags);
  return files;
}

}  // namespace heed
