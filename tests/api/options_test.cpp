#include "heed/api/options.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <limits>

#include "c_model.h"

namespace heed::api {
namespace {

using testing::expect_refused;

// Programs were compiled with these places: they may be added to, but never change.
static_assert(sizeof(void*) != 8 || (sizeof(heed_translator_options) == 16 &&
                                     offsetof(heed_translator_options, threads) == 8 &&
                                     offsetof(heed_translator_options, int8) == 12));
static_assert(sizeof(void*) != 8 || (sizeof(heed_translate_options) == 104 &&
                                     offsetof(heed_translate_options, min_length) == 8 &&
                                     offsetof(heed_translate_options, length_penalty) == 24 &&
                                     offsetof(heed_translate_options, timeout) == 56 &&
                                     offsetof(heed_translate_options, seed) == 64 &&
                                     offsetof(heed_translate_options, beam) == 72 &&
                                     offsetof(heed_translate_options, attention) == 92 &&
                                     offsetof(heed_translate_options, tag) == 96));
static_assert(sizeof(void*) != 8 ||
              (sizeof(heed_attention) == 96 && offsetof(heed_attention, valid_lengths) == 32 &&
               offsetof(heed_attention, batch) == 40 && offsetof(heed_attention, causal) == 88));
static_assert(sizeof(void*) != 8 || (sizeof(heed_training_progress) == 104 &&
                                     offsetof(heed_training_progress, seconds) == 40 &&
                                     offsetof(heed_training_progress, event) == 96));
static_assert(sizeof(void*) != 8 || (sizeof(heed_generate_options) == 96 &&
                                     offsetof(heed_generate_options, max_tokens) == 8 &&
                                     offsetof(heed_generate_options, seed) == 40 &&
                                     offsetof(heed_generate_options, on_text) == 64 &&
                                     offsetof(heed_generate_options, samples) == 80 &&
                                     offsetof(heed_generate_options, top_k) == 92));
static_assert(sizeof(void*) != 8 ||
              (sizeof(heed_encoder_options) == 24 && offsetof(heed_encoder_options, threads) == 8 &&
               offsetof(heed_encoder_options, pooling) == 16));
static_assert(sizeof(heed_pooling) == 4 && HEED_POOLING_FIRST == 2);
static_assert(sizeof(heed_link) == 16 && sizeof(heed_status) == 4 && HEED_INTERNAL == 8);

TEST(COptions, BeginAsTheOptionsOfTheLibrary) {
  heed_translate_options options;
  ASSERT_EQ(heed_translate_options_init(&options, sizeof options), HEED_OK);
  EXPECT_EQ(options.size, sizeof options);
  EXPECT_EQ(options.n_best, 1);
  EXPECT_EQ(options.top_p, 1);
  const SearchOptions search = search_options(options, {});
  EXPECT_NO_THROW(check(search));
  EXPECT_EQ(search.beam, 5);
  EXPECT_EQ(search.length_penalty, 1);
  EXPECT_FALSE(search.sampling);
  EXPECT_FALSE(search.max_length);
  EXPECT_FALSE(deadline_in(options.timeout, "heed_translate"));
}

TEST(COptions, AProgramThatKnowsFewerFieldsGetsTheOthersAsTheyAre) {
  struct Older {
    size_t size;
    int64_t min_length;
    char after[8] = {7, 7, 7, 7, 7, 7, 7, 7};
  } older;
  auto* const seen = reinterpret_cast<heed_translate_options*>(&older);
  ASSERT_EQ(heed_translate_options_init(seen, offsetof(Older, after)), HEED_OK);
  EXPECT_EQ(older.min_length, 1);
  for (const char byte : older.after) EXPECT_EQ(byte, 7);
  older.min_length = 3;
  const heed_translate_options read = read_options(seen, default_translate_options(), "test");
  EXPECT_EQ(read.min_length, 3);
  EXPECT_EQ(read.n_best, 1);
}

TEST(COptions, AModelIsSearchedAsItsMakersDidUnlessTold) {
  const SearchDefaults own = {.beam = 2, .length_penalty = 0.6};
  heed_translate_options options = default_translate_options();
  EXPECT_EQ(search_options(options, own).beam, 2);
  EXPECT_EQ(search_options(options, own).length_penalty, 0.6);
  options.n_best = 3;
  EXPECT_EQ(search_options(options, own).beam, 3);
  options.beam = 4;
  options.length_penalty = 0;
  EXPECT_EQ(search_options(options, own).beam, 4);
  EXPECT_EQ(search_options(options, own).length_penalty, 0);
}

TEST(COptions, RefusesAStructOfALaterVersion) {
  heed_translator_options options;
  expect_refused(heed_translator_options_init(&options, sizeof options + 8), HEED_USAGE,
                 "heed_translator_options_init: a struct of 24 bytes, but this version of heed "
                 "knows 16 of them");
  expect_refused(heed_translator_options_init(&options, 0), HEED_USAGE,
                 "heed_translator_options_init: a struct of 0 bytes, but this version of heed "
                 "knows 16 of them");
  expect_refused(heed_translator_options_init(nullptr, sizeof options), HEED_USAGE,
                 "heed_translator_options_init: the struct to fill is NULL");
  expect_refused(heed_translate_options_init(nullptr, sizeof(heed_translate_options)), HEED_USAGE,
                 "heed_translate_options_init: the struct to fill is NULL");
}

TEST(COptions, ATimeoutIsADeadline) {
  heed_translate_options options = default_translate_options();
  const auto before = std::chrono::steady_clock::now();
  options.timeout = 2.5;
  ASSERT_TRUE(deadline_in(options.timeout, "heed_translate"));
  EXPECT_GE(*deadline_in(options.timeout, "heed_translate") - before,
            std::chrono::milliseconds(2500));
  options.timeout = 1e300;
  EXPECT_FALSE(deadline_in(options.timeout, "heed_translate"));
  for (const double wrong : {-1.0, std::numeric_limits<double>::quiet_NaN()}) {
    options.timeout = wrong;
    EXPECT_THROW(deadline_in(options.timeout, "heed_translate"), Error);
  }
}

TEST(COptions, SamplingIsPassedOn) {
  heed_translate_options options = default_translate_options();
  options.sampling = 1;
  options.temperature = 0.5;
  options.top_k = 7;
  options.top_p = 0.25;
  options.seed = 11;
  const SearchOptions search = search_options(options, {});
  ASSERT_TRUE(search.sampling);
  EXPECT_EQ(search.sampling->temperature, 0.5);
  EXPECT_EQ(search.sampling->top_k, 7);
  EXPECT_EQ(search.sampling->top_p, 0.25);
  EXPECT_EQ(search.sampling->seed, 11u);
}

}  // namespace
}  // namespace heed::api
