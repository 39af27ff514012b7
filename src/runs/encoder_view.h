// What an encoder alone attends to in a text.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "heed/data/word_pieces.h"
#include "heed/models/encoding_model.h"
#include "heed/runs/attention_view.h"

namespace heed {

class EncoderViewer final : public LineViewer {
 public:
  // An Error if the model does not have the heads that are to be switched off.
  EncoderViewer(const EncodingModel& model, WordPieces pieces, const ViewOptions& options = {});

  HeadCounts head_counts() const override { return model_->head_counts(); }
  std::vector<AttentionView> find(const std::string& line, size_t number = 1) const override;

 private:
  std::unique_ptr<EncodingModel> model_;
  WordPieces pieces_;
  int64_t max_length_;
  bool norms_;
};

}  // namespace heed
