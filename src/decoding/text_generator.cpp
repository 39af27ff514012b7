#include "heed/decoding/text_generator.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "heed/base/error.h"
#include "heed/decoding/growing_text.h"
#include "heed/decoding/scheduler.h"
#include "heed/folders/model_folder.h"

namespace heed {

namespace {

constexpr int64_t capacity = 512;  // prompt tokens that a thread continues at once

// The samples of one text while they grow. Only one thread at a time works on a text.
struct Growing {
  std::vector<int32_t> prompt;
  std::vector<GrowingText> samples;
  std::vector<std::string> stops;
  int32_t start;
  std::function<void(std::string_view)> on_text;

  bool add(int sample, int32_t token) {
    if (token == start) return false;  // another text begins
    GrowingText& text = samples[static_cast<size_t>(sample)];
    const bool goes_on = text.add(token);
    if (on_text && sample == 0) {
      const std::string more = goes_on ? text.take_settled() : text.take_rest();
      if (!more.empty()) on_text(more);
    }
    return goes_on;
  }
};

Continuation continuation_of(Hypothesis found, const Growing& growing,
                             const Vocabulary& vocabulary) {
  const bool restarted = !found.ids.empty() && found.ids.back() == growing.start;
  if (restarted) found.ids.pop_back();
  Continuation result = {.text = text_after(vocabulary, growing.prompt, found.ids),
                         .ids = std::move(found.ids),
                         .log_probability = found.log_probability,
                         .ending = found.cut ? Ending::length : Ending::end};
  if (const std::optional<size_t> stop = find_stop(result.text, growing.stops)) {
    result.text.resize(*stop);
    result.ending = Ending::stop;
  }
  return result;
}

}  // namespace

class TextGenerator::Engine {
 public:
  Engine(std::shared_ptr<const Generator> model, Vocabulary vocabulary,
         const TextGeneratorOptions& options)
      : vocabulary_(std::move(vocabulary)),
        context_(model->max_length()),
        scheduler_(std::move(model), {.start = vocabulary_.start(), .end = Vocabulary::end},
                   {.threads = options.threads, .capacity = capacity}) {}

  std::vector<int32_t> prompt_ids(const std::string& prompt) const {
    std::vector<int32_t> ids = vocabulary_.encode(prompt);
    require(!ids.empty(), ErrorKind::usage,
            "generate: the prompt is empty, but a text to continue was expected");
    ids.insert(ids.begin(), vocabulary_.start());
    require(static_cast<int64_t>(ids.size()) < context_, ErrorKind::usage,
            "generate: the prompt has {} tokens with its start, which leaves no room in a context "
            "of {}",
            ids.size(), context_);
    return ids;
  }

  std::future<std::vector<Continuation>> submit(GenerationRequest request) {
    check(request.options);
    const auto growing = std::make_shared<Growing>();
    growing->prompt = prompt_ids(request.prompt);
    growing->stops = request.options.stops;
    growing->start = vocabulary_.start();
    growing->on_text = std::move(request.on_text);
    const bool watches = growing->on_text || !growing->stops.empty();
    for (int i = 0; i < request.options.samples; ++i)
      growing->samples.emplace_back(vocabulary_, growing->prompt, growing->stops);
    const auto promise = std::make_shared<std::promise<std::vector<Continuation>>>();
    SentenceTask task = {.request = sentence_of(*growing, request.options),
                         .done =
                             [this, growing, promise](std::vector<Hypothesis> found,
                                                      const std::exception_ptr& error) {
                               finish(*growing, std::move(found), error, *promise);
                             },
                         .stop = request.stop,
                         .deadline = request.deadline};
    if (watches)
      task.request.watch = [growing](int sample, int32_t token) {
        return growing->add(sample, token);
      };
    else
      task.request.watch = [start = growing->start](int, int32_t token) { return token != start; };
    std::vector<SentenceTask> tasks;
    tasks.push_back(std::move(task));
    scheduler_.submit(std::move(tasks));
    return promise->get_future();
  }

  void work_until(const std::function<bool()>& is_done) { scheduler_.work_until(is_done); }
  const Vocabulary& vocabulary() const { return vocabulary_; }

 private:
  static void check(const GenerationOptions& options) {
    require(options.samples >= 1, ErrorKind::usage,
            "generate: {} samples but at least 1 was expected", options.samples);
    require(options.samples == 1 || options.sampling, ErrorKind::usage,
            "generate: {} samples, but the likeliest continuation is only one", options.samples);
    require(options.beam == 1 || !options.sampling, ErrorKind::usage,
            "generate: either samples or a beam of {}, not both", options.beam);
    require(!options.max_tokens || *options.max_tokens >= 1, ErrorKind::usage,
            "generate: a maximum of {} tokens but at least 1 was expected",
            options.max_tokens.value_or(0));
    require(std::ranges::none_of(options.stops, &std::string::empty), ErrorKind::usage,
            "generate: a stop text is empty");
  }

  // The whole text fits into the context.
  Request sentence_of(const Growing& growing, const GenerationOptions& options) const {
    const int64_t room = context_ - static_cast<int64_t>(growing.prompt.size());
    SearchOptions search;
    search.beam = options.beam;
    search.n_best = options.samples;
    search.max_length = std::min(options.max_tokens.value_or(room), room);
    search.min_length = 0;
    search.context_length = room;
    search.sampling = options.sampling;
    // The likeliest token is the only sample of one.
    if (!options.sampling && options.beam == 1) search.sampling = Sampling{.top_k = 1};
    if (!search.sampling) search.forbidden.push_back(growing.start);
    return {.source = {growing.prompt.begin(), growing.prompt.end() - 1},
            .options = std::make_shared<const SearchOptions>(std::move(search)),
            .start = growing.prompt.back()};
  }

  void finish(Growing& growing, std::vector<Hypothesis> found, const std::exception_ptr& error,
              std::promise<std::vector<Continuation>>& promise) const noexcept {
    try {
      if (error) return promise.set_exception(error);
      std::vector<Continuation> continuations;
      for (Hypothesis& hypothesis : found)
        continuations.push_back(continuation_of(std::move(hypothesis), growing, vocabulary_));
      if (growing.on_text) {
        const std::string rest = growing.samples.front().take_rest();
        if (!rest.empty()) growing.on_text(rest);
      }
      promise.set_value(std::move(continuations));
    } catch (...) {
      promise.set_exception(std::current_exception());
    }
  }

  Vocabulary vocabulary_;
  int64_t context_;
  Scheduler scheduler_;
};

TextGenerator::TextGenerator(std::shared_ptr<const Generator> model, Vocabulary vocabulary,
                             const TextGeneratorOptions& options)
    : engine_(std::make_unique<Engine>(std::move(model), std::move(vocabulary), options)) {}

TextGenerator::TextGenerator(TextGenerator&&) noexcept = default;
TextGenerator& TextGenerator::operator=(TextGenerator&&) noexcept = default;
TextGenerator::~TextGenerator() = default;

TextGenerator TextGenerator::load(const std::filesystem::path& folder,
                                  const TextGeneratorOptions& options) {
  const ModelFolder loaded = load_model_folder(folder);
  require(std::holds_alternative<LanguageModelConfig>(loaded.config), ErrorKind::usage,
          "{}: is a model of the kind {}, but a language model was expected", folder.string(),
          name_of(loaded.config));
  return TextGenerator(
      loaded.model->prepare(loaded.storage == WeightStorage::int8 ? Precision::int8
                                                                  : options.precision),
      loaded.target, options);
}

std::vector<int32_t> TextGenerator::prompt_ids(const std::string& prompt) const {
  return engine_->prompt_ids(prompt);
}

std::future<std::vector<Continuation>> TextGenerator::submit(GenerationRequest request) const {
  return engine_->submit(std::move(request));
}

void TextGenerator::work_until(const std::function<bool()>& is_done) const {
  engine_->work_until(is_done);
}

std::vector<Continuation> TextGenerator::generate(GenerationRequest request) const {
  std::future<std::vector<Continuation>> result = submit(std::move(request));
  work_until([&] { return result.wait_for(std::chrono::seconds(0)) == std::future_status::ready; });
  return result.get();
}

const Vocabulary& TextGenerator::vocabulary() const { return engine_->vocabulary(); }

}  // namespace heed
