#include "heed/kernels/embedding.h"

#include "heed/kernels/reference/embedding.h"

namespace heed::kernels {

void gather_rows(std::span<const float> table, std::span<const int32_t> ids, int64_t depth, float scale,
                 std::span<float> out) {
  reference::gather_rows<float>(table, ids, depth, scale, out);
}

void gather_rows(std::span<const double> table, std::span<const int32_t> ids, int64_t depth, double scale,
                 std::span<double> out) {
  reference::gather_rows<double>(table, ids, depth, scale, out);
}

void scatter_add_rows(std::span<const float> rows, std::span<const int32_t> ids, int64_t depth, float scale,
                      std::span<float> table) {
  reference::scatter_add_rows<float>(rows, ids, depth, scale, table);
}

void scatter_add_rows(std::span<const double> rows, std::span<const int32_t> ids, int64_t depth, double scale,
                      std::span<double> table) {
  reference::scatter_add_rows<double>(rows, ids, depth, scale, table);
}

}  // namespace heed::kernels
