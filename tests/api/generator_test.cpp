#include <atomic>
#include <thread>

#include "c_model.h"
#include "heed/decoding/text_generator.h"
#include "small_language_model.h"

namespace heed {
namespace {

using testing::expect_refused;
using testing::ResultHandle;
using testing::Strings;

class CGenerator : public testing::CModel {
 protected:
  using Handle = std::unique_ptr<heed_generator, decltype(&heed_generator_free)>;

  static void SetUpTestSuite() {
    CModel::SetUpTestSuite();
    testing::put_language_model(language_model());
  }
  static std::string language_model() { return folder->path("language"); }

  static Handle load_generator(int32_t threads = 1, int32_t int8 = 0) {
    heed_generator* generator = nullptr;
    EXPECT_EQ(heed_generator_load(language_model().c_str(), threads, int8, &generator), HEED_OK)
        << heed_last_error();
    return {generator, heed_generator_free};
  }
  static heed_generate_options begun() {
    heed_generate_options options;
    EXPECT_EQ(heed_generate_options_init(&options, sizeof options), HEED_OK);
    return options;
  }
  static ResultHandle generate(heed_generator* generator, const Strings& prompts,
                               const heed_generate_options& options) {
    heed_result* result = nullptr;
    EXPECT_EQ(heed_generate(generator, prompts.data(), prompts.size(), &options, &result), HEED_OK)
        << heed_last_error();
    return {result, heed_result_free};
  }
};

TEST_F(CGenerator, ContinuesAsTheLibraryDoes) {
  const Strings prompts({"ba ko", "ri", "ba ko ri"});
  heed_generate_options options = begun();
  options.max_tokens = 8;
  options.sampling = 1;
  options.samples = 3;
  options.top_k = 5;
  options.seed = 7;
  GenerationOptions same{.sampling = Sampling{.top_k = 5, .seed = 7}, .samples = 3};
  same.max_tokens = 8;
  for (const int32_t threads : {1, 2}) {
    for (const int32_t int8 : {0, 1}) {
      const TextGenerator expected = TextGenerator::load(
          language_model(), {.precision = int8 == 1 ? Precision::int8 : Precision::float32});
      const Handle generator = load_generator(threads, int8);
      const ResultHandle result = generate(generator.get(), prompts, options);
      for (size_t i = 0; i < prompts.size(); ++i) {
        const std::vector<Continuation> found =
            expected.generate({.prompt = prompts.texts()[i], .options = same});
        size_t count = 0;
        ASSERT_EQ(heed_result_count(result.get(), i, &count), HEED_OK);
        ASSERT_EQ(count, 3u);
        for (size_t sample = 0; sample < count; ++sample) {
          double log_probability = 0;
          EXPECT_EQ(heed_result_log_probability(result.get(), i, sample, &log_probability),
                    HEED_OK);
          EXPECT_EQ(log_probability, found[sample].log_probability);
          EXPECT_EQ(text(result.get(), i, sample), found[sample].text);
        }
      }
    }
  }
}

TEST_F(CGenerator, TellsTheTextAsItGrows) {
  const Strings prompts({"ba ko", "ri"});
  std::vector<std::string> grown(2);
  heed_generate_options options = begun();
  options.max_tokens = 10;
  options.user = &grown;
  options.on_text = [](void* user, size_t prompt, const char* more) {
    (*static_cast<std::vector<std::string>*>(user))[prompt] += more;
  };
  const Handle generator = load_generator();
  const ResultHandle result = generate(generator.get(), prompts, options);
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(grown[i], text(result.get(), i));
  EXPECT_FALSE(grown[0].empty());
  double score = 0, log_probability = 0;
  EXPECT_EQ(heed_result_score(result.get(), 0, 0, &score), HEED_OK);
  EXPECT_EQ(heed_result_log_probability(result.get(), 0, 0, &log_probability), HEED_OK);
  EXPECT_LT(log_probability, score);
}

TEST_F(CGenerator, StopsWhereItIsTold) {
  const Strings prompt({"ba ko"});
  const Handle generator = load_generator();
  const std::string whole = text(generate(generator.get(), prompt, begun()).get(), 0);
  ASSERT_GT(whole.size(), 4u);
  const Strings stops({whole.substr(2, 2)});
  heed_generate_options options = begun();
  options.stops = stops.data();
  options.stop_count = 1;
  EXPECT_EQ(text(generate(generator.get(), prompt, options).get(), 0),
            whole.substr(0, whole.find(stops.texts()[0])));
}

TEST_F(CGenerator, TakesAnyNumberOfCallers) {
  const Handle generator = load_generator(2);
  const Strings prompt({"ba ko"});
  const std::string expected = text(generate(generator.get(), prompt, begun()).get(), 0);
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 4; ++caller)
    callers.emplace_back(
        [&] { EXPECT_EQ(text(generate(generator.get(), prompt, begun()).get(), 0), expected); });
  for (std::thread& caller : callers) caller.join();
}

TEST_F(CGenerator, RefusesWhatCannotBe) {
  heed_generator* none = nullptr;
  expect_refused(heed_generator_load(nullptr, 1, 0, &none), HEED_USAGE,
                 "heed_generator_load: the folder is NULL");
  expect_refused(heed_generator_load(model().c_str(), 1, 0, nullptr), HEED_USAGE,
                 "heed_generator_load: where to put the generator is NULL");
  EXPECT_EQ(heed_generator_load(model().c_str(), 1, 0, &none), HEED_USAGE);
  EXPECT_NE(std::string(heed_last_error()).find("a language model was expected"),
            std::string::npos);
  EXPECT_EQ(heed_generator_free(nullptr), HEED_OK);

  const Handle generator = load_generator();
  heed_result* result = nullptr;
  const char* const prompts[] = {"ba", nullptr};
  expect_refused(heed_generate(nullptr, prompts, 1, nullptr, &result), HEED_USAGE,
                 "heed_generate: the generator is NULL");
  expect_refused(heed_generate(generator.get(), prompts, 2, nullptr, &result), HEED_USAGE,
                 "heed_generate: line 1 of the prompts is NULL");
  expect_refused(heed_generate(generator.get(), prompts, 1, nullptr, nullptr), HEED_USAGE,
                 "heed_generate: where to put the result is NULL");
  const char* const empty[] = {"ba", ""};
  expect_refused(heed_generate(generator.get(), empty, 2, nullptr, &result), HEED_USAGE,
                 "generate: the prompt is empty, but a text to continue was expected");
  heed_generate_options options = begun();
  options.samples = 2;
  EXPECT_EQ(heed_generate(generator.get(), prompts, 1, &options, &result), HEED_USAGE);
  options = begun();
  options.timeout = -1;
  expect_refused(heed_generate(generator.get(), prompts, 1, &options, &result), HEED_USAGE,
                 "heed_generate: a timeout of -1 seconds, but it must be 0 or more");
  options.timeout = 1e-9;
  EXPECT_EQ(heed_generate(generator.get(), prompts, 1, &options, &result), HEED_DEADLINE);
  options = begun();
  options.stop_count = 1;
  expect_refused(heed_generate(generator.get(), prompts, 1, &options, &result), HEED_USAGE,
                 "heed_generate: the stop texts are NULL");
  EXPECT_EQ(result, nullptr);
  EXPECT_EQ(heed_generate(generator.get(), nullptr, 0, nullptr, &result), HEED_OK);
  EXPECT_EQ(heed_result_free(result), HEED_OK);
}

}  // namespace
}  // namespace heed
