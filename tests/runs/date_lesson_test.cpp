#include "heed/runs/date_lesson.h"

#include <gtest/gtest.h>

#include <set>

#include "heed/models/rnn.h"
#include "tensors.h"

namespace heed {
namespace {

using heed::testing::values_of;

Rnn small_model(const DateLesson& lesson) {
  Rng rng(1);
  return Rnn({.source_vocabulary = lesson.source().size(),
              .target_vocabulary = lesson.target().size(),
              .embedding = 8,
              .hidden = 16},
             rng);
}

TEST(DateLesson, KnowsEveryCharacterThatDatesAreWrittenWith) {
  const DateLesson lesson(1);
  for (int month = 1; month <= 12; ++month)
    for (const int day : {1, 8, 14, 27}) {
      const Date date(std::chrono::year(2024), std::chrono::month(static_cast<unsigned>(month)),
                      std::chrono::day(static_cast<unsigned>(day)));
      for (const std::string& written : ways_to_write(date))
        EXPECT_EQ(lesson.source().decode(lesson.source().encode(written)), written);
      EXPECT_EQ(lesson.target().decode(lesson.target().encode(iso_date(date))), iso_date(date));
    }
}

TEST(DateLesson, ExaminesWithUnseenDates) {
  std::set<std::string> seen;
  for (const DatePair& pair : DateLesson(1).examination(300)) {
    EXPECT_EQ(use_of(parse_iso_date(pair.iso).value()), DateUse::test);
    seen.insert(pair.written);
  }
  EXPECT_GT(seen.size(), 290u);
}

TEST(DateLesson, TeachesTheSameWithAnyNumberOfWorkers) {
  const DateLesson lesson(2);
  const auto taught = [&](int count) {
    Workers workers(count);
    Rnn model = small_model(lesson);
    lesson.teach(model, 3, 1e-2, workers, [](const StepReport&) {});
    std::vector<double> weights;
    for (const Parameter& parameter : parameters_of(model)) {
      const std::vector<double> values = values_of(parameter.value);
      weights.insert(weights.end(), values.begin(), values.end());
    }
    return weights;
  };
  EXPECT_EQ(taught(1), taught(3));
}

TEST(DateLesson, TellsOfEveryStepAndLowersTheLoss) {
  const DateLesson lesson(1);
  Workers workers(2);
  Rnn model = small_model(lesson);
  std::vector<StepReport> reports;
  lesson.teach(model, 60, 1e-2, workers,
               [&](const StepReport& report) { reports.push_back(report); });
  ASSERT_EQ(reports.size(), 60u);
  EXPECT_EQ(reports.back().step, 60);
  EXPECT_LT(reports.back().loss, 0.6 * reports.front().loss);
}

TEST(DateLesson, AnswersEveryDateInItsPlace) {
  const DateLesson lesson(1);
  const Rnn model = small_model(lesson);
  const std::vector<DatePair> dates = lesson.examination(70);
  Workers workers(2), alone(1);
  const std::vector<std::string> answers = lesson.answers(model, dates, workers);
  ASSERT_EQ(answers.size(), dates.size());
  for (const size_t i : {size_t{0}, size_t{63}, size_t{69}})
    EXPECT_EQ(lesson.answers(model, {dates[i]}, alone).front(), answers[i]);
}

}  // namespace
}  // namespace heed
