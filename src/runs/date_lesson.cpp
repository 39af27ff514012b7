#include "heed/runs/date_lesson.h"

#include <algorithm>

#include "heed/data/encoded_examples.h"
#include "heed/data/vocabulary_training.h"
#include "heed/decoding/session.h"

namespace heed {

namespace {

constexpr int shards = 4;
constexpr int64_t dates_per_step = 128;
constexpr int64_t dates_per_search = 64;
enum Purpose : uint64_t { vocabularies, lessons, examinations };

// The characters of enough dates that none is missing.
Vocabulary learn_characters(RandomKey key, std::string DatePair::*side) {
  constexpr int dates = 5000;
  Rng rng(key);
  int left = dates;
  return train_vocabulary({.kind = VocabularyKind::characters}, [&](std::string& sentence) {
    if (left-- == 0) return false;
    sentence = random_date(rng, DateUse::training).*side;
    return true;
  });
}

std::vector<int32_t> with_end(std::vector<int32_t> ids) {
  ids.push_back(Vocabulary::end);
  return ids;
}

}  // namespace

DateLesson::DateLesson(uint64_t seed)
    : key_(make_key(seed)),
      source_(learn_characters(derive_key(key_, vocabularies), &DatePair::written)),
      target_(learn_characters(derive_key(key_, vocabularies), &DatePair::iso)) {}

std::vector<Batch> DateLesson::step(int64_t number) const {
  Rng rng(derive_key(derive_key(key_, lessons), static_cast<uint64_t>(number)));
  EncodedExamples pairs;
  Step all;
  for (uint32_t i = 0; i < dates_per_step; ++i) {
    const DatePair pair = random_date(rng, DateUse::training);
    pairs.add_pair(source_.encode(pair.written), target_.encode(pair.iso));
    all.push_back(i);
  }
  return make_shards(pairs, all, shards);
}

void DateLesson::teach(Model& model, int64_t steps, double learning_rate, Workers& workers,
                       const std::function<void(const StepReport&)>& tell) const {
  const LearnerConfig config{.schedule = {.kind = ScheduleKind::cosine,
                                          .learning_rate = learning_rate,
                                          .warm_up = std::max<int64_t>(steps / 20, 1),
                                          .steps = steps + 1},
                             .label_smoothing = 0.0};
  Learner learner(model, config, shards, workers);
  for (int64_t number = 0; number < steps; ++number) {
    const std::vector<std::vector<Batch>> batches{step(number)};
    tell(learner.learn(batches));
  }
}

std::vector<DatePair> DateLesson::examination(int64_t dates) const {
  Rng rng(derive_key(key_, examinations));
  std::vector<DatePair> pairs;
  for (int64_t i = 0; i < dates; ++i) pairs.push_back(random_date(rng, DateUse::test));
  return pairs;
}

TokenBatch DateLesson::read(const std::vector<std::string>& written) const {
  std::vector<std::vector<int32_t>> sentences;
  for (const std::string& text : written) sentences.push_back(with_end(source_.encode(text)));
  return join_sentences(sentences);
}

std::vector<std::string> DateLesson::answers(const Model& model, const std::vector<DatePair>& dates,
                                             Workers& workers) const {
  const std::shared_ptr<const Generator> generator = model.prepare(Precision::float32);
  std::vector<std::string> answers(dates.size());
  const int64_t count = static_cast<int64_t>(dates.size());
  workers.run((count + dates_per_search - 1) / dates_per_search, [&](int64_t task, int) {
    const auto first = static_cast<size_t>(task * dates_per_search);
    const size_t end = std::min(first + static_cast<size_t>(dates_per_search), dates.size());
    std::vector<std::string> written;
    for (size_t i = first; i < end; ++i) written.push_back(dates[i].written);
    const auto found = search_translations(*generator, read(written),
                                           {target_.start(), Vocabulary::end}, {.beam = 1});
    for (size_t i = first; i < end; ++i) answers[i] = target_.decode(found[i - first].front().ids);
  });
  return answers;
}

}  // namespace heed
