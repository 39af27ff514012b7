#include "heed/training/checkpoint.h"

#include "heed/base/error.h"
#include "heed/weights/file_checksum.h"

namespace heed {

namespace {

constexpr const char* progress_key = "heed.progress";
constexpr const char* weights_name = "weights";

struct NamedArray {
  const char* name;
  Tensor LearnerState::*array;
  bool may_be_absent = false;
};

constexpr NamedArray arrays[] = {{weights_name, &LearnerState::weights},
                                 {"first-moment", &LearnerState::first_moment},
                                 {"second-moment", &LearnerState::second_moment},
                                 {"ema", &LearnerState::ema, true}};

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const LearnerState& learner,
                     const Progress& progress) {
  TensorFileWriter writer;
  // A run that goes on from damaged numbers would end with others than one that was not
  // interrupted.
  FileChecksum sum;
  for (const auto& [name, array, may_be_absent] : arrays) {
    if (!(learner.*array).present()) continue;
    writer.add(name, learner.*array);
    sum.add(learner.*array);
  }
  const std::vector<int64_t> steps = {learner.step, learner.updates};
  writer.add_integers("steps", {2}, steps);
  sum.add(std::as_bytes(std::span(steps)));
  const std::string text = to_json(progress);
  writer.set_metadata(progress_key, text);
  sum.add(text);
  sum.write_to(writer);
  writer.save(file);
}

std::optional<Checkpoint> load_checkpoint(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  const TensorFile file = TensorFile::open(path);
  Checkpoint checkpoint;
  FileChecksum sum;
  for (const auto& [name, array, may_be_absent] : arrays) {
    if (!file.contains(name) && may_be_absent) continue;
    checkpoint.learner.*array = file.read_finite(name, Type::float32);
    sum.add(checkpoint.learner.*array);
  }
  const std::vector<int64_t> steps = file.read_integers("steps");
  require(steps.size() == 2, "{}: array \"steps\" has {} elements but 2 were expected", file.file(),
          steps.size());
  sum.add(std::as_bytes(std::span(steps)));
  const auto progress = file.metadata().find(progress_key);
  require(progress != file.metadata().end(), "{}: the progress of the run is missing", file.file());
  sum.add(progress->second);
  sum.require_that_of(file);
  require(steps[1] >= 0 && steps[1] <= steps[0], "{}: {} updates in {} steps", file.file(),
          steps[1], steps[0]);
  checkpoint.learner.step = steps[0];
  checkpoint.learner.updates = steps[1];
  checkpoint.progress = parse_progress(progress->second, file.file());
  return checkpoint;
}

void save_snapshot(const std::filesystem::path& file, const Tensor& weights) {
  TensorFileWriter writer;
  FileChecksum sum;
  writer.add(weights_name, weights);
  sum.add(weights);
  sum.write_to(writer);
  writer.save(file);
}

Tensor load_snapshot(const std::filesystem::path& path) {
  const TensorFile file = TensorFile::open(path);
  const Tensor weights = file.read_finite(weights_name, Type::float32);
  FileChecksum sum;
  sum.add(weights);
  sum.require_that_of(file);
  return weights;
}

}  // namespace heed
