// `heed attend`: attention over arrays from a safetensors file, written to another one or drawn.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "heed/app/cli/attend_input.h"
#include "heed/autograd/tape.h"
#include "heed/visualisation/heat_map.h"

namespace heed {

struct AttendResult {
  std::shared_ptr<Tape> tape;  // whose memory the tensors are in
  Tensor output;
  Tensor weights;  // absent if they are not wanted
  std::vector<std::pair<std::string, Tensor>>
      gradients;  // "queries.gradient" and so on, if there is an output gradient
};

// An upper bound on the magnitude of every score and of every intermediate result.
double score_bound(const AttendInput& input, ScoreKind kind);

// Attends, and computes gradients if the input has an output gradient. An Error if a number
// overflows its type; `file` is the input's name for that sentence.
AttendResult run_attend(const AttendInput& input, const AttendOptions& options,
                        const std::string& file);

// The weights as a figure, a map for each head of each sequence.
HeatMapFigure attend_figure(const AttendInput& input, const AttendOptions& options,
                            const AttendResult& result);

// Writes the input of the worked example in the help.
void write_attend_example(const std::filesystem::path& path);

}  // namespace heed
