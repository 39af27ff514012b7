// What a run has watched, without a run.
#pragma once

#include <string>
#include <vector>

#include "heed/runs/attention_watch.h"
#include "small_model.h"
#include "temporary_folder.h"

namespace heed::testing {

// Of a model that depends on the step.
inline WatchedStep watched_step(int64_t step, const std::vector<WatchedSentence>& sentences,
                                const WatchOptions& options = {}, int threads = 1) {
  const TemporaryFolder files;
  CorpusWriter writer(files.path("valid.pairs"));
  for (uint64_t i = 0; i < 4; ++i) writer.add(made_up_sentence(i), made_up_sentence(i + 9));
  writer.commit();
  const CorpusStore validation(files.path("valid.pairs"));
  Rng rng(static_cast<uint64_t>(step));
  const std::unique_ptr<Model> model = make_model(small_config(), rng);
  Workers workers(threads);
  return AttentionWatch(sentences, validation, small_vocabulary(), small_vocabulary(), *model,
                        options)
      .look(*model, step, workers);
}

}  // namespace heed::testing
