#include "heed/layers/embedding.h"

#include <cmath>

#include "heed/autograd/linear.h"
#include "heed/base/error.h"

namespace heed {

Embedding::Embedding(int64_t vocabulary, int64_t width, Initialiser init, EmbeddingOptions options)
    : scale_(options.scaled ? std::sqrt(static_cast<double>(width)) : 1.0) {
  require(vocabulary > 0 && width > 0,
          "embedding: a vocabulary of {} and a width of {}, but both must be positive", vocabulary,
          width);
  table_ = init.normal({vocabulary, width}, options.deviation / scale_);
}

Variable Embedding::operator()(Tape& tape, std::span<const int32_t> ids) const {
  return embed(tape.watch_rows(table_), ids, scale_);
}

Variable Embedding::project(const Variable& x) const { return linear(x, x.tape().watch(table_)); }

void Embedding::visit_parameters(std::string_view prefix, const ParameterVisitor& visit) {
  visit(dotted(prefix, "weight"), table_);
}

}  // namespace heed
