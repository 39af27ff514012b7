#include "heed/kernels/embedding.h"

#include "heed/kernels/reference/embedding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/embedding.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void gather_rows_loop(std::span<const float> table, std::span<const int32_t> ids, int64_t depth,
                      float factor, std::span<float> out) {
  const size_t width = static_cast<size_t>(depth);
  const Vector factors = hn::Set(Tag(), factor);
  const auto scaled = [=](Vector row) HWY_ATTR { return hn::Mul(factors, row); };
  for (size_t i = 0; i < ids.size(); ++i)
    transform(width, out.data() + i * width, scaled,
              table.data() + static_cast<size_t>(ids[i]) * width);
}

void scatter_add_rows_loop(std::span<const float> rows, std::span<const int32_t> ids, int64_t depth,
                           float factor, std::span<float> table) {
  const size_t width = static_cast<size_t>(depth);
  const Vector factors = hn::Set(Tag(), factor);
  const auto sum = [=](Vector row, Vector entry)
                       HWY_ATTR { return hn::MulAdd(factors, row, entry); };
  for (size_t i = 0; i < ids.size(); ++i) {
    float* entry = table.data() + static_cast<size_t>(ids[i]) * width;
    transform(width, entry, sum, rows.data() + i * width, entry);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(gather_rows_loop);
HWY_EXPORT(scatter_add_rows_loop);

void gather_rows(std::span<const float> table, std::span<const int32_t> ids, int64_t depth,
                 float scale, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(gather_rows_loop)(table, ids, depth, scale, out);
}

void gather_rows(std::span<const double> table, std::span<const int32_t> ids, int64_t depth,
                 double scale, std::span<double> out) {
  reference::gather_rows<double>(table, ids, depth, scale, out);
}

void scatter_add_rows(std::span<const float> rows, std::span<const int32_t> ids, int64_t depth,
                      float scale, std::span<float> table) {
  HWY_DYNAMIC_DISPATCH(scatter_add_rows_loop)(rows, ids, depth, scale, table);
}

void scatter_add_rows(std::span<const double> rows, std::span<const int32_t> ids, int64_t depth,
                      double scale, std::span<double> table) {
  reference::scatter_add_rows<double>(rows, ids, depth, scale, table);
}

}  // namespace heed::kernels
#endif
