#include "heed/kernels/embedding.h"

#include <gtest/gtest.h>

#include "close.h"
#include "every_target.h"
#include "heed/kernels/reference/embedding.h"
#include "samples.h"

namespace heed::kernels {
namespace {

using heed::testing::awkward_sizes;
using heed::testing::close;
using heed::testing::for_every_target;
using heed::testing::GuardedFloats;
using heed::testing::random_floats;
using heed::testing::widened;

const std::vector<int32_t> ids = {3, 0, 4,
                                  3, 3, 1};  // 3 is repeated, 2 is absent, the last row is 4
constexpr size_t vocabulary = 5;

TEST(Embedding, GatherRows) {
  for_every_target([] {
    for (const size_t width : awkward_sizes) {
      const GuardedFloats table(random_floats(vocabulary * width, width), width % 3);
      GuardedFloats out(ids.size() * width, 1);
      std::vector<float> expected(ids.size() * width);
      reference::gather_rows<float>(table.view(), ids, static_cast<int64_t>(width), 1.3f, expected);
      gather_rows(table.view(), ids, static_cast<int64_t>(width), 1.3f, out.span());
      EXPECT_TRUE(close(out.view(), std::span<const float>(expected), 0.0, 0.0)) << width;
      EXPECT_TRUE(out.intact());
    }
  });
}

TEST(Embedding, ScatterAddsRepeatedIds) {
  for_every_target([] {
    for (const size_t width : awkward_sizes) {
      const GuardedFloats rows(random_floats(ids.size() * width, width), width % 3);
      GuardedFloats table(random_floats(vocabulary * width, 1), 1);
      const std::vector<float> before(table.view().begin(), table.view().end());
      std::vector<double> expected = widened(table.view());
      reference::scatter_add_rows<double>(widened(rows.view()), ids, static_cast<int64_t>(width),
                                          double{0.7f}, expected);
      scatter_add_rows(rows.view(), ids, static_cast<int64_t>(width), 0.7f, table.span());
      EXPECT_TRUE(close(table.view(), std::span<const double>(expected), 1e-6, 1e-6)) << width;
      EXPECT_TRUE(close(table.view().subspan(2 * width, width),
                        std::span(before).subspan(2 * width, width), 0.0, 0.0));
      EXPECT_TRUE(table.intact());
    }
  });
}

TEST(Embedding, GatherTakesTheRowsOfTheIds) {
  const std::vector<double> table = {1, 2, 3, 4, 5, 6};
  std::vector<double> out(4);
  gather_rows(table, std::vector<int32_t>{2, 0}, 2, 10.0, out);
  EXPECT_EQ(out, (std::vector<double>{50, 60, 10, 20}));
}

}  // namespace
}  // namespace heed::kernels
