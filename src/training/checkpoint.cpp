#include "heed/training/checkpoint.h"

#include "heed/base/error.h"
#include "heed/weights/tensor_file.h"

namespace heed {

namespace {

constexpr const char* progress_key = "heed.progress";

struct NamedArray {
  const char* name;
  Tensor LearnerState::*array;
  bool may_be_absent = false;
};

constexpr NamedArray arrays[] = {{"weights", &LearnerState::weights},
                                 {"first-moment", &LearnerState::first_moment},
                                 {"second-moment", &LearnerState::second_moment},
                                 {"ema", &LearnerState::ema, true}};

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const LearnerState& learner,
                     const Progress& progress) {
  TensorFileWriter writer;
  for (const auto& [name, array, may_be_absent] : arrays)
    if ((learner.*array).present()) writer.add(name, learner.*array);
  writer.add_integers("steps", {2}, {learner.step, learner.updates});
  writer.set_metadata(progress_key, to_json(progress));
  writer.save(file);
}

std::optional<Checkpoint> load_checkpoint(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  const TensorFile file = TensorFile::open(path);
  Checkpoint checkpoint;
  for (const auto& [name, array, may_be_absent] : arrays)
    if (file.contains(name) || !may_be_absent)
      checkpoint.learner.*array = file.read(name, Type::float32);
  const std::vector<int64_t> steps = file.read_integers("steps");
  require(steps.size() == 2, "{}: array \"steps\" has {} elements but 2 were expected", file.file(),
          steps.size());
  checkpoint.learner.step = steps[0];
  checkpoint.learner.updates = steps[1];
  const auto progress = file.metadata().find(progress_key);
  require(progress != file.metadata().end(), "{}: the progress of the run is missing", file.file());
  checkpoint.progress = parse_progress(progress->second, file.file());
  return checkpoint;
}

}  // namespace heed
