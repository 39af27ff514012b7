#include "heed/training/checkpoint.h"

#include "heed/base/error.h"
#include "heed/training/flat_blocks.h"
#include "heed/training/ownership.h"
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

// Of an array whose numbers belong to the ranks, in the order of the array.
void add_owned(FileChecksum& sum, const Tensor& owned, const Ownership& ownership,
               Communicator& ranks) {
  for (int64_t stripe = 0; stripe < ownership.stripes(); ++stripe)
    for (int rank = 0; rank < ranks.size(); ++rank) {
      const Range stored = ownership.stored(stripe);
      if (rank == ranks.rank()) sum.add(owned.slice(stored.begin, stored.end));
      ranks.broadcast(rank, std::as_writable_bytes(std::span(&sum, 1)));
    }
}

// Brings arrays to rank 0, stripe by stripe, because it has no room for all of them.
class OwnedCollector {
 public:
  OwnedCollector(const LearnerState& learner, const Ownership& ownership, Communicator& ranks)
      : learner_(learner), ownership_(ownership), ranks_(ranks) {}

  // At rank 0: passes an array on, from its beginning to its end.
  void collect(size_t array, const TensorFileWriter::NumberSink& sink) const {
    of_first(ranks_, array);
    std::vector<float> numbers;
    for (int64_t stripe = 0; stripe < ownership_.stripes(); ++stripe) {
      sink(own_part(array, stripe));
      for (int rank = 1; rank < ranks_.size(); ++rank) {
        numbers.resize(static_cast<size_t>(ownership_.part(stripe, rank).size()));
        const IncomingMessage message = {rank, std::as_writable_bytes(std::span(numbers))};
        if (!numbers.empty()) ranks_.exchange({}, {&message, 1});
        sink(numbers);
      }
    }
  }
  void end() const { of_first(ranks_, nothing_more); }

  // At the other ranks: sends arrays as long as they are asked for.
  void serve() const {
    for (size_t array = 0; (array = of_first(ranks_, array)) != nothing_more;)
      for (int64_t stripe = 0; stripe < ownership_.stripes(); ++stripe) {
        const OutgoingMessage message = {0, std::as_bytes(own_part(array, stripe))};
        if (!message.bytes.empty()) ranks_.exchange({&message, 1}, {});
      }
  }

 private:
  static constexpr size_t nothing_more = std::size(arrays);

  std::span<const float> own_part(size_t array, int64_t stripe) const {
    return part_of((learner_.*arrays[array].array).span<float>(), ownership_.stored(stripe));
  }

  const LearnerState& learner_;
  const Ownership& ownership_;
  Communicator& ranks_;
};

}  // namespace

void save_checkpoint(const std::filesystem::path& file, const LearnerState& learner,
                     const Progress& progress, Communicator& ranks) {
  TensorFileWriter writer;
  // A run that goes on from damaged numbers would end with others than one that was not
  // interrupted.
  FileChecksum sum;
  const Ownership ownership(learner.weights.elements(), ranks);
  const OwnedCollector parts(learner, ownership, ranks);
  writer.add(weights_name, learner.weights);
  if (ranks.is_first()) sum.add(learner.weights);
  for (size_t i = 1; i < std::size(arrays); ++i) {
    const Tensor& owned = learner.*arrays[i].array;
    if (!owned.present()) continue;
    writer.add_stream(arrays[i].name, learner.weights.shape(),
                      [&parts, i](const auto& sink) { parts.collect(i, sink); });
    add_owned(sum, owned, ownership, ranks);
  }
  if (!ranks.is_first()) return parts.serve();
  const std::vector<int64_t> steps = {learner.step, learner.updates};
  writer.add_integers("steps", {2}, steps);
  sum.add(std::as_bytes(std::span(steps)));
  const std::string text = to_json(progress);
  writer.set_metadata(progress_key, text);
  sum.add(text);
  sum.write_to(writer);
  writer.save(file);
  parts.end();
}

std::optional<Checkpoint> load_checkpoint(const std::filesystem::path& path) {
  if (!std::filesystem::exists(path)) return {};
  const TensorFile file = TensorFile::open(path);
  Checkpoint checkpoint;
  FileChecksum sum;
  for (const auto& [name, array, may_be_absent] : arrays) {
    if (!file.contains(name) && may_be_absent) continue;
    checkpoint.learner.*array = file.map_finite(name);
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
