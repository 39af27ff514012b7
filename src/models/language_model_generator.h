// A language model that is prepared for inference.
#pragma once

#include "heed/models/language_model.h"

namespace heed {

class LanguageModelGenerator final : public Generator {
 public:
  LanguageModelGenerator(const LanguageModel& model, Precision precision);

  std::unique_ptr<Decoder> make_decoder() const override;
  int64_t max_length() const override { return model_.max_length(); }

 private:
  friend class LanguageModelDecoder;

  LanguageModel model_;
  PreparedWeight output_;
  std::shared_ptr<ArenaPool> arenas_ = ArenaPool::make();  // that decoders work in
};

}  // namespace heed
