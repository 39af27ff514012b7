// Texts in, continuations out: a language model for use in other programs.
#pragma once

#include <exception>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "heed/data/vocabulary.h"
#include "heed/decoding/hypothesis.h"
#include "heed/decoding/search_options.h"
#include "heed/decoding/sentence_task.h"
#include "heed/layers/prepared_weight.h"

namespace heed {

// Why a continuation is over.
enum class Ending {
  end,     // the model ended its text
  stop,    // one of the stop texts was met
  length,  // the maximum was reached, or the context is full
};

struct Continuation {
  std::string text;          // what follows the prompt, up to a stop text
  std::vector<int32_t> ids;  // all tokens after the prompt's, in the vocabulary's own numbers
  double log_probability = 0;
  Ending ending = Ending::end;
};

struct GenerationOptions {
  // None: the likeliest token at every step, or beam search.
  std::optional<Sampling> sampling = {};
  int samples = 1;
  int beam = 1;                            // more: the best of so many hypotheses
  std::optional<int64_t> max_tokens = {};  // by default as many as the context holds
  std::vector<std::string> stops = {};     // texts that end a continuation and are no part of it
};

// One text to continue.
struct GenerationRequest {
  std::string prompt;
  GenerationOptions options = {};
  // Gets the text of the first sample as it grows, in whole characters; not with beam search.
  std::function<void(std::string_view text)> on_text = {};
  std::stop_token stop = {};  // gives the request up
  Deadline deadline = {};     // when it is given up
};

struct TextGeneratorOptions {
  int threads = 1;
  Precision precision = Precision::float32;  // of a model that is loaded from a folder
};

// Takes any number of callers, on any threads, and continues their texts in shared steps. A
// continuation does not depend on other texts, on their order or on the number of threads. Can be
// moved; texts that are not done when it goes are given up.
class TextGenerator {
 public:
  // From the folder of a language model. Weights stored as integers are also computed as integers.
  static TextGenerator load(const std::filesystem::path& folder,
                            const TextGeneratorOptions& options = {});

  TextGenerator(std::shared_ptr<const Generator> model, Vocabulary vocabulary,
                const TextGeneratorOptions& options = {});
  TextGenerator(TextGenerator&&) noexcept;
  TextGenerator& operator=(TextGenerator&&) noexcept;
  ~TextGenerator();

  // The ids of a prompt, its start token first, as `submit` reads it. An Error if it is empty or
  // leaves no room in the context.
  std::vector<int32_t> prompt_ids(const std::string& prompt) const;

  // Returns at once. The future holds as many continuations as there are samples, the one with the
  // highest score first.
  std::future<std::vector<Continuation>> submit(GenerationRequest request) const;

  // For a caller who would otherwise wait: see Scheduler::work_until.
  void work_until(const std::function<bool()>& is_done) const;

  // Submits and waits.
  std::vector<Continuation> generate(GenerationRequest request) const;

  const Vocabulary& vocabulary() const;

 private:
  class Engine;
  std::unique_ptr<Engine> engine_;
};

}  // namespace heed
