#include "heed/server/split_job.h"

#include <gtest/gtest.h>

#include <future>

#include "error_of.h"
#include "heed/server/service.h"
#include "small_model.h"
#include "temporary_folder.h"

namespace heed {
namespace {

class SplitJobs : public ::testing::Test {
 protected:
  SplitJobs() : service_({.models = {named_folder(put_pair())}}) { service_.load(); }

  std::string put_pair() const {
    testing::put_model(folder_.path("en-de"), 5, testing::small_config(), testing::short_lengths);
    return folder_.path("en-de");
  }
  TranslationJob translating(std::vector<std::string> texts) const {
    TranslationJob job{.texts = std::move(texts)};
    job.set_path(service_.models()->path({"en", "de"}, false));
    return job;
  }
  // How often `done` was called is checked, too.
  static JobResult result_of(SplitJob job) {
    const auto promise = std::make_shared<std::promise<JobResult>>();
    start_split_job(std::move(job),
                    [promise](JobResult result) { promise->set_value(std::move(result)); });
    return promise->get_future().get();
  }

  testing::TemporaryFolder folder_;
  Service service_;
};

TEST_F(SplitJobs, GiveTheTextsInTheOrderOfTheRequest) {
  const JobResult result =
      result_of({{translating({"ba", "ri"}), {.texts = {"one", "two"}}}, {{1, 3}, {2, 0}}});
  const std::vector<std::string> lines = {"ba", "ri"},
                                 best = Translator::load(folder_.path("en-de")).translate(lines);
  ASSERT_EQ(result.texts.size(), 4);
  EXPECT_EQ(result.texts[0].text, "two");
  EXPECT_EQ(result.texts[1].text, best[0]);
  EXPECT_EQ(result.texts[2].text, "one");
  EXPECT_EQ(result.texts[3].text, best[1]);
}

TEST_F(SplitJobs, OneErrorIsThatOfTheWhole) {
  TranslationJob wrong = translating({"ba"}), late = translating({"ba"});
  wrong.without = {{AttentionPart::cross, 9, 9}};
  late.deadline = std::chrono::steady_clock::now();
  for (const TranslationJob& bad : {wrong, late}) {
    const JobResult result = result_of({{bad, translating({"ri"})}, {{0}, {1}}});
    EXPECT_TRUE(result.error);
    EXPECT_TRUE(result.texts.empty());
  }
}

}  // namespace
}  // namespace heed
