// The texts of a request that go different ways, as when each is in a language of its own.
#pragma once

#include <functional>
#include <vector>

#include "heed/server/translation_job.h"

namespace heed {

struct SplitJob {
  std::vector<TranslationJob> parts;
  std::vector<std::vector<size_t>> places;  // of each part's texts among those of the request
};

// As start_job. The result has the texts in the order of the request, or the first error.
void start_split_job(SplitJob job, std::function<void(JobResult)> done);

}  // namespace heed
