// Translators and requests of the C interface.
#include "heed/decoding/translator.h"

#include <atomic>
#include <future>

#include "heed/api/border.h"
#include "heed/api/options.h"
#include "heed/api/result.h"

struct heed_translator {
  std::atomic<bool> closing = false;
  heed::Translator translator;
};

struct heed_request {
  std::stop_source stop;
};

namespace heed::api {

namespace {

// The translator whose callback this thread is in.
thread_local const heed_translator* calling_back = nullptr;

void refuse_in_callback(const heed_translator* translator, const char* function) {
  require(calling_back != translator, ErrorKind::usage,
          "{}: called from a callback of the same translator, which it would wait for", function);
}

// What a call is told.
struct Job {
  const char* function;
  heed_translator* translator;
  const char* const* lines;
  const char* const* prefixes;
  size_t count;
  const heed_translate_options* options;

  void check() const {
    require_given(translator, function, "the translator");
    require(count == 0 || lines != nullptr, ErrorKind::usage, "{}: the lines are NULL", function);
    for (size_t i = 0; i < count; ++i)
      require(lines[i] != nullptr, ErrorKind::usage, "{}: line {} is NULL", function, i);
    require(!translator->closing, ErrorKind::cancelled, "{}: the translator is being freed",
            function);
  }

  std::vector<TranslationRequest> requests(const std::stop_token& stop) const {
    const heed_translate_options given =
        read_options(options, default_translate_options(), function);
    const SearchOptions search = search_options(given, translator->translator.search_defaults());
    heed::check(search);  // also where there is no line
    const Deadline deadline = deadline_in(given.timeout, "heed_translate");
    std::vector<TranslationRequest> all;
    for (size_t i = 0; i < count; ++i) {
      const bool has_prefix = prefixes != nullptr && prefixes[i] != nullptr;
      all.push_back({.text = lines[i],
                     .options = search,
                     .prefix = has_prefix ? prefixes[i] : "",
                     .tag = given.tag == nullptr ? "" : given.tag,
                     .stop = stop,
                     .deadline = deadline});
    }
    return all;
  }
};

// Lines that are translated together, and what is to happen when the last is done.
class Together {
 public:
  using Done = std::function<void(std::vector<TranslationResult>)>;

  Together(size_t lines, Done done) : results_(lines), left_(lines), done_(std::move(done)) {}

  void set(size_t line, TranslationResult result) {
    results_[line] = std::move(result);
    if (--left_ == 0) finish();
  }
  void finish() { done_(std::move(results_)); }

 private:
  std::vector<TranslationResult> results_;
  std::atomic<size_t> left_;
  Done done_;
};

// If this throws, `done` is never called; otherwise once.
void start(const Job& job, const std::stop_token& stop, Together::Done done) {
  const auto together = std::make_shared<Together>(job.count, std::move(done));
  std::vector<TranslationRequest> requests = job.requests(stop);
  if (requests.empty()) return together->finish();
  job.translator->translator.submit(std::move(requests),
                                    [together](size_t line, TranslationResult result) {
                                      together->set(line, std::move(result));
                                    });
}

std::unique_ptr<heed_result> translate(const Job& job) {
  const auto promise = std::make_shared<std::promise<std::vector<TranslationResult>>>();
  start(job, {}, [promise](std::vector<TranslationResult> results) {
    promise->set_value(std::move(results));
  });
  return make_result(promise->get_future().get());
}

struct Callback {
  heed_done done;
  void* user;
  const heed_translator* translator;

  void operator()(std::vector<TranslationResult> results) const noexcept {
    const heed_translator* const outer = std::exchange(calling_back, translator);
    std::unique_ptr<heed_result> result;
    Failure failure = {.status = HEED_OK};
    try {
      result = make_result(std::move(results));
    } catch (...) {
      failure = current_failure();
    }
    done(user, failure.status, failure.sentence(), result.release());
    calling_back = outer;
  }
};

}  // namespace

}  // namespace heed::api

using heed::api::guarded, heed::api::require_given;

heed_status heed_translator_load(const char* folder, const heed_translator_options* options,
                                 heed_translator** translator) {
  constexpr const char* function = "heed_translator_load";
  return guarded([&] {
    require_given(folder, function, "the folder");
    require_given(translator, function, "where to put the translator");
    const heed_translator_options given =
        heed::api::read_options(options, heed::api::default_translator_options(), function);
    heed::Translator loaded = heed::Translator::load(
        folder, {.threads = heed::api::thread_count(given.threads, function),
                 .precision = given.int8 != 0 ? heed::Precision::int8 : heed::Precision::float32});
    *translator = new heed_translator{.translator = std::move(loaded)};
  });
}

heed_status heed_translator_free(heed_translator* translator) {
  return guarded([&] {
    if (translator == nullptr) return;
    heed::api::refuse_in_callback(translator, "heed_translator_free");
    translator->closing = true;
    delete translator;
  });
}

heed_status heed_translate(heed_translator* translator, const char* const* lines,
                           const char* const* prefixes, size_t count,
                           const heed_translate_options* options, heed_result** result) {
  return guarded([&] {
    const heed::api::Job job = {"heed_translate", translator, lines, prefixes, count, options};
    job.check();
    require_given(result, job.function, "where to put the result");
    heed::api::refuse_in_callback(translator, job.function);
    *result = heed::api::translate(job).release();
  });
}

heed_status heed_translate_async(heed_translator* translator, const char* const* lines,
                                 const char* const* prefixes, size_t count,
                                 const heed_translate_options* options, heed_done done, void* user,
                                 heed_request** request) {
  return guarded([&] {
    const heed::api::Job job = {
        "heed_translate_async", translator, lines, prefixes, count, options};
    job.check();
    heed::require(done != nullptr, heed::ErrorKind::usage, "{}: the callback is NULL",
                  job.function);
    auto handle = std::make_unique<heed_request>();
    const std::stop_token stop = handle->stop.get_token();
    // Before it is started, since the callback may already want to use the handle.
    heed_request* const before = request != nullptr ? *request : nullptr;
    if (request != nullptr) *request = handle.get();
    try {
      heed::api::start(job, stop, heed::api::Callback{done, user, translator});
    } catch (...) {
      if (request != nullptr) *request = before;
      throw;
    }
    if (request != nullptr) static_cast<void>(handle.release());  // now the caller's
  });
}

heed_status heed_request_cancel(heed_request* request) {
  return guarded([&] {
    require_given(request, "heed_request_cancel", "the request");
    request->stop.request_stop();
  });
}

heed_status heed_request_free(heed_request* request) {
  return guarded([&] { delete request; });
}
