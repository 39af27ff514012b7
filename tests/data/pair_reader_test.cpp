#include "heed/data/pair_reader.h"

#include <gtest/gtest.h>

#include <set>

namespace heed {
namespace {

TEST(Drop, EveryReasonHasItsOwnWords) {
  std::set<std::string_view> texts, names;
  for (int i = 0; i < drop_reasons; ++i) {
    texts.insert(text_of(static_cast<Drop>(i)));
    names.insert(name_of(static_cast<Drop>(i)));
  }
  EXPECT_EQ(texts.size(), static_cast<size_t>(drop_reasons));
  EXPECT_EQ(names.size(), static_cast<size_t>(drop_reasons));
  EXPECT_EQ(static_cast<int>(Drop::number_out_of_range), drop_reasons - 1);
}

}  // namespace
}  // namespace heed
