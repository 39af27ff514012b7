#include "heed/server/translator_keeper.h"

#include <gtest/gtest.h>

#include <future>
#include <optional>

#include "small_model.h"

namespace heed {
namespace {

using testing::small_vocabulary;

Translator small_translator() {
  Rng rng(5);
  return {make_model(testing::small_config(), rng)->prepare(Precision::float32),
          small_vocabulary(),
          small_vocabulary(),
          {.lengths = testing::short_lengths}};
}

TEST(TranslatorKeeper, KeepsATranslatorAsLongAsSomebodyHasIt) {
  TranslatorKeeper keeper;
  std::shared_ptr<const Translator> one = keeper.keep(small_translator());
  const std::weak_ptr<const Translator> same = one;
  const std::vector<std::string> lines = {"ba ko"};
  EXPECT_EQ(one->translate(lines), small_translator().translate(lines));
  one.reset();
  EXPECT_TRUE(same.expired());
}

// Which could not wait for itself.
TEST(TranslatorKeeper, AThreadOfTheTranslatorMayBeTheLastToLetGo) {
  std::optional<TranslatorKeeper> keeper(std::in_place);
  std::promise<void> may_go;
  std::promise<size_t> done;
  auto held = std::make_shared<std::shared_ptr<const Translator>>(keeper->keep(small_translator()));
  const Translator& translator = **held;
  std::vector<TranslationRequest> requests(1);
  requests[0].text = "ba ko";
  translator.submit(std::move(requests), [held, &done, let = may_go.get_future().share()](
                                             size_t, TranslationResult result) {
    let.wait();
    held->reset();
    done.set_value(result.translations.size());
  });
  held.reset();
  may_go.set_value();
  EXPECT_EQ(done.get_future().get(), 1);
  keeper.reset();  // waits for it
}

}  // namespace
}  // namespace heed
