/* The C interface of heed: train, translate, generate, score, embed, and attend over arrays of your
 * own.
 *
 * Every function returns a heed_status, but for the few that say otherwise. On failure it leaves
 * its results untouched (handles stay what they were), and heed_last_error() has a sentence about
 * it. No exception crosses this border.
 *
 * Text is UTF-8 that ends with a zero byte; what is not UTF-8 becomes U+FFFD. Arrays lie row by
 * row, the last axis innermost.
 *
 * Threads: any number of threads may use one translator, generator, scorer or encoder at once. A
 * result may be read by any number of threads. Only freeing a handle needs care: nothing else may
 * use it then.
 *
 * Options are structs that may grow at their ends. Fill them by their _init function, which gets
 * sizeof the struct as your program was compiled with it; then change what you want. NULL stands
 * for options as _init sets them. */
#ifndef HEED_C_H
#define HEED_C_H

/* NOLINTBEGIN(modernize-use-using,readability-identifier-naming): this is C */

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__)
#define HEED_API __attribute__((visibility("default")))
#else
#define HEED_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum heed_status {
  HEED_OK = 0,
  HEED_USAGE = 1,     /* an argument or an option that cannot be, such as NULL or a beam of -1 */
  HEED_INPUT = 2,     /* text or numbers that cannot be used */
  HEED_MODEL = 3,     /* a model folder that is damaged, or none that heed can read */
  HEED_SYSTEM = 4,    /* what the system refused, such as to open a file or to start a thread */
  HEED_CANCELLED = 5, /* given up by heed_request_cancel, or since the translator was freed */
  HEED_DEADLINE = 6,  /* not done in time */
  HEED_NO_MEMORY = 7,
  HEED_INTERNAL = 8 /* a mistake of heed's own: please report it */
} heed_status;

/* "0.1.0": of the library that is running. Never NULL. */
HEED_API const char* heed_version(void);

/* "usage" for HEED_USAGE, and so on; "unknown" for any other number. Never NULL. */
HEED_API const char* heed_status_name(heed_status status);

/* What the last function that failed on this thread has to say: one sentence. "" if none has.
 * Never NULL. It stays until the next function fails on this thread. */
HEED_API const char* heed_last_error(void);

/* ---- Translating --------------------------------------------------------------------------- */

typedef struct heed_translator heed_translator;
typedef struct heed_result heed_result;
typedef struct heed_request heed_request;

typedef struct heed_translator_options {
  size_t size;     /* of this struct */
  int32_t threads; /* that translate; 0, if not given, for all cores */
  int32_t int8;    /* 1 to compute with 8-bit integers: less memory and time, nearly as good */
} heed_translator_options;

HEED_API heed_status heed_translator_options_init(heed_translator_options* options, size_t size);

/* Loads a model's folder, as `heed train` and `heed convert` write it, or as another tool does. */
HEED_API heed_status heed_translator_load(const char* folder,
                                          const heed_translator_options* options,
                                          heed_translator** translator);

/* Gives up what is not done: callbacks that are still due are called, with HEED_CANCELLED, before
 * this returns. Must not be called from a callback of this translator (HEED_USAGE). NULL is left
 * alone. */
HEED_API heed_status heed_translator_free(heed_translator* translator);

typedef struct heed_translate_options {
  size_t size;           /* of this struct */
  int64_t min_length;    /* tokens of a translation, without its end; 1 if not given */
  int64_t max_length;    /* tokens of a translation; 0, if not given, for the model's own limit */
  double length_penalty; /* translations compete by log-probability / length^penalty; below 0, if
                            not given, for the model's own, or 1 */
  double repetition_penalty; /* above 1, what was said becomes less likely; 1 */
  double temperature;        /* of samples: below 1 the likely get likelier; 1 */
  double top_p;   /* samples are drawn among the likeliest with this total probability; 1 */
  double timeout; /* seconds after which the request is given up with HEED_DEADLINE; 0: never */
  uint64_t seed;  /* of samples; 1 */
  int32_t beam;   /* hypotheses that are followed; 0, if not given, for the model's own, or 5 */
  int32_t n_best; /* translations of each line: at most `beam`, or any number of samples; 1 */
  int32_t no_repeat_ngram; /* tokens in a row that never come twice; 0, if not given, for any */
  int32_t sampling;        /* 1 to draw tokens at random instead of searching for the likeliest */
  int32_t top_k;           /* samples are drawn among so many likeliest tokens; 0 for all */
  int32_t attention;       /* 1 to keep the attention weights and the links between words */
  const char* tag;         /* one of the model's tags, such as a domain; NULL or "" for none */
} heed_translate_options;

HEED_API heed_status heed_translate_options_init(heed_translate_options* options, size_t size);

/* Translates lines and waits for them. `prefixes`, if not NULL, has a text for each line that its
 * translations begin with; each may be NULL. Lines of all callers share the translator's threads,
 * but a line's translation never depends on other lines. If a line fails, so does the call. Must
 * not be called from a callback of this translator (HEED_USAGE). Free the result with
 * heed_result_free. */
HEED_API heed_status heed_translate(heed_translator* translator, const char* const* lines,
                                    const char* const* prefixes, size_t count,
                                    const heed_translate_options* options, heed_result** result);

/* What becomes of an asynchronous request. With HEED_OK the result is the callback's, to be freed
 * with heed_result_free. Otherwise it is NULL, and `error` is a sentence, which is gone when the
 * callback returns. It must return normally: no longjmp, no exception. */
typedef void (*heed_done)(void* user, heed_status status, const char* error, heed_result* result);

/* The same without waiting. If and only if this returns HEED_OK, `done` is called once with
 * `user`: by one of the translator's threads, or by this thread before the function returns.
 * Texts and options may go as soon as it returns. `request`, if not NULL, gets a handle for
 * heed_request_cancel, to be freed with heed_request_free before or after the callback. */
HEED_API heed_status heed_translate_async(heed_translator* translator, const char* const* lines,
                                          const char* const* prefixes, size_t count,
                                          const heed_translate_options* options, heed_done done,
                                          void* user, heed_request** request);

/* Asks to give the request up; its callback gets HEED_CANCELLED, unless it is done already. Returns
 * at once. */
HEED_API heed_status heed_request_cancel(heed_request* request);

/* Frees the handle; the request itself goes on. NULL is left alone. */
HEED_API heed_status heed_request_free(heed_request* request);

/* ---- Generating ---------------------------------------------------------------------------- */

typedef struct heed_generator heed_generator;

/* Loads the folder of a language model; 0 threads for all cores, int8 1 to compute with 8-bit
 * integers. */
HEED_API heed_status heed_generator_load(const char* folder, int32_t threads, int32_t int8,
                                         heed_generator** generator);

/* NULL is left alone. */
HEED_API heed_status heed_generator_free(heed_generator* generator);

/* Gets the text of a prompt's first sample as it grows, in whole characters; prompts count from 0.
 * The text is gone when the callback returns. It must return normally, and must not use the
 * generator. */
typedef void (*heed_text_callback)(void* user, size_t prompt, const char* text);

typedef struct heed_generate_options {
  size_t size;        /* of this struct */
  int64_t max_tokens; /* of a continuation; 0, if not given, for as many as the context holds */
  double temperature; /* of samples: below 1 the likely get likelier; 1 */
  double top_p;       /* samples are drawn among the likeliest with this probability; 1 */
  double timeout;     /* seconds after which all is given up with HEED_DEADLINE; 0: never */
  uint64_t seed;      /* of samples; 1 */
  const char* const* stops; /* texts that end a continuation and are no part of it; may be NULL */
  size_t stop_count;
  heed_text_callback on_text; /* not with a beam; NULL, if not given, for none */
  void* user;                 /* what the callback gets */
  int32_t samples;            /* of each prompt; 1 */
  int32_t beam;               /* hypotheses that are followed; 1 takes the likeliest token */
  int32_t sampling;           /* 1 to draw tokens at random */
  int32_t top_k;              /* samples are drawn among so many likeliest tokens; 0 for all */
} heed_generate_options;

HEED_API heed_status heed_generate_options_init(heed_generate_options* options, size_t size);

/* Continues texts, and waits until all are done. The result has a line for each prompt, and as many
 * continuations of it as there are samples, in place of translations: their texts,
 * log-probabilities and, as the score, the log-probability per token. A continuation never depends
 * on other prompts. If a prompt fails, such as one that is empty or fills the context, so does the
 * call. */
HEED_API heed_status heed_generate(heed_generator* generator, const char* const* prompts,
                                   size_t count, const heed_generate_options* options,
                                   heed_result** result);

/* ---- Results ------------------------------------------------------------------------------- */
/* Lines and ranks count from 0; rank 0 is the best. Pointers are valid as long as the result. */

/* NULL is left alone. */
HEED_API heed_status heed_result_free(heed_result* result);

HEED_API heed_status heed_result_lines(const heed_result* result, size_t* lines);

/* Translations of a line: n_best, or fewer if so few were found. None for a line without words. */
HEED_API heed_status heed_result_count(const heed_result* result, size_t line,
                                       size_t* translations);

HEED_API heed_status heed_result_text(const heed_result* result, size_t line, size_t rank,
                                      const char** text);

/* What translations compete by: log-probability / length^penalty. */
HEED_API heed_status heed_result_score(const heed_result* result, size_t line, size_t rank,
                                       double* score);

/* The natural logarithm of the translation's probability, its end included. */
HEED_API heed_status heed_result_log_probability(const heed_result* result, size_t line,
                                                 size_t rank, double* log_probability);

/* Words count from 0. */
typedef struct heed_link {
  int64_t source;
  int64_t target;
} heed_link;

/* For each word of the translation the source word that it looked at most. None, and NULL, if the
 * attention was not asked for. */
HEED_API heed_status heed_result_links(const heed_result* result, size_t line, size_t rank,
                                       const heed_link** links, size_t* count);

/* weights[target * source_words + source]: how much of its attention a word of the translation gave
 * to a word of the source. What went to the sentence's end is left out, so rows sum to at most 1.
 * NULL and no words if the attention was not asked for, or if the line was translated in parts. */
HEED_API heed_status heed_result_word_weights(const heed_result* result, size_t line, size_t rank,
                                              const float** weights, size_t* target_words,
                                              size_t* source_words);

/* The same for the tokens that the model works with; the last of the source is the sentence's end.
 * Also NULL for a line that was too long for the model and was translated in parts. */
HEED_API heed_status heed_result_token_weights(const heed_result* result, size_t line, size_t rank,
                                               const float** weights, size_t* target_tokens,
                                               size_t* source_tokens);

/* ---- Scoring ------------------------------------------------------------------------------- */

typedef struct heed_scorer heed_scorer;

/* Loads a model's folder to score with; 0 threads for all cores. It holds the weights as they were
 * trained, apart from those of any translator. */
HEED_API heed_status heed_scorer_load(const char* folder, int32_t threads, heed_scorer** scorer);

/* NULL is left alone. */
HEED_API heed_status heed_scorer_free(heed_scorer* scorer);

/* log_probabilities[i]: the natural logarithm of the probability that the model gives targets[i],
 * its end included, as a translation of sources[i]. tokens[i], unless NULL: the tokens of
 * targets[i] with its end, as exp(-log_probability / tokens) is the perplexity. Calls on one scorer
 * take turns. */
HEED_API heed_status heed_score(heed_scorer* scorer, const char* const* sources,
                                const char* const* targets, size_t count, double* log_probabilities,
                                int64_t* tokens);

/* The same for texts by themselves, with a language model: the sum over the tokens of texts[i],
 * each given those before it. There is no end. */
HEED_API heed_status heed_score_text(heed_scorer* scorer, const char* const* texts, size_t count,
                                     double* log_probabilities, int64_t* tokens);

/* ---- Embedding ----------------------------------------------------------------------------- */

typedef struct heed_encoder heed_encoder;

typedef enum heed_pooling {
  HEED_POOLING_MEAN = 0, /* over the tokens of a text */
  HEED_POOLING_MAX = 1,
  HEED_POOLING_FIRST = 2 /* the first token, [CLS] */
} heed_pooling;

typedef struct heed_encoder_options {
  size_t size;          /* of this struct */
  int32_t threads;      /* 0, if not given, for all cores */
  int32_t int8;         /* 1 to compute with 8-bit integers */
  heed_pooling pooling; /* how tokens become one vector; the mean if not given */
} heed_encoder_options;

HEED_API heed_status heed_encoder_options_init(heed_encoder_options* options, size_t size);

/* Loads the folder of an encoder such as BERT. */
HEED_API heed_status heed_encoder_load(const char* folder, const heed_encoder_options* options,
                                       heed_encoder** encoder);

/* NULL is left alone. */
HEED_API heed_status heed_encoder_free(heed_encoder* encoder);

/* The numbers of a vector. */
HEED_API heed_status heed_encoder_width(const heed_encoder* encoder, size_t* width);

/* vectors (count, width): one of length 1 for each text, so that the dot product of two tells how
 * alike their texts are. A text that is longer than the model reads loses its end; cut[i], unless
 * cut is NULL, says so with 1. Calls on one encoder take turns. */
HEED_API heed_status heed_embed(heed_encoder* encoder, const char* const* texts, size_t count,
                                float* vectors, int32_t* cut);

/* ---- Attention ----------------------------------------------------------------------------- */

/* Scaled dot-product attention over arrays of the caller. */
typedef struct heed_attention {
  size_t size;                  /* of this struct */
  const float* queries;         /* (batch, query_count, heads * width) */
  const float* keys;            /* (batch, key_count, heads * width) */
  const float* values;          /* (batch, key_count, heads * value_width) */
  const int64_t* valid_lengths; /* (batch): keys from there on are not seen; NULL for no limit */
  int64_t batch;                /* 1 if not given */
  int64_t query_count;          /* at least 1, like all sizes */
  int64_t key_count;
  int64_t width;
  int64_t value_width;
  int64_t heads;  /* each sees its own part of every row; 1 if not given */
  int32_t causal; /* 1: query i sees keys 0 to i only */
} heed_attention;

HEED_API heed_status heed_attention_init(heed_attention* attention, size_t size);

/* output (batch, query_count, heads * value_width): for each query the sum of the values, weighted
 * by softmax(q·k / sqrt(width)) over the keys that it sees; zeros if it sees none. weights, unless
 * NULL, gets these: (batch, heads, query_count, key_count). */
HEED_API heed_status heed_attend(const heed_attention* attention, float* output, float* weights);

/* ---- Training ------------------------------------------------------------------------------ */

typedef struct heed_training heed_training;

/* A training run that nothing is known of yet. */
HEED_API heed_status heed_training_new(heed_training** training);

/* NULL is left alone. Not while the run is going on. */
HEED_API heed_status heed_training_free(heed_training* training);

/* Names and values are those of the flags of `heed train`, without "--": "train" (a file; each call
 * adds one), "model" (the folder), and whatever else, such as "preset" or "time". */
HEED_API heed_status heed_training_set(heed_training* training, const char* name,
                                       const char* value);

typedef enum heed_training_event {
  HEED_TRAINING_STEP = 1,
  HEED_TRAINING_VALIDATION = 2
} heed_training_event;

/* What a callback is told. Numbers of the other event are 0. */
typedef struct heed_training_progress {
  size_t size; /* of this struct, as the library knows it */
  int64_t step;
  int64_t epoch;         /* that is going on, from 1 */
  int64_t source_tokens; /* read since the run began */
  int64_t target_tokens; /* likewise */
  double seconds;        /* of training since the run began, without validation */
  double loss;           /* of a step, per target token, as it is minimised */
  double cross_entropy;  /* per target token, in nats: of a step, or of the validation text */
  double learning_rate;  /* of a step */
  double gradient_norm;  /* of a step, before clipping */
  double bleu;           /* of a validation that translates */
  double chrf;           /* likewise */
  heed_training_event event;
  int32_t is_best; /* 1 for a validation better than all before: its model is in the folder */
} heed_training_progress;

/* Called on the thread that trains. Anything but 0 ends the run after the step. It must return
 * normally: no longjmp, no exception. */
typedef int (*heed_training_callback)(void* user, const heed_training_progress* progress);

typedef enum heed_training_end {
  HEED_TRAINING_BUDGET = 0,   /* the steps, epochs or time that were given are spent */
  HEED_TRAINING_PATIENCE = 1, /* validations stopped getting better */
  HEED_TRAINING_STOPPED = 2,  /* by the callback; the same settings continue the run */
  HEED_TRAINING_FINISHED_BEFORE = 3
} heed_training_end;

/* Trains until the run ends; the best model is then in its folder. The same settings continue a run
 * that was stopped or killed, and it ends with the same bytes as if nothing had happened. The
 * callback and `end` may be NULL. One call at a time for each heed_training. */
HEED_API heed_status heed_training_run(heed_training* training, heed_training_callback callback,
                                       void* user, heed_training_end* end);

#ifdef __cplusplus
}
#endif

/* NOLINTEND(modernize-use-using,readability-identifier-naming) */

#endif
