// A model's folder for tests of the C interface, and short forms of its functions.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "heed/api/c.h"
#include "small_model.h"
#include "temporary_folder.h"

namespace heed::testing {

using TranslatorHandle = std::unique_ptr<heed_translator, decltype(&heed_translator_free)>;
using ResultHandle = std::unique_ptr<heed_result, decltype(&heed_result_free)>;
using RequestHandle = std::unique_ptr<heed_request, decltype(&heed_request_free)>;

inline void expect_refused(heed_status found, heed_status expected, const std::string& sentence) {
  EXPECT_EQ(found, expected) << heed_last_error();
  EXPECT_EQ(heed_last_error(), sentence);
}

// Texts as C has them.
class Strings {
 public:
  explicit Strings(std::vector<std::string> texts) : texts_(std::move(texts)) {
    for (const std::string& text : texts_) pointers_.push_back(text.c_str());
  }
  Strings(const Strings&) = delete;
  Strings& operator=(const Strings&) = delete;

  const char* const* data() const { return pointers_.data(); }
  size_t size() const { return pointers_.size(); }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  std::vector<std::string> texts_;
  std::vector<const char*> pointers_;
};

class CModel : public ::testing::Test {
 protected:
  static void SetUpTestSuite() {
    folder = std::make_unique<TemporaryFolder>();
    put_model(model());
  }
  static void TearDownTestSuite() { folder.reset(); }

  static std::string model() { return folder->path("model"); }

  static TranslatorHandle load(int32_t threads = 1) {
    heed_translator_options options;
    EXPECT_EQ(heed_translator_options_init(&options, sizeof options), HEED_OK);
    options.threads = threads;
    heed_translator* translator = nullptr;
    EXPECT_EQ(heed_translator_load(model().c_str(), &options, &translator), HEED_OK)
        << heed_last_error();
    return {translator, heed_translator_free};
  }

  static heed_translate_options options() {
    heed_translate_options options;
    EXPECT_EQ(heed_translate_options_init(&options, sizeof options), HEED_OK);
    options.max_length = 12;
    return options;
  }

  // It would go on for long.
  static heed_translate_options endless() {
    heed_translate_options endless = options();
    endless.beam = 1;
    endless.max_length = 1'000'000;
    endless.min_length = 999'999;
    return endless;
  }

  static ResultHandle translate(heed_translator* translator, const Strings& lines,
                                const heed_translate_options& options,
                                const char* const* prefixes = nullptr) {
    heed_result* result = nullptr;
    EXPECT_EQ(heed_translate(translator, lines.data(), prefixes, lines.size(), &options, &result),
              HEED_OK)
        << heed_last_error();
    return {result, heed_result_free};
  }

  static std::string text(const heed_result* result, size_t line, size_t rank = 0) {
    const char* text = nullptr;
    EXPECT_EQ(heed_result_text(result, line, rank, &text), HEED_OK) << heed_last_error();
    return text == nullptr ? "(no text)" : text;
  }

  static inline std::unique_ptr<TemporaryFolder> folder;
};

}  // namespace heed::testing
