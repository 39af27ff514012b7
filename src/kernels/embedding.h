// Looks up rows of a table, and adds gradients to them. Callers check that ids are within the
// table.
#pragma once

#include <cstdint>
#include <span>

namespace heed::kernels {

// out[i] = scale table[ids[i]], for rows of `width` elements.
void gather_rows(std::span<const float> table, std::span<const int32_t> ids, int64_t width,
                 float scale, std::span<float> out);
void gather_rows(std::span<const double> table, std::span<const int32_t> ids, int64_t width,
                 double scale, std::span<double> out);

// table[ids[i]] += scale rows[i], in the order of i, so that repeated ids add up the same way each
// time.
void scatter_add_rows(std::span<const float> rows, std::span<const int32_t> ids, int64_t width,
                      float scale, std::span<float> table);
void scatter_add_rows(std::span<const double> rows, std::span<const int32_t> ids, int64_t width,
                      double scale, std::span<double> table);

}  // namespace heed::kernels
