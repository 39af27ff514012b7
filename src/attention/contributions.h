// What follows from a recorded attention of one sequence: how much each key contributes, and how
// much each head and each weight matters to what the pass's gradient is of.
#pragma once

#include <vector>

#include "heed/attention/recorder.h"

namespace heed {

// (heads, queries, keys): ‖gate · weight · f(x)‖ with f(x) = W^O v, where v is the head's value of
// the key and W^O is the part of the output projection that reads this head; f(x) = v where there
// is no W^O (Kobayashi et al., 2020).
Tensor contribution_norms(const RecordedAttention& attention);

// After `backward` of a number y.
struct HeadGradients {
  Tensor weights;  // (heads, queries, keys): ∂y/∂weight; 0 for keys that are not seen
  std::vector<double> gates;  // (heads): ∂y/∂gate
};

// A weight w_qk of a head and its gate g add g w_qk v_k to what W^O reads of query q. With the
// gradient d_q of that, ∂y/∂w_qk = g ⟨d_q, v_k⟩ and ∂y/∂g = Σ_qk w_qk ⟨d_q, v_k⟩. Weights count
// as if they were free: as in PyTorch, they need not sum to 1. `causal`: query q sees the keys up
// to q.
HeadGradients head_gradients(const RecordedAttention& attention, bool causal);

}  // namespace heed
