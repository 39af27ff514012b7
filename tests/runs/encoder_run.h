// Settings of runs that train small encoders and take about a second.
#pragma once

#include <string>

#include "heed/runs/training_settings.h"
#include "temporary_folder.h"

namespace heed::testing {

// Questions about places and about numbers, each told by its words.
inline std::string labelled_lines(int texts, int first = 0) {
  const char* places[] = {"where is the river", "in which town does he live", "where do we go"};
  const char* numbers[] = {"how many men are there", "how much is a horse", "what does it weigh"};
  std::string lines;
  for (int i = first; i < first + texts; ++i)
    lines += (i % 2 == 0 ? std::string("place\t") + places[i / 2 % 3]
                         : std::string("number\t") + numbers[i / 2 % 3]) +
             (i % 5 == 0 ? " today ?" : " ?") + "\n";
  return lines;
}

class EncoderRun {
 public:
  explicit EncoderRun(Task task) {
    settings.task = task;
    files_.put("train.tsv", labelled_lines(60));
    files_.put("valid.tsv", labelled_lines(12, 1));
    settings.train = {path("train.tsv")};
    settings.valid = {path("valid.tsv")};
    settings.folder = path("model");
    settings.model = {{"layers", "1"}, {"width", "16"}, {"ffn", "32"}, {"heads", "2"}};
    settings.learning = {{"learning-rate", "0.01"}, {"warm-up", "10"}};
    settings.batch_tokens = 256;
    settings.documents = DocumentEnd::line;
    settings.trainer.steps = 12;
    settings.trainer.validate_every = 5;
    settings.threads = 1;
  }

  std::string path(const std::string& name) const { return files_.path(name); }
  void put(const std::string& name, const std::string& text) const { files_.put(name, text); }

  TrainingSettings settings;

 private:
  TemporaryFolder files_;
};

}  // namespace heed::testing
