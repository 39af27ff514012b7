#include "heed/api/options.h"

#include <algorithm>
#include <cmath>

#include "heed/base/workers.h"

namespace heed::api {

heed_translator_options default_translator_options() {
  return {.size = sizeof(heed_translator_options), .threads = 0, .int8 = 0};
}

heed_translate_options default_translate_options() {
  const SearchOptions search;
  const Sampling sampling;
  return {.size = sizeof(heed_translate_options),
          .min_length = search.min_length,
          .max_length = 0,
          .length_penalty = -1,
          .repetition_penalty = search.repetition_penalty,
          .temperature = sampling.temperature,
          .top_p = sampling.top_p,
          .timeout = 0,
          .seed = sampling.seed,
          .beam = 0,
          .n_best = search.n_best,
          .no_repeat_ngram = search.no_repeat_ngram,
          .sampling = 0,
          .top_k = sampling.top_k,
          .attention = 0,
          .tag = nullptr};
}

int thread_count(int32_t threads, const char* function) {
  constexpr int32_t most = 1024;
  require(threads >= 0 && threads <= most, ErrorKind::usage,
          "{}: {} threads, but 0 to {} were expected", function, threads, most);
  return threads == 0 ? core_count() : threads;
}

SearchOptions search_options(const heed_translate_options& options,
                             const SearchDefaults& defaults) {
  const SearchOptions usual = usual_search(defaults);
  const bool own_beam = options.beam == 0, own_penalty = options.length_penalty < 0;
  SearchOptions search = {
      .beam = own_beam ? std::max(usual.beam, options.n_best) : options.beam,
      .n_best = options.n_best,
      .length_penalty = own_penalty ? usual.length_penalty : options.length_penalty,
      .min_length = options.min_length,
      .no_repeat_ngram = options.no_repeat_ngram,
      .repetition_penalty = options.repetition_penalty,
      .want_attention = options.attention != 0};
  if (options.max_length != 0) search.max_length = options.max_length;
  if (options.sampling != 0)
    search.sampling = Sampling{.temperature = options.temperature,
                               .top_k = options.top_k,
                               .top_p = options.top_p,
                               .seed = options.seed};
  return search;
}

heed_generate_options default_generate_options() {
  const GenerationOptions generation;
  const Sampling sampling;
  return {.size = sizeof(heed_generate_options),
          .max_tokens = 0,
          .temperature = sampling.temperature,
          .top_p = sampling.top_p,
          .timeout = 0,
          .seed = sampling.seed,
          .stops = nullptr,
          .stop_count = 0,
          .on_text = nullptr,
          .user = nullptr,
          .samples = generation.samples,
          .beam = generation.beam,
          .sampling = 0,
          .top_k = sampling.top_k};
}

heed_encoder_options default_encoder_options() {
  return {
      .size = sizeof(heed_encoder_options), .threads = 0, .int8 = 0, .pooling = HEED_POOLING_MEAN};
}

GenerationOptions generation_options(const heed_generate_options& options) {
  GenerationOptions generation = {
      .samples = options.samples,
      .beam = options.beam,
      .stops = texts_of(options.stops, options.stop_count, "heed_generate", "stop texts")};
  if (options.max_tokens != 0) generation.max_tokens = options.max_tokens;
  if (options.sampling != 0)
    generation.sampling = Sampling{.temperature = options.temperature,
                                   .top_k = options.top_k,
                                   .top_p = options.top_p,
                                   .seed = options.seed};
  return generation;
}

Deadline deadline_in(double seconds, const char* function) {
  require(std::isfinite(seconds) && seconds >= 0, ErrorKind::usage,
          "{}: a timeout of {} seconds, but it must be 0 or more", function, seconds);
  constexpr double longest = 1e9;  // a lifetime; the clock could not count much further
  if (seconds == 0 || seconds > longest) return {};
  return std::chrono::steady_clock::now() +
         std::chrono::duration_cast<std::chrono::steady_clock::duration>(
             std::chrono::duration<double>(seconds));
}

}  // namespace heed::api

heed_status heed_translator_options_init(heed_translator_options* options, size_t size) {
  return heed::api::guarded([&] {
    heed::api::init_options(options, size, heed::api::default_translator_options(),
                            "heed_translator_options_init");
  });
}

heed_status heed_translate_options_init(heed_translate_options* options, size_t size) {
  return heed::api::guarded([&] {
    heed::api::init_options(options, size, heed::api::default_translate_options(),
                            "heed_translate_options_init");
  });
}

heed_status heed_generate_options_init(heed_generate_options* options, size_t size) {
  return heed::api::guarded([&] {
    heed::api::init_options(options, size, heed::api::default_generate_options(),
                            "heed_generate_options_init");
  });
}

heed_status heed_encoder_options_init(heed_encoder_options* options, size_t size) {
  return heed::api::guarded([&] {
    heed::api::init_options(options, size, heed::api::default_encoder_options(),
                            "heed_encoder_options_init");
  });
}
