// Every call of every command that writes files, failing for every reason, and short writes.
#include "commands.h"
#include "fault_sweep.h"

namespace heed {
namespace {

using namespace heed::testing;

void try_all(FaultyCommand& command, Thoroughness thoroughness = Thoroughness::for_every_reason) {
  fail_calls(command, thoroughness);
  cut_writes(command, thoroughness);
  fill_disk(command, disk_levels);
}

TEST(EveryFault, OfTranslating) {
  FaultyCommand command;
  set_translating(command);
  try_all(command);
}

TEST(EveryFault, OfConverting) {
  FaultyCommand command;
  set_converting(command);
  try_all(command);
}

TEST(EveryFault, OfConvertingAForeignModel) {
  const TemporaryFolder foreign;
  FaultyCommand command;
  set_converting_a_foreign_model(command, foreign);
  try_all(command);
}

TEST(EveryFault, OfWritingACorpus) {
  FaultyCommand command;
  set_writing_a_corpus(command);
  try_all(command);
}

TEST(EveryFault, OfTraining) {
  FaultyCommand command;
  set_training(command);
  try_all(command, Thoroughness::every_call);  // it makes hundreds
}

}  // namespace
}  // namespace heed
