#include "heed/attention/positions.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "heed/base/error.h"
#include "heed/base/per_thread.h"
#include "heed/kernels/arithmetic.h"

namespace heed {

namespace {

// By how much the angle of each pair of columns grows from one position to the next.
std::vector<double> frequencies(int64_t width, double base) {
  std::vector<double> found;
  for (int64_t pair = 0; pair < (width + 1) / 2; ++pair)
    found.push_back(std::pow(base, -2.0 * static_cast<double>(pair) / static_cast<double>(width)));
  return found;
}

// Runs over all tokens with their position inside their sequence.
template <typename Visit>
void for_each_token(const Ragged& layout, const FirstPositions& first, Visit&& visit) {
  for (int64_t s = 0; s < layout.sequences(); ++s)
    for (int64_t t = layout.begin(s); t < layout.end(s); ++t)
      visit(t, first[s] + t - layout.begin(s));
}

// The positions that follow upon the last one of any sequence.
int64_t end_of_positions(const Ragged& layout, const FirstPositions& first) {
  int64_t end = 0;
  for (int64_t s = 0; s < layout.sequences(); ++s) end = std::max(end, first[s] + layout.length(s));
  return end;
}

// Sines and cosines for rotary positions: for each position that has occurred, a row of width / 2
// sines and as many cosines. Every layer of a model asks for the same ones, step after step.
template <typename T>
class Turns {
 public:
  // Makes those that a batch needs. Lets go of others where there are many, or for other angles.
  void prepare(const Ragged& layout, const FirstPositions& first, int64_t width, double base) {
    constexpr size_t most_kept = size_t{1} << 19;
    if (width != width_ || base != base_ || std::max(numbers_.size(), row_.size()) > most_kept)
      *this = {};
    if (width_ == 0) {
      growth_ = frequencies(width, base);
      width_ = width;
      base_ = base;
    }
    const auto end = static_cast<size_t>(end_of_positions(layout, first));
    if (row_.size() < end) row_.resize(end, -1);
    for_each_token(layout, first, [&](int64_t, int64_t position) {
      if (row_[static_cast<size_t>(position)] < 0) add(position);
    });
  }

  int64_t pairs() const { return width_ / 2; }
  const T* sines(int64_t position) const {
    return numbers_.data() + row_[static_cast<size_t>(position)];
  }
  const T* cosines(int64_t position) const { return sines(position) + pairs(); }

 private:
  void add(int64_t position) {
    const size_t row = numbers_.size(), pairs = growth_.size();
    numbers_.resize(row + 2 * pairs);
    for (size_t i = 0; i < pairs; ++i) {
      const double angle = static_cast<double>(position) * growth_[i];
      numbers_[row + i] = static_cast<T>(std::sin(angle));
      numbers_[row + pairs + i] = static_cast<T>(std::cos(angle));
    }
    row_[static_cast<size_t>(position)] = static_cast<int64_t>(row);
  }

  int64_t width_ = 0;
  double base_ = 0;
  std::vector<double> growth_;  // of the angles, from one position to the next
  std::vector<int64_t> row_;    // where each position's begins; -1 for those that have not occurred
  std::vector<T> numbers_;
};

// Direction 1 rotates forward, -1 back: rotating back is the gradient of rotating forward, since
// rotations are orthogonal.
template <typename T>
void turn(const Tensor& x, Tensor& y, const Ragged& layout, int64_t heads,
          const FirstPositions& first, double base, T direction) {
  const int64_t width = x.shape().columns() / heads;
  auto& turns = per_thread<Turns<T>>();
  turns.prepare(layout, first, width, base);
  for_each_token(layout, first, [&](int64_t token, int64_t position) {
    const T* sines = turns.sines(position);
    const T* cosines = turns.cosines(position);
    for (int64_t h = 0; h < heads; ++h) {
      const T* from = x.data<T>() + (token * heads + h) * width;
      T* into = y.data<T>() + (token * heads + h) * width;
      for (int64_t i = 0; i < turns.pairs(); ++i) {
        const T sine = direction * sines[i];
        into[2 * i] = from[2 * i] * cosines[i] - from[2 * i + 1] * sine;
        into[2 * i + 1] = from[2 * i] * sine + from[2 * i + 1] * cosines[i];
      }
    }
  });
}

std::vector<double> alibi_slopes(int64_t heads) {
  const auto slopes_of_power = [](int64_t count) {
    std::vector<double> slopes;
    for (int64_t h = 1; h <= count; ++h)
      slopes.push_back(std::exp2(-8.0 * static_cast<double>(h) / static_cast<double>(count)));
    return slopes;
  };
  const auto lower = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(heads)));
  std::vector<double> slopes = slopes_of_power(lower);
  const std::vector<double> finer = slopes_of_power(2 * lower);
  for (size_t i = 0; static_cast<int64_t>(slopes.size()) < heads; i += 2)
    slopes.push_back(finer[i]);
  return slopes;
}

}  // namespace

Tensor sinusoidal_positions(int64_t positions, int64_t width, SinusoidOrder order, Type type,
                            int64_t first, SinusoidSpacing spacing) {
  const bool to_one = spacing == SinusoidSpacing::tensor2tensor;
  require(!to_one || (width >= 4 && width % 2 == 0),
          "sinusoidal_positions: Tensor2Tensor's spacing needs an even width of at least 4, not {}",
          width);
  Tensor table = Tensor::uninitialised({positions, width}, type);
  const int64_t sines = (width + 1) / 2;  // an odd width has one sine more
  // The same exponents as of pairs that stand a little closer: 2i / (width - 2).
  std::vector<double> growth = frequencies(to_one ? width - 2 : width, 10000.0);
  if (to_one) growth.push_back(1e-4);
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t p = 0; p < positions; ++p)
      for (int64_t c = 0; c < width; ++c) {
        const bool interleaved = order == SinusoidOrder::interleaved;
        const int64_t pair = interleaved ? c / 2 : c % sines;
        const bool sine = interleaved ? c % 2 == 0 : c < sines;
        const double angle = static_cast<double>(first + p) * growth[static_cast<size_t>(pair)];
        table.matrix<T>()(p, c) = static_cast<T>(sine ? std::sin(angle) : std::cos(angle));
      }
  });
  return table;
}

Variable add_positions(const Variable& x, const Ragged& layout, const Variable& table,
                       const FirstPositions& first) {
  require(x.shape().rank() == 2 && x.shape()[0] == layout.tokens(),
          "add_positions: shape {} but ({}, width) was expected", x.shape(), layout.tokens());
  const int64_t width = x.shape()[1];
  require(table.shape().rank() == 2 && table.shape()[1] == width,
          "add_positions: a table of shape {} but (positions, {}) was expected", table.shape(),
          width);
  require(table.type() == x.type(), "add_positions: a table of type {} for tokens of type {}",
          name_of(table.type()), name_of(x.type()));
  for (int64_t s = 0; s < layout.sequences(); ++s)
    require(first[s] >= 0 && first[s] <= table.shape()[0] - layout.length(s),
            "add_positions: {} positions from {} on are needed but the table has {}",
            layout.length(s), first[s], table.shape()[0]);
  Tensor y = x.tape().allocate(x.shape(), x.type());
  with_type(x.type(), [&](auto zero) {
    using T = decltype(zero);
    for_each_token(layout, first, [&](int64_t token, int64_t position) {
      kernels::add(x.value().row<T>(token), table.value().row<T>(position), y.row<T>(token));
    });
  });
  return x.tape().record(y, {x, table},
                         [x = x.without_value(), table, layout, first](const Tensor& dy) {
                           x.add_gradient(dy);
                           if (!table.needs_gradient()) return;
                           Tensor dtable = table.gradient_to_add_to();
                           with_type(dy.type(), [&](auto zero) {
                             using T = decltype(zero);
                             for_each_token(layout, first, [&](int64_t token, int64_t position) {
                               kernels::add_scaled(T{1}, dy.row<T>(token), dtable.row<T>(position));
                             });
                           });
                         });
}

Variable rotate(const Variable& x, const Ragged& layout, int64_t heads, const FirstPositions& first,
                double base) {
  require(x.shape().rank() == 2 && x.shape()[0] == layout.tokens(),
          "rotate: shape {} but ({}, width) was expected", x.shape(), layout.tokens());
  require(heads >= 1 && x.shape()[1] % (2 * heads) == 0,
          "rotate: a width of {} is not {} heads of an even width", x.shape()[1], heads);
  const auto turned = [layout, heads, first, base](Tape& tape, const Tensor& from,
                                                   double direction) {
    Tensor into = tape.allocate(from.shape(), from.type());
    with_type(from.type(), [&](auto zero) {
      using T = decltype(zero);
      turn<T>(from, into, layout, heads, first, base, static_cast<T>(direction));
    });
    return into;
  };
  return x.tape().record(turned(x.tape(), x.value(), 1.0), {x},
                         [x = x.without_value(), turned](const Tensor& dy) {
                           x.add_gradient(turned(x.tape(), dy, -1.0));
                         });
}

DistanceBias alibi(Tape& tape, int64_t heads, int64_t max_distance, Type type) {
  require(heads >= 1 && max_distance >= 0, "alibi: {} heads and a maximum distance of {}", heads,
          max_distance);
  Tensor table = tape.allocate({heads, 2 * max_distance + 1}, type);
  const std::vector<double> slopes = alibi_slopes(heads);
  with_type(type, [&](auto zero) {
    using T = decltype(zero);
    for (int64_t h = 0; h < heads; ++h)
      for (int64_t d = -max_distance; d <= max_distance; ++d)
        table.matrix<T>()(h, d + max_distance) =
            static_cast<T>(-slopes[static_cast<size_t>(h)] * static_cast<double>(std::abs(d)));
  });
  return {tape.constant(table), max_distance};
}

DistanceBias relative_bias(const Variable& table) {
  require(table.shape().rank() == 2 && table.shape()[1] % 2 == 1,
          "relative_bias: a table of shape {} but (heads, 2 × max_distance + 1) was expected",
          table.shape());
  return {table, table.shape()[1] / 2};
}

}  // namespace heed
