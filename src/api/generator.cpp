// Language models of the C interface.
#include <algorithm>
#include <chrono>

#include "heed/api/border.h"
#include "heed/api/options.h"
#include "heed/api/result.h"

struct heed_generator {
  heed::TextGenerator generator;
};

namespace heed::api {

namespace {

// Prompts that are continued together. What is not done when it goes is given up.
class Generation {
 public:
  explicit Generation(const TextGenerator& generator) : generator_(generator) {}
  ~Generation() {
    stop_.request_stop();
    wait();
  }
  Generation(const Generation&) = delete;
  Generation& operator=(const Generation&) = delete;

  void add(GenerationRequest request) {
    request.stop = stop_.get_token();
    running_.push_back(generator_.submit(std::move(request)));
  }

  void wait() const {
    generator_.work_until([&] {
      return std::ranges::all_of(running_, [](const auto& future) {
        return !future.valid() ||
               future.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
      });
    });
  }

  // For each prompt, in their order.
  std::vector<std::vector<Continuation>> take() {
    std::vector<std::vector<Continuation>> all;
    for (auto& future : running_) all.push_back(future.get());
    return all;
  }

 private:
  const TextGenerator& generator_;
  std::stop_source stop_;
  std::vector<std::future<std::vector<Continuation>>> running_;
};

heed_result::Item item_of(Continuation continuation) {
  // The end counts as a token where the model wrote one.
  const size_t tokens = continuation.ids.size() + (continuation.ending == Ending::end ? 1 : 0);
  heed_result::Item item;
  item.translation.text = std::move(continuation.text);
  item.translation.hypothesis = {
      .ids = std::move(continuation.ids),
      .score = continuation.log_probability / static_cast<double>(std::max<size_t>(tokens, 1)),
      .log_probability = continuation.log_probability,
      .attention = {}};
  return item;
}

std::unique_ptr<heed_result> generate(const TextGenerator& generator,
                                      const std::vector<std::string>& prompts,
                                      const heed_generate_options& options) {
  const GenerationOptions generation = generation_options(options);
  const Deadline deadline = deadline_in(options.timeout, "heed_generate");
  Generation all(generator);
  for (size_t i = 0; i < prompts.size(); ++i) {
    GenerationRequest request = {.prompt = prompts[i], .options = generation, .deadline = deadline};
    if (options.on_text != nullptr)
      request.on_text = [i, told = options.on_text, user = options.user](std::string_view text) {
        told(user, i, std::string(text).c_str());
      };
    all.add(std::move(request));
  }
  all.wait();
  auto result = std::make_unique<heed_result>();
  for (std::vector<Continuation>& found : all.take()) {
    std::vector<heed_result::Item>& items = result->lines.emplace_back();
    for (Continuation& continuation : found) items.push_back(item_of(std::move(continuation)));
  }
  return result;
}

}  // namespace

}  // namespace heed::api

using heed::api::guarded, heed::api::require_given;

heed_status heed_generator_load(const char* folder, int32_t threads, int32_t int8,
                                heed_generator** generator) {
  constexpr const char* function = "heed_generator_load";
  return guarded([&] {
    require_given(folder, function, "the folder");
    require_given(generator, function, "where to put the generator");
    heed::TextGenerator loaded = heed::TextGenerator::load(
        folder, {.threads = heed::api::thread_count(threads, function),
                 .precision = int8 != 0 ? heed::Precision::int8 : heed::Precision::float32});
    *generator = new heed_generator{std::move(loaded)};
  });
}

heed_status heed_generator_free(heed_generator* generator) {
  return guarded([&] { delete generator; });
}

heed_status heed_generate(heed_generator* generator, const char* const* prompts, size_t count,
                          const heed_generate_options* options, heed_result** result) {
  constexpr const char* function = "heed_generate";
  return guarded([&] {
    require_given(generator, function, "the generator");
    const std::vector<std::string> texts = heed::api::texts_of(prompts, count, function, "prompts");
    require_given(result, function, "where to put the result");
    const heed_generate_options given =
        heed::api::read_options(options, heed::api::default_generate_options(), function);
    *result = heed::api::generate(generator->generator, texts, given).release();
  });
}
