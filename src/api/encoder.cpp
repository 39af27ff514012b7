// Encoders of the C interface.
#include <algorithm>
#include <mutex>

#include "heed/api/border.h"
#include "heed/api/options.h"
#include "heed/decoding/sentence_vectors.h"
#include "heed/folders/bert_folder.h"

struct heed_encoder {
  heed_encoder(const heed::BertFolder& folder, const heed::SentenceEncoderOptions& options,
               int threads)
      : encoder(*folder.model, folder.pieces, options), workers(threads) {}

  const heed::SentenceEncoder encoder;
  std::mutex mutex;  // for the workers
  heed::Workers workers;
};

namespace heed::api {

namespace {

SentencePooling pooling_of(heed_pooling pooling, const char* function) {
  switch (pooling) {
    case HEED_POOLING_MEAN:
      return SentencePooling::mean;
    case HEED_POOLING_MAX:
      return SentencePooling::max;
    case HEED_POOLING_FIRST:
      return SentencePooling::first;
  }
  fail(ErrorKind::usage, "{}: a pooling of {}, but 0 to 2 were expected", function,
       static_cast<int>(pooling));
}

}  // namespace

}  // namespace heed::api

using heed::api::guarded, heed::api::require_given;

heed_status heed_encoder_load(const char* folder, const heed_encoder_options* options,
                              heed_encoder** encoder) {
  constexpr const char* function = "heed_encoder_load";
  return guarded([&] {
    require_given(folder, function, "the folder");
    require_given(encoder, function, "where to put the encoder");
    const heed_encoder_options given =
        heed::api::read_options(options, heed::api::default_encoder_options(), function);
    const int threads = heed::api::thread_count(given.threads, function);
    const heed::SentencePooling pooling = heed::api::pooling_of(given.pooling, function);
    const heed::BertFolder loaded = heed::load_bert_folder(folder);
    const bool integers = given.int8 != 0 || loaded.storage == heed::WeightStorage::int8;
    *encoder =
        new heed_encoder(loaded,
                         {.pooling = pooling,
                          .precision = integers ? heed::Precision::int8 : heed::Precision::float32},
                         threads);
  });
}

heed_status heed_encoder_free(heed_encoder* encoder) {
  return guarded([&] { delete encoder; });
}

heed_status heed_encoder_width(const heed_encoder* encoder, size_t* width) {
  return guarded([&] {
    require_given(encoder, "heed_encoder_width", "the encoder");
    require_given(width, "heed_encoder_width", "where to put the width");
    *width = static_cast<size_t>(encoder->encoder.width());
  });
}

heed_status heed_embed(heed_encoder* encoder, const char* const* texts, size_t count,
                       float* vectors, int32_t* cut) {
  constexpr const char* function = "heed_embed";
  return guarded([&] {
    require_given(encoder, function, "the encoder");
    const std::vector<std::string> lines = heed::api::texts_of(texts, count, function, "texts");
    heed::require(count == 0 || vectors != nullptr, heed::ErrorKind::usage,
                  "{}: where to put the vectors is NULL", function);
    const std::lock_guard lock(encoder->mutex);
    const std::vector<heed::SentenceVector> found =
        encoder->encoder.encode(lines, encoder->workers);
    for (size_t i = 0; i < count; ++i) {
      vectors = std::ranges::copy(found[i].vector, vectors).out;
      if (cut != nullptr) cut[i] = found[i].cut ? 1 : 0;
    }
  });
}
