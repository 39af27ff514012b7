// Texts as vectors: what an encoder makes of a text's tokens, pooled into one vector of length 1.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/word_pieces.h"
#include "heed/models/encoding_model.h"

namespace heed {

enum class SentencePooling { mean, max, first };  // over all tokens, those of the frame included

struct SentenceVector {
  std::vector<int32_t> ids;   // what the model read
  bool cut = false;           // the text has more tokens than the model reads
  std::vector<float> vector;  // of length 1
};

struct SentenceEncoderOptions {
  SentencePooling pooling = SentencePooling::mean;
  Precision precision = Precision::float32;
};

// A vector is a function of its text: neither other texts nor threads change a bit of it.
class SentenceEncoder {
 public:
  SentenceEncoder(const EncodingModel& model, WordPieces pieces,
                  const SentenceEncoderOptions& options = {});

  // In the order of the texts. An Error if the model's numbers are none.
  std::vector<SentenceVector> encode(std::span<const std::string> texts, Workers& workers) const;

  int64_t width() const { return model_->width(); }
  const WordPieces& pieces() const { return pieces_; }

 private:
  void encode_batch(std::span<SentenceVector> texts) const;

  std::unique_ptr<const EncodingModel> model_;
  WordPieces pieces_;
  SentencePooling pooling_;
  std::shared_ptr<ArenaPool> arenas_ = ArenaPool::make();
};

}  // namespace heed
