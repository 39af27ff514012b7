/* A translator inside of a C program: translates what it is told, and shows which word of the
 * source each word of the translation looked at.
 *
 *   translate_text FOLDER LINE...
 *
 *   cc translate_text.c $(pkg-config --cflags --libs heed) */
#include <heed/c.h>
#include <stdio.h>

static int fail(void) {
  fprintf(stderr, "%s\n", heed_last_error());
  return 1;
}

static int show(const heed_result* result, size_t line, const char* source) {
  size_t translations, count, i;
  const char* text;
  double score;
  const heed_link* links;
  if (heed_result_count(result, line, &translations)) return fail();
  if (translations == 0) return 0; /* an empty line */
  if (heed_result_text(result, line, 0, &text)) return fail();
  if (heed_result_score(result, line, 0, &score)) return fail();
  if (heed_result_links(result, line, 0, &links, &count)) return fail();
  printf("%s -> %s (score %.2f; looked at", source, text, score);
  for (i = 0; i < count; ++i) printf(" %d-%d", (int)links[i].source, (int)links[i].target);
  printf(")\n");
  return 0;
}

static int translate(heed_translator* translator, const char* const* lines, size_t count) {
  heed_translate_options options;
  heed_result* result;
  size_t line;
  int failed = 0;
  if (heed_translate_options_init(&options, sizeof options)) return fail();
  options.beam = 4;
  options.attention = 1;
  if (heed_translate(translator, lines, NULL, count, &options, &result)) return fail();
  for (line = 0; line < count && !failed; ++line) failed = show(result, line, lines[line]);
  heed_result_free(result);
  return failed;
}

int main(int count, char** arguments) {
  heed_translator* translator;
  int failed;
  if (count < 3) {
    fprintf(stderr, "translate_text FOLDER LINE...\n");
    return 2;
  }
  if (heed_translator_load(arguments[1], NULL, &translator)) return fail();
  failed = translate(translator, (const char* const*)arguments + 2, (size_t)count - 2);
  heed_translator_free(translator);
  return failed;
}
