/* A language model inside of a C program: continues a text, which is written as it grows, and says
 * how likely the model finds the beginning.
 *
 *   continue_text FOLDER TEXT
 *
 *   cc continue_text.c -lm $(pkg-config --cflags --libs heed) */
#include <heed/c.h>
#include <math.h>
#include <stdio.h>

static int fail(void) {
  fprintf(stderr, "%s\n", heed_last_error());
  return 1;
}

static void write_more(void* user, size_t prompt, const char* text) {
  (void)user, (void)prompt;
  fputs(text, stdout);
  fflush(stdout);
}

static int continue_text(const char* folder, const char* text) {
  heed_generator* generator;
  heed_generate_options options;
  heed_result* result;
  heed_status status;
  if (heed_generator_load(folder, 0, 0, &generator)) return fail();
  heed_generate_options_init(&options, sizeof options);
  options.max_tokens = 60;
  options.on_text = write_more;
  fputs(text, stdout);
  status = heed_generate(generator, &text, 1, &options, &result);
  heed_generator_free(generator);
  if (status) return fail();
  heed_result_free(result);
  puts("");
  return 0;
}

static int score_text(const char* folder, const char* text) {
  heed_scorer* scorer;
  heed_status status;
  double log_probability;
  int64_t tokens;
  if (heed_scorer_load(folder, 0, &scorer)) return fail();
  status = heed_score_text(scorer, &text, 1, &log_probability, &tokens);
  heed_scorer_free(scorer);
  if (status) return fail();
  printf("perplexity of the beginning: %.1f\n", exp(-log_probability / (double)tokens));
  return 0;
}

int main(int count, char** arguments) {
  if (count != 3) {
    fprintf(stderr, "continue_text FOLDER TEXT\n");
    return 2;
  }
  if (continue_text(arguments[1], arguments[2])) return 1;
  return score_text(arguments[1], arguments[2]);
}
