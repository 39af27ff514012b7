#include "heed/weights/stored_type.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(StoredType, NamesAndTypesBelongTogether) {
  for (int i = 0; i <= static_cast<int>(StoredType::c64); ++i) {
    const auto type = static_cast<StoredType>(i);
    EXPECT_EQ(stored_type_named(name_of(type)), type);
  }
  EXPECT_EQ(name_of(StoredType::bf16), "BF16");
  EXPECT_EQ(stored_type_named("f32"), std::nullopt);
  EXPECT_EQ(stored_type_named(""), std::nullopt);
}

TEST(StoredType, CountsBytes) {
  EXPECT_EQ(bytes_of(StoredType::f32, 3), 12);
  EXPECT_EQ(bytes_of(StoredType::boolean, 0), 0);
  EXPECT_EQ(bytes_of(StoredType::f4, 2), 1);
  EXPECT_EQ(bytes_of(StoredType::f4, 3), std::nullopt);
  EXPECT_EQ(bytes_of(StoredType::f6_e2m3, 4), 3);
  EXPECT_EQ(bytes_of(StoredType::f64, INT64_MAX), std::nullopt);
}

}  // namespace
}  // namespace heed
