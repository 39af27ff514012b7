// The shortest training run: train_model SOURCE TARGET FOLDER
#include <cstdio>

#include "heed/heed.h"

int main(int count, char** arguments) try {
  if (count != 4) return 2;
  heed::TrainingSettings settings = {.train = {arguments[1], arguments[2]}, .folder = arguments[3]};
  settings.trainer.seconds = 5;
  heed::train(settings, {.validated = [](const heed::Validation& found, const heed::Progress&) {
                std::printf("step %d: perplexity %.2f\n", int(found.step), found.perplexity());
              }});
} catch (const heed::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
