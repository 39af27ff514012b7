// The product is cut into blocks as in gemm.cpp. Both operands of a block are copied into tiles,
// split into their parts:
//
//   for each block of the depth
//     for each block of columns       a block of b, split, stays in the second-level cache
//       for each stripe of 32 rows    its part of a, split, stays near
//         for each pair of tiles of columns
//           two by two tiles of c, summed over the depth of the block
#include "heed/kernels/split_gemm.h"

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/per_thread.h"
#include "heed/base/round_up.h"
#include "heed/kernels/gemm_blocks.h"
#include "heed/kernels/matrix_unit.h"
#include "heed/kernels/reference/gemm.h"

#if HEED_KERNELS_HAVE_AMX

// GCC 12 takes the operands that its intrinsics leave undefined for mistakes.
#if HWY_COMPILER_GCC_ACTUAL
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include "heed/kernels/split_tile_product.h"

HWY_PUSH_ATTRIBUTES(HEED_KERNELS_AMX_ATTRIBUTES)
namespace heed::kernels {
namespace {

// A block of b fills a good half of a second-level cache of 2 MB.
constexpr int64_t kBlockDepth = 12 * kSteps;
constexpr int64_t kBlockColumns = 512;

// Where fewer rows or columns or steps are multiplied, splitting costs more than it saves.
constexpr int64_t kFewestRows = 96;
constexpr int64_t kFewestColumns = 64;
constexpr int64_t kFewestSteps = 64;

bool pays(const MatrixView<float>& c, int64_t depth) {
  return c.rows >= kFewestRows && c.columns >= kFewestColumns && depth >= kFewestSteps;
}

std::byte* scratch_for_left(int64_t bytes) {
  struct ForLeft {};
  return reinterpret_cast<std::byte*>(per_thread<Scratch, ForLeft>().reserve(bytes / 4));
}
std::byte* scratch_for_right(int64_t bytes) {
  struct ForRight {};
  return reinterpret_cast<std::byte*>(per_thread<Scratch, ForRight>().reserve(bytes / 4));
}

void add_bias(std::span<const float> bias, MatrixView<float> c) {
  for (int64_t r = 0; r < c.rows; ++r)
    for (int64_t i = 0; i < c.columns; i += kSide) {
      const __mmask16 mask = first(c.columns - i);
      float* const at = c.row(r) + i;
      _mm512_mask_storeu_ps(at, mask,
                            _mm512_add_ps(_mm512_maskz_loadu_ps(mask, at),
                                          _mm512_maskz_loadu_ps(mask, bias.data() + i)));
    }
}

// How many bytes a stripe of a, or a pair of tiles of columns of b, has when it is split.
int64_t split_size(int64_t depth) { return divide_up(depth, kSteps) * kStepBytes; }

void split_block(MatrixView<const float> b, std::byte* to) {
  for (int64_t column = 0; column < b.columns; column += 2 * kSide, to += split_size(b.rows))
    split_right(up_to(b, 0, column, b.rows, 2 * kSide), to);
}

// One block of the depth and of the columns, with b split.
void multiply_block(MatrixView<const float> a, const std::byte* b, MatrixView<float> c,
                    bool accumulate) {
  std::byte* const left = scratch_for_left(split_size(a.columns));
  for (int64_t row = 0; row < c.rows; row += 2 * kSide) {
    const int64_t rows = std::min(2 * kSide, c.rows - row);
    split_left(up_to(a, row, 0, rows, a.columns), left);
    const std::byte* right = b;
    for (int64_t column = 0; column < c.columns; column += 2 * kSide) {
      const MatrixView<float> found =
          c.block(row, column, rows, std::min(2 * kSide, c.columns - column));
      const bool is_whole = found.rows % kSide == 0 && found.columns % kSide == 0;
      (is_whole ? multiply_whole : multiply_aside)(left, right, divide_up(a.columns, kSteps), found,
                                                   accumulate);
      right += split_size(a.columns);
    }
  }
}

// Of all of b.
int64_t split_size(MatrixView<const float> b) {
  return divide_up(b.columns, 2 * kSide) * split_size(b.rows);
}

// Where a block of b is cut out: so many steps and columns, from these on.
struct BlockOfRight {
  int64_t step, column, steps, columns;

  int64_t size() const { return divide_up(columns, 2 * kSide) * split_size(steps); }
};

// `split` gives a block of b as it is split.
template <typename Split>
void multiply_blocks(MatrixView<const float> a, MatrixView<float> c,
                     const GemmOptions<float>& options, Split split) {
  const EvenCut wide(c.columns, kBlockColumns, 2 * kSide);
  const TilesInUse tiles;
  for (int64_t step = 0; step < a.columns; step += kBlockDepth)
    for (int64_t j = 0; j < wide.parts(); ++j) {
      const BlockOfRight block = {step, wide.begin(j), std::min(kBlockDepth, a.columns - step),
                                  wide.size(j)};
      multiply_block(a.block(0, step, a.rows, block.steps), split(block),
                     c.block(0, block.column, c.rows, block.columns),
                     options.accumulate || step > 0);
    }
  if (!options.bias.empty()) add_bias(options.bias, c);
  activate_rows(options.activation, c);
}

void multiply(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
              const GemmOptions<float>& options) {
  multiply_blocks(a, c, options, [&](const BlockOfRight& block) {
    std::byte* const right = scratch_for_right(block.size());
    split_block(b.block(block.step, block.column, block.steps, block.columns), right);
    return right;
  });
}

// The blocks of the depth of b, one after the other.
void split_weights(MatrixView<const float> b, std::byte* to) {
  for (int64_t step = 0; step < b.rows; step += kBlockDepth) {
    const MatrixView<const float> block = up_to(b, step, 0, kBlockDepth, b.columns);
    split_block(block, to);
    to += split_size(block);
  }
}

void multiply_split(MatrixView<const float> a, const std::byte* b, MatrixView<float> c,
                    const GemmOptions<float>& options) {
  if (a.columns == 0) return gemm(a, {nullptr, 0, c.columns}, c, options);
  multiply_blocks(a, c, options,
                  [&](const BlockOfRight& block) { return std::exchange(b, b + block.size()); });
}

}  // namespace
}  // namespace heed::kernels
HWY_POP_ATTRIBUTES

#else

namespace heed::kernels {
namespace {

bool pays(const MatrixView<float>&, int64_t) { return false; }
int64_t split_size(MatrixView<const float>) { return 0; }
void split_weights(MatrixView<const float>, std::byte*) {}
void multiply(MatrixView<const float>, MatrixView<const float>, MatrixView<float>,
              const GemmOptions<float>&) {}
void multiply_split(MatrixView<const float>, const std::byte*, MatrixView<float>,
                    const GemmOptions<float>&) {}

}  // namespace
}  // namespace heed::kernels

#endif

namespace heed::kernels {

void split_gemm(MatrixView<const float> a, MatrixView<const float> b, MatrixView<float> c,
                const GemmOptions<float>& options) {
  if (has_matrix_unit() && pays(c, a.columns))
    multiply(a, b, c, options);
  else
    gemm(a, b, c, options);
}

void split_gemm(MatrixView<const double> a, MatrixView<const double> b, MatrixView<double> c,
                const GemmOptions<double>& options) {
  reference::gemm(a, b, c, options);
}

SplitWeights::SplitWeights(MatrixView<const float> weights)
    : rows_(weights.rows), columns_(weights.columns) {
  require(has_matrix_unit(), "this machine has no unit that multiplies matrices");
  lines_.resize(static_cast<size_t>(divide_up(split_size(weights), 64)));
  split_weights(weights, lines_.data()->bytes);
}

void split_gemm(MatrixView<const float> a, const SplitWeights& weights, MatrixView<float> c,
                const GemmOptions<float>& options) {
  if (c.rows > 0 && c.columns > 0) multiply_split(a, weights.data(), c, options);
}

}  // namespace heed::kernels
