// A soft lookup in a dictionary of two equal keys, and its gradients.
#include <cstdio>

#include "heed/heed.h"

int main() {
  heed::Tape tape;
  const heed::Variable values = tape.watch(heed::Tensor::of({2, 1}, {1, 3}));
  const heed::Attended found =
      heed::attend({.queries = tape.constant(heed::Tensor::of({1, 2}, {5, 7})),
                    .keys = tape.constant(heed::Tensor::of({2, 2}, {1, 2, 1, 2})),
                    .values = values});
  tape.backward(heed::sum(found.output));
  const heed::Tensor gradient = values.gradient();
  std::printf("output %g, gradients %g and %g\n", found.output.value()[0], gradient[0],
              gradient[1]);
}
