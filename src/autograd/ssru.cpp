#include "heed/autograd/ssru.h"

#include <algorithm>
#include <vector>

#include "heed/base/error.h"
#include "heed/kernels/activation.h"

namespace heed {

namespace {

template <typename T>
void step(const T* candidates, const T* f, const T* previous, T* cell, T* output, int64_t width) {
  for (int64_t i = 0; i < width; ++i) {
    const T before = previous == nullptr ? T(0) : previous[i];
    cell[i] = f[i] * before + (T(1) - f[i]) * candidates[i];
    output[i] = std::max(cell[i], T(0));
  }
}

template <typename T>
void backward(const Tensor& candidates, const Tensor& f, const Tensor& cells, const Tensor& dy,
              const Ragged& layout, Tensor& dcandidates, Tensor& dgates) {
  const int64_t width = candidates.shape().columns();
  std::vector<T> later(static_cast<size_t>(width));  // what the next cell passes back
  for (int64_t s = 0; s < layout.sequences(); ++s) {
    std::ranges::fill(later, T(0));
    for (int64_t t = layout.end(s) - 1; t >= layout.begin(s); --t) {
      const T* forget = f.data<T>() + t * width;
      const T* cell = cells.data<T>() + t * width;
      const T* before = t == layout.begin(s) ? nullptr : cell - width;
      for (int64_t i = 0; i < width; ++i) {
        const int64_t at = t * width + i;
        T& passed = later[static_cast<size_t>(i)];
        const T dcell = passed + (cell[i] > 0 ? dy.data<T>()[at] : T(0));
        const T previous = before == nullptr ? T(0) : before[i];
        dcandidates.data<T>()[at] = (T(1) - forget[i]) * dcell;
        dgates.data<T>()[at] =
            dcell * (previous - candidates.data<T>()[at]) * forget[i] * (T(1) - forget[i]);
        passed = forget[i] * dcell;
      }
    }
  }
}

}  // namespace

void ssru_step(std::span<const float> candidates, std::span<const float> f, const float* previous,
               std::span<float> cell, std::span<float> output) {
  step(candidates.data(), f.data(), previous, cell.data(), output.data(),
       static_cast<int64_t>(cell.size()));
}

Variable ssru(const Variable& candidates, const Variable& gates, const Ragged& layout) {
  require(candidates.shape().rank() == 2 && candidates.shape() == gates.shape() &&
              candidates.shape()[0] == layout.tokens(),
          "ssru: candidates {} and gates {} do not fit {} tokens", candidates.shape(),
          gates.shape(), layout.tokens());
  require(candidates.type() == gates.type(), "ssru: candidates of type {} but gates of type {}",
          name_of(candidates.type()), name_of(gates.type()));
  Tape& tape = candidates.tape();
  const int64_t width = candidates.shape()[1];
  Tensor f = tape.allocate(gates.shape(), gates.type());
  Tensor cells = tape.allocate(gates.shape(), gates.type());
  Tensor y = tape.allocate(gates.shape(), gates.type());
  with_type(gates.type(), [&](auto zero) {
    using T = decltype(zero);
    kernels::activate(kernels::Activation::sigmoid, gates.value().span<T>(), f.span<T>());
    for (int64_t s = 0; s < layout.sequences(); ++s)
      for (int64_t t = layout.begin(s); t < layout.end(s); ++t) {
        T* cell = cells.data<T>() + t * width;
        step(candidates.value().data<T>() + t * width, f.data<T>() + t * width,
             t == layout.begin(s) ? nullptr : cell - width, cell, y.data<T>() + t * width, width);
      }
  });
  return tape.record(
      y, {candidates, gates}, [candidates, gates, f, cells, layout](const Tensor& dy) {
        Tape& own = candidates.tape();
        Tensor dcandidates = own.allocate(candidates.shape(), candidates.type());
        Tensor dgates = own.allocate(gates.shape(), gates.type());
        with_type(dy.type(), [&](auto zero) {
          backward<decltype(zero)>(candidates.value(), f, cells, dy, layout, dcandidates, dgates);
        });
        candidates.add_gradient(dcandidates);
        gates.add_gradient(dgates);
      });
}

}  // namespace heed
