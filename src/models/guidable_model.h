// A model of which a head can learn to attend to given links: guided alignment.
#pragma once

#include "heed/attention/head_name.h"

namespace heed {

struct HeadGuide {
  HeadName head;        // of the cross-attention
  double weight = 0.1;  // of what link_loss says, in the loss of a batch
};

class GuidableModel {
 public:
  virtual ~GuidableModel() = default;

  // From now on, the loss of a batch with links depends on what the head attends to. An Error if
  // there is no such head. Not saved with a model.
  virtual void guide(const HeadGuide& guide) = 0;
};

}  // namespace heed
