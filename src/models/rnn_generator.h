// A recurrent encoder–decoder that is prepared for inference.
#pragma once

#include "heed/models/rnn.h"
#include "heed/models/rnn_decoder.h"

namespace heed {

class RnnGenerator final : public Generator {
 public:
  RnnGenerator(const Rnn& model, Precision precision);

  std::unique_ptr<Decoder> make_decoder() const override;

 private:
  RnnSource encode(const TokenBatch& source) const;

  Rnn model_;
  RnnDecoderWeights weights_;
  std::shared_ptr<ArenaPool> arenas_ = ArenaPool::make();  // that encoding works in
};

}  // namespace heed
