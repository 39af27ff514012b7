// Translators and requests of the C interface.
#include "heed/decoding/translator.h"

#include <chrono>
#include <future>
#include <thread>

#include "c_model.h"
#include "sample_text.h"

namespace heed {
namespace {

using testing::expect_refused;
using testing::made_up_sentence;
using testing::made_up_sentences;
using testing::RequestHandle;
using testing::ResultHandle;
using testing::Strings;

// What a callback was told.
struct Outcome {
  heed_status status = HEED_INTERNAL;
  std::string error = {};
  ResultHandle result = {nullptr, heed_result_free};
};

// Waits for a callback, which may do something more.
class Awaited {
 public:
  explicit Awaited(std::function<void()> inside = [] {}) : inside_(std::move(inside)) {}

  static void done(void* user, heed_status status, const char* error, heed_result* result) {
    auto* const self = static_cast<Awaited*>(user);
    self->inside_();
    self->promise_.set_value({status, error, {result, heed_result_free}});
  }
  Outcome wait() { return future_.get(); }

 private:
  std::function<void()> inside_;
  std::promise<Outcome> promise_;
  std::future<Outcome> future_ = promise_.get_future();
};

class CTranslator : public testing::CModel {
 protected:
  static heed_status start(heed_translator* translator, const Strings& lines,
                           const heed_translate_options& options, Awaited& awaited,
                           RequestHandle* request = nullptr) {
    heed_request* handle = nullptr;
    const heed_status status =
        heed_translate_async(translator, lines.data(), nullptr, lines.size(), &options,
                             Awaited::done, &awaited, request != nullptr ? &handle : nullptr);
    if (request != nullptr) request->reset(handle);
    return status;
  }
};

TEST_F(CTranslator, TranslatesManyLinesAsTheLibraryDoes) {
  const Strings lines(made_up_sentences(40));
  const auto expected =
      Translator::load(model(), {}).translate(lines.texts(), {.beam = 3, .max_length = 12});
  heed_translate_options chosen = options();
  chosen.beam = 3;
  const auto translator = load(2);
  const ResultHandle result = translate(translator.get(), lines, chosen);
  for (size_t i = 0; i < lines.size(); ++i) EXPECT_EQ(text(result.get(), i), expected[i]);
}

TEST_F(CTranslator, TakesItsOptionsAsTheyAreWithoutAny) {
  heed_translator* translator = nullptr;
  ASSERT_EQ(heed_translator_load(model().c_str(), nullptr, &translator), HEED_OK);
  const Strings line({made_up_sentence(3)});
  heed_result* result = nullptr;
  ASSERT_EQ(heed_translate(translator, line.data(), nullptr, 1, nullptr, &result), HEED_OK);
  EXPECT_EQ(text(result, 0), Translator::load(model(), {}).translate(line.texts())[0]);
  EXPECT_EQ(heed_result_free(result), HEED_OK);
  EXPECT_EQ(heed_translator_free(translator), HEED_OK);
}

TEST_F(CTranslator, ComputesWithIntegersIfTold) {
  heed_translator_options with_int8;
  ASSERT_EQ(heed_translator_options_init(&with_int8, sizeof with_int8), HEED_OK);
  with_int8.int8 = 1;
  heed_translator* translator = nullptr;
  ASSERT_EQ(heed_translator_load(model().c_str(), &with_int8, &translator), HEED_OK);
  const Strings line({made_up_sentence(3)});
  const ResultHandle result = translate(translator, line, options());
  double score = 0;
  ASSERT_EQ(heed_result_score(result.get(), 0, 0, &score), HEED_OK);
  const auto expected = Translator::load(model(), {.precision = Precision::int8})
                            .translate_n_best(line.texts(), {.max_length = 12});
  EXPECT_EQ(score, expected[0][0].hypothesis.score);
  EXPECT_EQ(heed_translator_free(translator), HEED_OK);
}

// To the vocabulary of the model, a tag is what it would be in the text.
TEST_F(CTranslator, ReadsATagInFrontOfEachLine) {
  const std::string tagged = folder->path("tagged");
  testing::put_model(tagged, 5, testing::small_config(), {}, {.tags = {"ba"}});
  heed_translator* translator = nullptr;
  ASSERT_EQ(heed_translator_load(tagged.c_str(), nullptr, &translator), HEED_OK);
  heed_translate_options chosen = options();
  chosen.tag = "ba";
  const Strings line({"ko ri"}), spelled({"ba ko ri"});
  const auto score = [&](const Strings& lines, const heed_translate_options& with) {
    double found = 0;
    const ResultHandle result = translate(translator, lines, with);
    EXPECT_EQ(heed_result_score(result.get(), 0, 0, &found), HEED_OK);
    return found;
  };
  EXPECT_EQ(score(line, chosen), score(spelled, options()));
  EXPECT_NE(score(line, chosen), score(line, options()));
  chosen.tag = "law";
  heed_result* none = nullptr;
  testing::expect_refused(heed_translate(translator, line.data(), nullptr, 1, &chosen, &none),
                          HEED_USAGE, "the tag \"law\": the model has ba");
  EXPECT_EQ(heed_translator_free(translator), HEED_OK);
}

TEST_F(CTranslator, ATranslationBeginsWithItsPrefix) {
  const Strings lines({made_up_sentence(1), made_up_sentence(2)});
  const std::string prefix = made_up_sentence(9);
  const char* const prefixes[] = {nullptr, prefix.c_str()};
  const auto translator = load();
  heed_translate_options chosen = options();
  chosen.max_length = 200;
  const ResultHandle result = translate(translator.get(), lines, chosen, prefixes);
  EXPECT_TRUE(text(result.get(), 1).starts_with(prefix)) << text(result.get(), 1);
  EXPECT_FALSE(text(result.get(), 0).starts_with(prefix)) << text(result.get(), 0);
}

TEST_F(CTranslator, DrawsSamples) {
  heed_translate_options chosen = options();
  chosen.sampling = 1;
  chosen.n_best = 8;
  const Strings line({made_up_sentence(4)});
  const auto translator = load();
  const ResultHandle one = translate(translator.get(), line, chosen);
  chosen.seed = 2;
  const ResultHandle other = translate(translator.get(), line, chosen);
  size_t count = 0;
  ASSERT_EQ(heed_result_count(one.get(), 0, &count), HEED_OK);
  EXPECT_EQ(count, 8u);
  EXPECT_NE(text(one.get(), 0), text(other.get(), 0));
}

TEST_F(CTranslator, SaysWhyAFolderIsNoModel) {
  heed_translator* translator = nullptr;
  const std::string missing = folder->path("missing");
  EXPECT_EQ(heed_translator_load(missing.c_str(), nullptr, &translator), HEED_SYSTEM);
  EXPECT_TRUE(std::string(heed_last_error()).starts_with(missing)) << heed_last_error();
  testing::put_model(folder->path("damaged"));
  folder->put("damaged/config.json", "{}");
  EXPECT_EQ(heed_translator_load(folder->path("damaged").c_str(), nullptr, &translator),
            HEED_MODEL);
  EXPECT_EQ(translator, nullptr);
}

TEST_F(CTranslator, RefusesWhatCannotBe) {
  heed_translator* none = nullptr;
  heed_translator_options wrong_threads;
  ASSERT_EQ(heed_translator_options_init(&wrong_threads, sizeof wrong_threads), HEED_OK);
  wrong_threads.threads = -1;
  expect_refused(heed_translator_load(model().c_str(), &wrong_threads, &none), HEED_USAGE,
                 "heed_translator_load: -1 threads, but 0 to 1024 were expected");
  const auto translator = load();
  const Strings line({made_up_sentence(1)});
  heed_translate_options wrong = options();
  wrong.beam = -1;
  heed_result* result = nullptr;
  for (const size_t count : {0, 1})
    expect_refused(heed_translate(translator.get(), line.data(), nullptr, count, &wrong, &result),
                   HEED_USAGE, "beam search: a beam of -1, but it must be at least 1");
  Awaited awaited;
  EXPECT_EQ(start(translator.get(), line, wrong, awaited), HEED_USAGE);
  EXPECT_EQ(result, nullptr);
}

TEST_F(CTranslator, RefusesNull) {
  const auto translator = load();
  const Strings line({made_up_sentence(1)});
  const char* const holes[] = {nullptr};
  heed_translator* other = nullptr;
  heed_result* result = nullptr;
  expect_refused(heed_translator_load(nullptr, nullptr, &other), HEED_USAGE,
                 "heed_translator_load: the folder is NULL");
  expect_refused(heed_translator_load(model().c_str(), nullptr, nullptr), HEED_USAGE,
                 "heed_translator_load: where to put the translator is NULL");
  expect_refused(heed_translate(nullptr, line.data(), nullptr, 1, nullptr, &result), HEED_USAGE,
                 "heed_translate: the translator is NULL");
  expect_refused(heed_translate(translator.get(), nullptr, nullptr, 1, nullptr, &result),
                 HEED_USAGE, "heed_translate: the lines are NULL");
  expect_refused(heed_translate(translator.get(), holes, nullptr, 1, nullptr, &result), HEED_USAGE,
                 "heed_translate: line 0 is NULL");
  expect_refused(heed_translate(translator.get(), line.data(), nullptr, 1, nullptr, nullptr),
                 HEED_USAGE, "heed_translate: where to put the result is NULL");
  expect_refused(heed_translate_async(translator.get(), line.data(), nullptr, 1, nullptr, nullptr,
                                      nullptr, nullptr),
                 HEED_USAGE, "heed_translate_async: the callback is NULL");
  expect_refused(heed_request_cancel(nullptr), HEED_USAGE,
                 "heed_request_cancel: the request is NULL");
  EXPECT_EQ(heed_request_free(nullptr), HEED_OK);
  EXPECT_EQ(heed_translator_free(nullptr), HEED_OK);
}

TEST_F(CTranslator, CallsBackWhenAllLinesAreDone) {
  const auto translator = load(2);
  const Strings lines(made_up_sentences(10));
  Awaited awaited;
  ASSERT_EQ(start(translator.get(), lines, options(), awaited), HEED_OK);
  const Outcome outcome = awaited.wait();
  EXPECT_EQ(outcome.status, HEED_OK);
  EXPECT_EQ(outcome.error, "");
  const ResultHandle expected = translate(translator.get(), lines, options());
  for (size_t i = 0; i < lines.size(); ++i)
    EXPECT_EQ(text(outcome.result.get(), i), text(expected.get(), i));
}

TEST_F(CTranslator, CallsBackAlsoWhereThereIsNothingToDo) {
  const auto translator = load();
  for (const std::vector<std::string>& lines : {std::vector<std::string>{}, {""}, {"", " "}}) {
    Awaited awaited;
    ASSERT_EQ(start(translator.get(), Strings(lines), options(), awaited), HEED_OK);
    const Outcome outcome = awaited.wait();
    size_t count = 7;
    ASSERT_EQ(heed_result_lines(outcome.result.get(), &count), HEED_OK);
    EXPECT_EQ(count, lines.size());
  }
}

TEST_F(CTranslator, GivesUpWhatIsCancelled) {
  const auto translator = load();
  RequestHandle request(nullptr, heed_request_free);
  Awaited awaited, other;
  ASSERT_EQ(start(translator.get(), Strings({"a b", "c d"}), endless(), awaited, &request),
            HEED_OK);
  ASSERT_EQ(start(translator.get(), Strings({"a b"}), options(), other), HEED_OK);
  EXPECT_EQ(other.wait().status, HEED_OK) << "it shares the steps of the endless one";
  EXPECT_EQ(heed_request_cancel(request.get()), HEED_OK);
  const Outcome outcome = awaited.wait();
  EXPECT_EQ(outcome.status, HEED_CANCELLED);
  EXPECT_EQ(outcome.error, "translator: the request was cancelled");
  EXPECT_EQ(outcome.result, nullptr);
  EXPECT_EQ(heed_request_cancel(request.get()), HEED_OK) << "once more does no harm";
}

TEST_F(CTranslator, ARequestOutlivesItsHandle) {
  const auto translator = load();
  RequestHandle request(nullptr, heed_request_free);
  Awaited awaited;
  ASSERT_EQ(start(translator.get(), Strings({"a b"}), options(), awaited, &request), HEED_OK);
  request.reset();
  EXPECT_EQ(awaited.wait().status, HEED_OK);
}

TEST_F(CTranslator, GivesUpWhatIsNotDoneInTime) {
  const auto translator = load();
  const Strings line({"a b"});
  heed_translate_options hurried = endless();
  hurried.timeout = 0.05;
  heed_result* result = nullptr;
  expect_refused(heed_translate(translator.get(), line.data(), nullptr, 1, &hurried, &result),
                 HEED_DEADLINE, "translator: the request was not done before its deadline");
  EXPECT_EQ(result, nullptr);
}

TEST_F(CTranslator, FreeingGivesUpWhatIsLeft) {
  std::vector<Awaited> awaited(6);
  {
    const auto translator = load();
    for (Awaited& one : awaited)
      ASSERT_EQ(start(translator.get(), Strings({"a b"}), endless(), one), HEED_OK);
  }
  for (Awaited& one : awaited) EXPECT_EQ(one.wait().status, HEED_CANCELLED);
}

TEST_F(CTranslator, ACallbackMayAskForMoreButMustNotWait) {
  const auto translator = load();
  const Strings line({"a b"});
  Awaited more;
  heed_status waiting = HEED_OK, freeing = HEED_OK, asking = HEED_INTERNAL;
  Awaited first([&] {
    heed_result* result = nullptr;
    waiting = heed_translate(translator.get(), line.data(), nullptr, 1, nullptr, &result);
    freeing = heed_translator_free(translator.get());
    asking = start(translator.get(), line, options(), more);
  });
  ASSERT_EQ(start(translator.get(), line, options(), first), HEED_OK);
  EXPECT_EQ(first.wait().status, HEED_OK);
  EXPECT_EQ(waiting, HEED_USAGE);
  EXPECT_EQ(freeing, HEED_USAGE);
  EXPECT_EQ(asking, HEED_OK);
  EXPECT_EQ(more.wait().status, HEED_OK);
}

// Else it would give up what nobody has begun, again and again.
TEST_F(CTranslator, TakesNothingMoreWhileItIsFreed) {
  heed_translator* translator = load().release();
  const Strings line({"a b"});
  Awaited never;
  std::vector<heed_status> asked(3, HEED_OK);
  std::vector<std::unique_ptr<Awaited>> awaited;
  for (heed_status& status : asked) {
    awaited.push_back(
        std::make_unique<Awaited>([&] { status = start(translator, line, endless(), never); }));
    ASSERT_EQ(start(translator, line, endless(), *awaited.back()), HEED_OK);
  }
  EXPECT_EQ(heed_translator_free(translator), HEED_OK);
  for (const heed_status status : asked) EXPECT_EQ(status, HEED_CANCELLED);
}

TEST_F(CTranslator, TakesManyCallersAtOnce) {
  const auto translator = load(2);
  const Strings lines(made_up_sentences(12));
  const ResultHandle expected = translate(translator.get(), lines, options());
  std::vector<std::thread> callers;
  for (int caller = 0; caller < 6; ++caller)
    callers.emplace_back([&] {
      for (int round = 0; round < 3; ++round) {
        const ResultHandle found = translate(translator.get(), lines, options());
        for (size_t i = 0; i < lines.size(); ++i)
          EXPECT_EQ(text(found.get(), i), text(expected.get(), i));
        EXPECT_EQ(heed_translate(translator.get(), nullptr, nullptr, 1, nullptr, nullptr),
                  HEED_USAGE);
        EXPECT_STREQ(heed_last_error(), "heed_translate: the lines are NULL");
      }
    });
  for (std::thread& caller : callers) caller.join();
}

}  // namespace
}  // namespace heed
