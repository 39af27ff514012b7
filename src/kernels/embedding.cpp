#include "heed/kernels/embedding.h"

#include "heed/kernels/reference/embedding.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "heed/kernels/embedding.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
// After foreach_target.h.
#include "heed/kernels/vector_loop-inl.h"

HWY_BEFORE_NAMESPACE();
namespace heed::kernels::HWY_NAMESPACE {

void gather_rows_loop(std::span<const float> table, std::span<const int32_t> ids, int64_t width,
                      float factor, std::span<float> out) {
  const size_t columns = static_cast<size_t>(width);
  const Vector factors = hn::Set(Tag(), factor);
  const auto scaled = [=](Vector row) HWY_ATTR { return hn::Mul(factors, row); };
  for (size_t i = 0; i < ids.size(); ++i)
    transform(columns, out.data() + i * columns, scaled,
              table.data() + static_cast<size_t>(ids[i]) * columns);
}

void scatter_add_rows_loop(std::span<const float> rows, std::span<const int32_t> ids, int64_t width,
                           float factor, std::span<float> table) {
  const size_t columns = static_cast<size_t>(width);
  const Vector factors = hn::Set(Tag(), factor);
  const auto sum = [=](Vector row, Vector entry)
                       HWY_ATTR { return hn::MulAdd(factors, row, entry); };
  for (size_t i = 0; i < ids.size(); ++i) {
    float* entry = table.data() + static_cast<size_t>(ids[i]) * columns;
    transform(columns, entry, sum, rows.data() + i * columns, entry);
  }
}

}  // namespace heed::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace heed::kernels {

HWY_EXPORT(gather_rows_loop);
HWY_EXPORT(scatter_add_rows_loop);

void gather_rows(std::span<const float> table, std::span<const int32_t> ids, int64_t width,
                 float scale, std::span<float> out) {
  HWY_DYNAMIC_DISPATCH(gather_rows_loop)(table, ids, width, scale, out);
}

void gather_rows(std::span<const double> table, std::span<const int32_t> ids, int64_t width,
                 double scale, std::span<double> out) {
  reference::gather_rows<double>(table, ids, width, scale, out);
}

void scatter_add_rows(std::span<const float> rows, std::span<const int32_t> ids, int64_t width,
                      float scale, std::span<float> table) {
  HWY_DYNAMIC_DISPATCH(scatter_add_rows_loop)(rows, ids, width, scale, table);
}

void scatter_add_rows(std::span<const double> rows, std::span<const int32_t> ids, int64_t width,
                      double scale, std::span<double> table) {
  reference::scatter_add_rows<double>(rows, ids, width, scale, table);
}

}  // namespace heed::kernels
#endif
