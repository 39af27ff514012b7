// A soft dictionary: colours stored under their wavelength, and looked up by any wavelength. An
// ordinary dictionary answers only for keys that it holds; attention answers every query with a
// mixture of what is stored nearby.
#include <fmt/format.h>

#include <vector>

#include "heed/heed.h"

int main() {
  using namespace heed;
  const std::vector<std::string> names = {"violet", "blue", "green", "yellow", "red"};
  KeyValueMemory colours(Tensor::of({5, 1}, {410, 470, 530, 580, 680}),  // keys: nanometres
                         Tensor::of({5, 3}, {0.56f, 0.0f, 1.0f,          // values: red, green, blue
                                             0.0f, 0.2f, 1.0f,           //
                                             0.0f, 0.8f, 0.2f,           //
                                             1.0f, 0.9f, 0.0f,           //
                                             1.0f, 0.0f, 0.0f}));

  Tape tape({.record = false});
  const Variable wavelengths = tape.constant(Tensor::of({3, 1}, {470, 500, 620}));
  const Gaussian nearby{tape.constant(Tensor::of({1}, {15}))};
  const Attended found = colours.look_up(wavelengths, nearby);

  for (int64_t i = 0; i < 3; ++i) {
    fmt::print("{} nm is red {:.2f}, green {:.2f}, blue {:.2f}: ", wavelengths.value()[i],
               found.output.value()[3 * i], found.output.value()[3 * i + 1],
               found.output.value()[3 * i + 2]);
    for (int64_t j = 0; j < 5; ++j)
      if (found.weights[5 * i + j] > 0.01)
        fmt::print(" {:.0f} % {}", 100 * found.weights[5 * i + j], names[static_cast<size_t>(j)]);
    fmt::print("\n");
  }
}
