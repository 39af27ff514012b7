// Which of a model's tables of words are one and the same.
#pragma once

namespace heed {

enum class TiedEmbeddings {
  none,
  decoder,  // the target embedding is the output layer's weight
  all,      // and the source embedding too: one vocabulary for both sides
};

}  // namespace heed
