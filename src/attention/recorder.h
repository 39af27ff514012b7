// What the attentions of a pass through a model computed, for those who want to look.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "heed/attention/head_name.h"
#include "heed/autograd/tape.h"

namespace heed {

// One attention of one pass. Its tensors are those of the pass: valid until its tape is cleared.
struct RecordedAttention {
  AttentionPart part = AttentionPart::cross;
  int64_t layer = 1;  // from 1

  // As they were used: (sequences, heads, queries, keys), with zeros beyond each sequence's end.
  Tensor weights = {};

  // Absent for the steps of a decoder.
  Tensor values = {};              // (key tokens, KV heads × head width)
  Tensor output_weight = {};       // W^O: (width, heads × head width); absent where there is none
  std::vector<double> gates = {};  // of the heads; none where all are 1
  std::shared_ptr<Tensor> gradient =
      {};  // (query tokens, heads × head width): after `backward`, that
           // of the heads' outputs, times their gates, as W^O reads them

  double gate(int64_t head) const { return gates.empty() ? 1.0 : gates[static_cast<size_t>(head)]; }
};

// A pass that is given one reports every attention to it, in the order in which it meets them.
class AttentionRecorder {
 public:
  RecordedAttention& add(AttentionPart part, int64_t layer) {
    return attentions_.emplace_back(RecordedAttention{.part = part, .layer = layer});
  }
  const std::deque<RecordedAttention>& attentions() const { return attentions_; }

 private:
  std::deque<RecordedAttention> attentions_;  // which keep their places while more come
};

// Where the attention of a layer, counted from 0, is reported to; null where nobody looks.
inline RecordedAttention* place_for(AttentionRecorder* recorder, AttentionPart part, size_t layer) {
  return recorder == nullptr ? nullptr : &recorder->add(part, static_cast<int64_t>(layer) + 1);
}

// x itself, whose gradient will also be kept in `gradient`.
Variable keep_gradient(const Variable& x, std::shared_ptr<Tensor> gradient);

}  // namespace heed
