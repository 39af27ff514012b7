// What `heed demo` teaches: written dates into ISO dates, character by character.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "heed/base/workers.h"
#include "heed/data/batch.h"
#include "heed/data/dates.h"
#include "heed/data/vocabulary.h"
#include "heed/models/model.h"
#include "heed/training/learner.h"

namespace heed {

class DateLesson {
 public:
  // The seed chooses the dates.
  explicit DateLesson(uint64_t seed);

  const Vocabulary& source() const { return source_; }
  const Vocabulary& target() const { return target_; }

  // Takes `steps` steps, each with new dates, and reports every one to `tell`.
  void teach(Model& model, int64_t steps, double learning_rate, Workers& workers,
             const std::function<void(const StepReport&)>& tell) const;

  // Dates that no lesson has taught.
  std::vector<DatePair> examination(int64_t dates) const;
  // The answer of the model to each of them, by greedy search.
  std::vector<std::string> answers(const Model& model, const std::vector<DatePair>& dates,
                                   Workers& workers) const;

 private:
  std::vector<Batch> step(int64_t number) const;
  TokenBatch read(const std::vector<std::string>& written) const;

  RandomKey key_;
  Vocabulary source_;
  Vocabulary target_;
};

}  // namespace heed
