// Commands under some faults, and a few kills. every_fault.cpp and train_disasters.cpp have them
// all.
#include "commands.h"
#include "fault_sweep.h"
#include "killed_training.h"

namespace heed {
namespace {

using namespace heed::testing;

void try_some(FaultyCommand& command) {
  fail_calls(command, Thoroughness::some_calls);
  cut_writes(command, Thoroughness::some_calls);
  fill_disk(command, 3);
}

TEST(Faults, TranslatingSurvivesThem) {
  FaultyCommand command;
  set_translating(command);
  try_some(command);
}

TEST(Faults, ConvertingSurvivesThem) {
  FaultyCommand command;
  set_converting(command);
  try_some(command);
}

TEST(Faults, ConvertingAForeignModelSurvivesThem) {
  const TemporaryFolder foreign;
  FaultyCommand command;
  set_converting_a_foreign_model(command, foreign);
  try_some(command);
}

TEST(Faults, WritingACorpusSurvivesThem) {
  FaultyCommand command;
  set_writing_a_corpus(command);
  try_some(command);
}

TEST(Faults, TrainingSurvivesThem) {
  FaultyCommand command;
  set_training(command);
  try_some(command);
}

TEST(Faults, TrainingSurvivesKillsAmidItsWrites) { KilledTraining().kill(6); }

}  // namespace
}  // namespace heed
