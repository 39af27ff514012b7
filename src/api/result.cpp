#include "heed/api/result.h"

#include "heed/api/border.h"

namespace heed::api {

std::unique_ptr<heed_result> make_result(std::vector<TranslationResult> lines) {
  auto result = std::make_unique<heed_result>();
  for (TranslationResult& line : lines) {
    if (line.error) std::rethrow_exception(line.error);
    std::vector<heed_result::Item>& items = result->lines.emplace_back();
    for (Translation& translation : line.translations) {
      heed_result::Item& item = items.emplace_back();
      item.translation = std::move(translation);
      for (const auto& [source, target] : item.translation.alignment.links())
        item.links.push_back({source, target});
    }
  }
  return result;
}

namespace {

const std::vector<heed_result::Item>& line_of(const heed_result* result, size_t line,
                                              const char* function) {
  require_given(result, function, "the result");
  require(line < result->lines.size(), ErrorKind::usage, "{}: line {}, but there are {}", function,
          line, result->lines.size());
  return result->lines[line];
}

const heed_result::Item& item_of(const heed_result* result, size_t line, size_t rank,
                                 const char* function) {
  const std::vector<heed_result::Item>& items = line_of(result, line, function);
  require(rank < items.size(), ErrorKind::usage,
          "{}: translation {} of line {}, but it has {} of them", function, rank, line,
          items.size());
  return items[rank];
}

// A matrix, or nothing.
struct WeightsOut {
  const float** weights;
  size_t* rows;
  size_t* columns;

  void check(const char* function) const {
    require_given(weights, function, "where to put the weights");
    require_given(rows, function, "where to put the number of rows");
    require_given(columns, function, "where to put the number of columns");
  }
  void set(const Tensor& found) const {
    const bool there = found.present();
    *weights = there ? found.data<float>() : nullptr;
    *rows = there ? static_cast<size_t>(found.shape()[0]) : 0;
    *columns = there ? static_cast<size_t>(found.shape()[1]) : 0;
  }
};

}  // namespace

}  // namespace heed::api

using heed::api::guarded, heed::api::item_of, heed::api::require_given;

heed_status heed_result_free(heed_result* result) {
  return guarded([&] { delete result; });
}

heed_status heed_result_lines(const heed_result* result, size_t* lines) {
  return guarded([&] {
    require_given(result, "heed_result_lines", "the result");
    require_given(lines, "heed_result_lines", "where to put the number of lines");
    *lines = result->lines.size();
  });
}

heed_status heed_result_count(const heed_result* result, size_t line, size_t* translations) {
  return guarded([&] {
    const auto& items = heed::api::line_of(result, line, "heed_result_count");
    require_given(translations, "heed_result_count", "where to put the number of translations");
    *translations = items.size();
  });
}

heed_status heed_result_text(const heed_result* result, size_t line, size_t rank,
                             const char** text) {
  return guarded([&] {
    const auto& item = item_of(result, line, rank, "heed_result_text");
    require_given(text, "heed_result_text", "where to put the text");
    *text = item.translation.text.c_str();
  });
}

heed_status heed_result_score(const heed_result* result, size_t line, size_t rank, double* score) {
  return guarded([&] {
    const auto& item = item_of(result, line, rank, "heed_result_score");
    require_given(score, "heed_result_score", "where to put the score");
    *score = item.translation.hypothesis.score;
  });
}

heed_status heed_result_log_probability(const heed_result* result, size_t line, size_t rank,
                                        double* log_probability) {
  return guarded([&] {
    const auto& item = item_of(result, line, rank, "heed_result_log_probability");
    require_given(log_probability, "heed_result_log_probability",
                  "where to put the log-probability");
    *log_probability = item.translation.hypothesis.log_probability;
  });
}

heed_status heed_result_links(const heed_result* result, size_t line, size_t rank,
                              const heed_link** links, size_t* count) {
  return guarded([&] {
    const auto& item = item_of(result, line, rank, "heed_result_links");
    require_given(links, "heed_result_links", "where to put the links");
    require_given(count, "heed_result_links", "where to put the number of links");
    *links = item.links.empty() ? nullptr : item.links.data();
    *count = item.links.size();
  });
}

heed_status heed_result_word_weights(const heed_result* result, size_t line, size_t rank,
                                     const float** weights, size_t* target_words,
                                     size_t* source_words) {
  return guarded([&] {
    const auto& item = item_of(result, line, rank, "heed_result_word_weights");
    const heed::api::WeightsOut out = {weights, target_words, source_words};
    out.check("heed_result_word_weights");
    const std::vector<heed::Tensor>& parts = item.translation.alignment.parts;
    out.set(parts.size() == 1 ? parts.front() : heed::Tensor());
  });
}

heed_status heed_result_token_weights(const heed_result* result, size_t line, size_t rank,
                                      const float** weights, size_t* target_tokens,
                                      size_t* source_tokens) {
  return guarded([&] {
    const auto& item = item_of(result, line, rank, "heed_result_token_weights");
    const heed::api::WeightsOut out = {weights, target_tokens, source_tokens};
    out.check("heed_result_token_weights");
    out.set(item.translation.hypothesis.attention);
  });
}
