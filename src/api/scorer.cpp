// Scorers of the C interface.
#include <mutex>
#include <numeric>

#include "heed/api/border.h"
#include "heed/api/options.h"
#include "heed/decoding/scoring.h"
#include "heed/folders/model_folder.h"

struct heed_scorer {
  heed_scorer(heed::ModelFolder loaded, int threads)
      : folder(std::move(loaded)), workers(threads) {}

  const heed::ModelFolder folder;
  std::mutex mutex;  // for the workers
  heed::Workers workers;
};

namespace heed::api {

namespace {

void require_place(const double* log_probabilities, size_t count, const char* function) {
  require(count == 0 || log_probabilities != nullptr, ErrorKind::usage,
          "{}: where to put the log-probabilities is NULL", function);
}

}  // namespace

}  // namespace heed::api

using heed::api::guarded, heed::api::require_given, heed::api::texts_of;

heed_status heed_scorer_load(const char* folder, int32_t threads, heed_scorer** scorer) {
  return guarded([&] {
    require_given(folder, "heed_scorer_load", "the folder");
    require_given(scorer, "heed_scorer_load", "where to put the scorer");
    const int count = heed::api::thread_count(threads, "heed_scorer_load");
    *scorer = new heed_scorer(heed::load_model_folder(folder), count);
  });
}

heed_status heed_scorer_free(heed_scorer* scorer) {
  return guarded([&] { delete scorer; });
}

heed_status heed_score(heed_scorer* scorer, const char* const* sources, const char* const* targets,
                       size_t count, double* log_probabilities, int64_t* tokens) {
  constexpr const char* function = "heed_score";
  return guarded([&] {
    require_given(scorer, function, "the scorer");
    const std::vector<std::string> source = texts_of(sources, count, function, "sources"),
                                   target = texts_of(targets, count, function, "targets");
    heed::api::require_place(log_probabilities, count, function);
    const std::lock_guard lock(scorer->mutex);
    const heed::ModelFolder& folder = scorer->folder;
    const std::vector<heed::LineScore> scores = heed::score_lines(
        *folder.model, folder.source, folder.target, source, target, scorer->workers);
    for (size_t i = 0; i < count; ++i) {
      log_probabilities[i] = scores[i].log_probability;
      if (tokens != nullptr) tokens[i] = scores[i].tokens;
    }
  });
}

heed_status heed_score_text(heed_scorer* scorer, const char* const* texts, size_t count,
                            double* log_probabilities, int64_t* tokens) {
  constexpr const char* function = "heed_score_text";
  return guarded([&] {
    require_given(scorer, function, "the scorer");
    const std::vector<std::string> lines = texts_of(texts, count, function, "texts");
    heed::api::require_place(log_probabilities, count, function);
    const heed::ModelFolder& folder = scorer->folder;
    heed::require(std::holds_alternative<heed::LanguageModelConfig>(folder.config),
                  heed::ErrorKind::usage,
                  "{}: a model of the kind {}, but a language model was expected", function,
                  name_of(folder.config));
    const std::lock_guard lock(scorer->mutex);
    const std::vector<heed::TextScore> scores =
        heed::score_texts(*folder.model, folder.target, lines, scorer->workers);
    for (size_t i = 0; i < count; ++i) {
      const heed::TokenScores& found = scores[i].tokens;
      log_probabilities[i] = std::accumulate(found.begin(), found.end(), 0.0);
      if (tokens != nullptr) tokens[i] = static_cast<int64_t>(found.size());
    }
  });
}
