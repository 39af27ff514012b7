#include "heed/kernels/dropout.h"

#include <gtest/gtest.h>

#include <cmath>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/dropout.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;

TEST(Dropout, EqualsTheScalarHashBitForBit) {
  for_every_target([] {
    for (const double rate : {0.0, 0.1, 0.5, 0.9})
      for (const uint32_t first : {0u, 12345u, 0xfffffff0u})  // the last one wraps round
        for (const size_t size : awkward_sizes) {
          SCOPED_TRACE(::testing::Message()
                       << "rate " << rate << " first " << first << " size " << size);
          GuardedFloats x(random_floats(size, size), size % 3), y(size, 1);
          std::vector<float> expected(size);
          reference::dropout<float>(x.view(), expected, rate, make_key(size), first);
          dropout(x.view(), y.span(), rate, make_key(size), first);
          EXPECT_TRUE(close(y.view(), std::span<const float>(expected), 0.0, 0.0));
          dropout(x.view(), x.span(), rate, make_key(size), first);
          EXPECT_TRUE(close(x.view(), y.view(), 0.0, 0.0));
          EXPECT_TRUE(x.intact() && y.intact());
        }
  });
}

TEST(AddDropped, EqualsTheScalarLoop) {
  for_every_target([] {
    for (const double rate : {0.0, 0.3})
      for (const size_t size : awkward_sizes) {
        SCOPED_TRACE(::testing::Message() << "rate " << rate << " size " << size);
        GuardedFloats x(random_floats(size, 1), size % 3), update(random_floats(size, 2), 1),
            y(size, 2);
        std::vector<float> expected(size);
        reference::add_dropped<float>(x.view(), update.view(), expected, rate, make_key(size), 5);
        add_dropped(x.view(), update.view(), y.span(), rate, make_key(size), 5);
        EXPECT_TRUE(close(y.view(), std::span<const float>(expected), 1e-6, 1e-6));
        EXPECT_TRUE(x.intact() && update.intact() && y.intact());
      }
  });
}

TEST(Dropout, PartsOfAStreamAgreeWithTheWhole) {
  const size_t size = 1000, cut = 333;
  const std::vector<float> x = random_floats(size, 1);
  for_every_target([&] {
    std::vector<float> whole(size), parts(size);
    dropout(x, whole, 0.3, make_key(7));
    dropout(std::span(x).first(cut), std::span(parts).first(cut), 0.3, make_key(7));
    dropout(std::span(x).subspan(cut), std::span(parts).subspan(cut), 0.3, make_key(7), cut);
    EXPECT_TRUE(close(parts, whole, 0.0, 0.0));
  });
}

TEST(Dropout, DropsAtTheRateAndKeepsTheMean) {
  const size_t size = 200000;
  const std::vector<float> ones(size, 1.0f);
  for (const double rate : {0.1, 0.5, 0.9}) {
    std::vector<float> y(size);
    dropout(ones, y, rate, make_key(3));
    double dropped = 0, sum = 0;
    for (const float value : y) {
      dropped += value == 0.0f;
      sum += static_cast<double>(value);
    }
    EXPECT_NEAR(dropped / size, rate, 0.005);
    EXPECT_NEAR(sum / size, 1.0, 0.03);
  }
}

// Dropped elements become 0, even if they were NaN or infinite.
TEST(Dropout, DroppedInfinitiesAndNansAreZero) {
  const std::vector<float> x(100, std::nanf(""));
  for_every_target([&] {
    std::vector<float> y(100);
    dropout(x, y, 0.5, make_key(1));
    for (uint32_t i = 0; i < 100; ++i)
      EXPECT_EQ(std::isnan(y[i]), dropout_keeps(make_key(1), i, dropout_threshold(0.5)));
  });
}

TEST(Dropout, DoubleKeepsTheSameElements) {
  const std::vector<float> x(100, 1.0f);
  const std::vector<double> wide(100, 1.0);
  std::vector<float> y(100);
  std::vector<double> wide_y(100);
  dropout(x, y, 0.25, make_key(9), 50);
  dropout(wide, wide_y, 0.25, make_key(9), 50);
  EXPECT_TRUE(close(y, wide_y, 1e-6, 0.0));
}

}  // namespace
}  // namespace heed::kernels
