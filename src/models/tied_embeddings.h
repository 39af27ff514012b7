// Which of a model's embedding tables are shared.
#pragma once

namespace heed {

enum class TiedEmbeddings {
  none,
  decoder,  // the target embedding is the output layer's weight
  all,      // and the source embedding, too: needs a joint vocabulary
};

// The parameter of a Transformer that the decoder looks target tokens up in.
constexpr const char* decoder_table(TiedEmbeddings tied) {
  return tied == TiedEmbeddings::all ? "model.shared.weight" : "model.decoder.embed_tokens.weight";
}

}  // namespace heed
