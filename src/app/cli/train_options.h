// What `heed train` was asked to do.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "heed/data/training_batches.h"
#include "heed/data/vocabulary_training.h"
#include "heed/models/model_config.h"
#include "heed/training/settings.h"
#include "heed/training/trainer.h"

namespace heed {

struct TrainOptions {
  std::vector<std::string> train, valid;
  std::string format, from, to;  // of the corpus; empty: by the extensions of the files
  std::filesystem::path folder;

  std::string preset;                        // empty: by the size of the corpus
  std::map<std::string, std::string> model;  // settings that override the preset, as text

  VocabularyConfig vocabulary;
  bool separate = false;                      // a vocabulary per side
  std::vector<std::string> vocabulary_files;  // instead of training one

  std::map<std::string, std::string>
      learning;  // training settings that override the preset, as text

  // Alpha of subword sampling, on the source side and on the target side.
  std::optional<double> sampling;
  int64_t batch_tokens = 4096;
  int64_t memory = 0;  // bytes that the batch must fit; 0 for any
  int64_t max_length = 256;
  int64_t held_out = 1000;  // most pairs to hold out if no validation pairs are given
  int64_t max_characters = 5000;

  TrainerConfig trainer;
  int valid_beam = 1;
  int valid_lines = 1000;  // to be translated at each validation; 0 for none
  int samples = 2;

  int threads = 0;  // 0: as many as there are cores
  bool change_settings = false;

  bool operator==(const TrainOptions&) const = default;
};

// "90", "90s", "30m", "1h30m", "2d" -> seconds; "500M", "2G", … -> bytes. Nothing if the text is
// neither.
std::optional<double> parse_duration(std::string_view text);
std::optional<int64_t> parse_bytes(std::string_view text);

}  // namespace heed
