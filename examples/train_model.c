/* A training run inside of a C program, which ends it when it has seen enough.
 *
 *   train_model SOURCE TARGET FOLDER
 *
 *   cc train_model.c $(pkg-config --cflags --libs heed) */
#include <heed/c.h>
#include <stdio.h>

/* Ends the run once a word costs less than half a nat. */
static int look(void* user, const heed_training_progress* progress) {
  (void)user;
  if (progress->event != HEED_TRAINING_VALIDATION) return 0;
  printf("step %d: cross-entropy %.2f%s\n", (int)progress->step, progress->cross_entropy,
         progress->is_best ? ", the best so far" : "");
  return progress->cross_entropy < 0.5;
}

int main(int count, char** arguments) {
  heed_training* training;
  heed_training_end end;
  int failed;
  if (count != 4) {
    fprintf(stderr, "train_model SOURCE TARGET FOLDER\n");
    return 2;
  }
  failed = heed_training_new(&training) || heed_training_set(training, "train", arguments[1]) ||
           heed_training_set(training, "train", arguments[2]) ||
           heed_training_set(training, "model", arguments[3]) ||
           heed_training_set(training, "time", "5s") ||
           heed_training_run(training, look, NULL, &end);
  if (failed)
    fprintf(stderr, "%s\n", heed_last_error());
  else
    puts(end == HEED_TRAINING_STOPPED ? "good enough" : "the time is spent");
  heed_training_free(training);
  return failed;
}
