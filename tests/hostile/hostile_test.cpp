// A few hundred hostile lines. hostile_thousands.cpp has more, and longer ones.
#include "date_models.h"
#include "hostile_translation.h"

namespace heed {
namespace {

using namespace heed::testing;

constexpr size_t most_memory = size_t{200} << 20;

TEST(HostileLines, AreTranslatedInEveryMode) {
  const DateModels models;
  HostileTranslation translation(models.first(), hostile_lines(1, 300, 2000), most_memory);
  for (const Mode& mode : translation_modes(models.second())) translation.try_mode(mode);
}

}  // namespace
}  // namespace heed
