// What loads, stores and uses models.
#pragma once

#include <memory>

#include "comparable_files.h"
#include "ctranslate2_sample.h"
#include "heed/base/checksum.h"
#include "heed/decoding/scoring.h"
#include "heed/decoding/translator.h"
#include "heed/folders/ctranslate2_folder.h"
#include "memory_sweep.h"
#include "small_model.h"
#include "temporary_folder.h"

namespace heed::testing {

inline std::string description_of(Model& model) {
  std::string text;
  model.visit_parameters({}, [&](const std::string& name, Tensor& value) {
    text += fmt::format("{} {:08x}\n", name, checksum(std::as_bytes(value.span<float>())));
  });
  return text;
}

inline void put_int8_model(const std::string& folder) {
  put_model(folder);
  ModelFolder model = load_model_folder(folder);
  model.storage = WeightStorage::int8;
  save_model_folder(folder, model);
}

using PutModel = std::function<void(const std::string& folder)>;

inline MemoryJob loading(const PutModel& put) {
  const auto folder = std::make_shared<TemporaryFolder>(fast_folder());
  put(folder->path("model"));
  return job_of(
      [folder] { return description_of(*load_model_folder(folder->path("model")).model); });
}

inline MemoryJob loading_float32() {
  return loading([](const std::string& folder) { put_model(folder); });
}
inline MemoryJob loading_int8() { return loading(put_int8_model); }
inline MemoryJob loading_a_recurrent_model() {
  return loading([](const std::string& folder) {
    const int64_t vocabulary = small_vocabulary().size();
    put_model(folder, 5,
              RnnConfig{.source_vocabulary = vocabulary,
                        .target_vocabulary = vocabulary,
                        .embedding = 16,
                        .hidden = 16});
  });
}

inline MemoryJob loading_ctranslate2() {
  const auto folder = std::make_shared<TemporaryFolder>(fast_folder());
  ctranslate2_sample::write_folder(*folder);
  return job_of([folder] {
    const ModelFolder model = read_ctranslate2_folder(folder->path(""));
    return description_of(*model.model) + model.source.bytes() + model.target.bytes();
  });
}

inline MemoryJob storing(WeightStorage storage) {
  const auto folder = std::make_shared<TemporaryFolder>(fast_folder());
  put_model(folder->path("model"));
  const auto model = std::make_shared<ModelFolder>(load_model_folder(folder->path("model")));
  model->storage = storage;
  std::filesystem::create_directory(folder->path("copy"));
  return {.run = [folder, model] { save_model_folder(folder->path("copy"), *model); },
          .result =
              [folder] {
                std::string all;
                for (const auto& [name, bytes] : comparable_files(folder->path("copy")))
                  all += name + bytes;
                return all;
              }};
}
inline MemoryJob storing_float32() { return storing(WeightStorage::float32); }
inline MemoryJob storing_int8() { return storing(WeightStorage::int8); }

inline std::vector<std::string> lines_to_translate() {
  return {made_up_sentence(1), "", made_up_sentence(2), made_up_sentence(3)};
}

inline std::string text_of(const std::vector<std::vector<Translation>>& translations) {
  std::string text;
  for (const std::vector<Translation>& ranked : translations)
    for (const Translation& translation : ranked) {
      text += fmt::format("{}\t{}\t{}\n", translation.text, translation.hypothesis.score,
                          translation.hypothesis.log_probability);
      for (const auto& link : translation.alignment.links())
        text += fmt::format("{}-{} ", link.source, link.target);
    }
  return text;
}

struct Translating {
  TranslatorOptions options = {.threads = 1, .batch_tokens = 30};
  SearchOptions search = {.beam = 3, .n_best = 2, .max_length = 6};
  int models = 1;
  bool load_each_time = false;  // and not before
};

inline MemoryJob translating(const Translating& how) {
  const auto folder = std::make_shared<TemporaryFolder>(fast_folder());
  std::vector<std::filesystem::path> models;
  for (int i = 0; i < how.models; ++i) {
    models.push_back(folder->path(fmt::format("model {}", i)));
    put_model(models.back(), 5 + static_cast<uint64_t>(i));
  }
  using Result = std::vector<std::vector<Translation>>;
  const auto found = std::make_shared<Result>();
  std::shared_ptr<const Translator> loaded;
  if (!how.load_each_time) loaded.reset(new Translator(Translator::load(models, how.options)));
  const auto run = [=] {
    if (loaded) {
      *found = loaded->translate_n_best(lines_to_translate(), how.search);
    } else {
      const Translator translator = Translator::load(models, how.options);
      *found = translator.translate_n_best(lines_to_translate(), how.search);
    }
  };
  return {.run = run,
          .result = [folder, found] { return text_of(*found); },
          .kept_by_threads = few_pieces};
}

inline MemoryJob translating_with_a_beam() { return translating({}); }
inline MemoryJob translating_with_alignment() {
  return translating({.search = {.beam = 2, .max_length = 6, .want_attention = true}});
}
inline MemoryJob translating_by_sampling() {
  return translating(
      {.search = {.n_best = 2, .max_length = 6, .sampling = Sampling{.top_k = 10, .seed = 7}}});
}
inline MemoryJob translating_with_int8() {
  return translating({.options = {.batch_tokens = 30, .precision = Precision::int8}});
}
inline MemoryJob translating_on_two_threads() {
  return translating({.options = {.threads = 2, .batch_tokens = 30}});
}
inline MemoryJob translating_with_two_models() { return translating({.models = 2}); }
inline MemoryJob loading_and_translating_on_three_threads() {
  return translating({.options = {.threads = 3, .batch_tokens = 30}, .load_each_time = true});
}

inline MemoryJob scoring() {
  const auto folder = std::make_shared<TemporaryFolder>(fast_folder());
  put_model(folder->path("model"));
  const auto model = std::make_shared<ModelFolder>(load_model_folder(folder->path("model")));
  const auto workers = std::make_shared<Workers>(2);
  MemoryJob job = job_of([model, workers] {
    const std::vector<std::string> source = {made_up_sentence(1), made_up_sentence(2)},
                                   target = {made_up_sentence(3), made_up_sentence(4)};
    std::string text;
    for (const LineScore& score :
         score_lines(*model->model, model->source, model->target, source, target, *workers))
      text += fmt::format("{} {} {}\n", score.log_probability, score.tokens, score.words.size());
    return text;
  });
  job.kept_by_threads = few_pieces;
  return job;
}

}  // namespace heed::testing
