// Which of a model's embedding tables are shared.
#pragma once

namespace heed {

enum class TiedEmbeddings {
  none,
  decoder,  // the target embedding is the output layer's weight
  all,      // and the source embedding, too: needs a joint vocabulary
};

}  // namespace heed
