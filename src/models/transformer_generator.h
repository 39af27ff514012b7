// A Transformer that is prepared for inference.
#pragma once

#include "heed/models/transformer.h"

namespace heed {

class TransformerGenerator final : public Generator {
 public:
  TransformerGenerator(const Transformer& model, Precision precision);

  std::unique_ptr<Decoder> make_decoder() const override;
  int64_t max_length() const override { return model_.max_length(); }

 private:
  friend class TransformerDecoder;

  Transformer model_;
  PreparedWeight output_;
  Tensor output_table_;  // (vocabulary, width), of which sentences with candidates need some rows
  std::shared_ptr<ArenaPool> arenas_ = ArenaPool::make();  // that decoders work in
};

}  // namespace heed
