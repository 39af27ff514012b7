#include "heed/runs/training_curves.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(TrainingCurves, AreDrawnUnderTheirTitle) {
  TrainingHistory history;
  for (int64_t step = 1; step <= 3; ++step) {
    history.steps.push_back({step, 5.0 - static_cast<double>(step), 4.0, 1e-3});
    history.validations.push_back(
        {.step = step, .cross_entropy = 3, .perplexity = 20, .bleu = 10, .chrf = {}});
  }
  const std::string picture = draw_history(history, "en-de");
  EXPECT_TRUE(picture.starts_with("<svg")) << picture.substr(0, 40);
  for (const char* text :
       {"en-de", "Cross-entropy per token", "Perplexity", "BLEU", "Learning rate"})
    EXPECT_NE(picture.find(text), std::string::npos) << text;
}

}  // namespace
}  // namespace heed
