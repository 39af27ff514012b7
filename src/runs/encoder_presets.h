// Sizes of encoders with matching training settings, and where their weights begin.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "heed/data/word_pieces.h"
#include "heed/models/classifier.h"
#include "heed/runs/presets.h"
#include "heed/runs/training_settings.h"

namespace heed {

struct EncoderPreset {
  ClassifierConfig model;  // a masked model has its encoder
  LearnerConfig learner;
};

// The preset that was asked for, or that suits the corpus, with the given settings applied; of a
// pretrained encoder, its sizes. An Error names a setting that does not fit.
EncoderPreset chosen_encoder(const TrainingSettings& settings, const CorpusSize& size);

// An Error for settings that cannot work with any corpus, or that only other tasks have.
void check_encoder_settings(const TrainingSettings& settings);

// An Error if the pretrained model, if any, cannot be read or does not fit the settings.
void check_pretrained(const TrainingSettings& settings);

// Those of the pretrained model, or of the given file; otherwise learned from the sentences.
WordPieces encoder_pieces(const TrainingSettings& settings, const SentenceSource& sentences,
                          const std::function<void(const std::string&)>& announce);

// Puts the pretrained weights, if any, into an encoder with the same sizes.
void load_pretrained(const TrainingSettings& settings, Bert& encoder);

}  // namespace heed
