// Scorers of the C interface.
#include <mutex>

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

constexpr const char* function = "heed_score";

std::vector<std::string> lines_of(const char* const* lines, size_t count, const char* name) {
  require(count == 0 || lines != nullptr, ErrorKind::usage, "{}: the {} are NULL", function, name);
  std::vector<std::string> texts(count);
  for (size_t i = 0; i < count; ++i) {
    require(lines[i] != nullptr, ErrorKind::usage, "{}: line {} of the {} is NULL", function, i,
            name);
    texts[i] = lines[i];
  }
  return texts;
}

}  // namespace

}  // namespace heed::api

using heed::api::guarded, heed::api::require_given;

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
  return guarded([&] {
    require_given(scorer, heed::api::function, "the scorer");
    const std::vector<std::string> source = heed::api::lines_of(sources, count, "sources");
    const std::vector<std::string> target = heed::api::lines_of(targets, count, "targets");
    heed::require(count == 0 || log_probabilities != nullptr, heed::ErrorKind::usage,
                  "{}: where to put the log-probabilities is NULL", heed::api::function);
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
