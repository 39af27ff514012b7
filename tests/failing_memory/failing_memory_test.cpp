// Memory that fails, at the first requests of each job and command and at some of the others.
// every_request.cpp has many more.
#include "memory_jobs.h"
#include "program_jobs.h"

namespace heed::testing {
namespace {

constexpr SweepSize size_for_jobs = {.every = 40, .at_random = 40};
// The first requests of all commands are those of their flags.
constexpr SweepSize size_for_commands = {.every = 10, .at_random = 20};

class FailingMemoryIn : public ::testing::TestWithParam<NamedJob> {};

TEST_P(FailingMemoryIn, IsSurvived) { MemorySweep(GetParam().make()).run(size_for_jobs); }

INSTANTIATE_TEST_SUITE_P(Jobs, FailingMemoryIn, ::testing::ValuesIn(memory_jobs()),
                         [](const auto& job) { return job.param.name; });

class FailingMemoryInCommand : public ::testing::TestWithParam<Command> {};

TEST_P(FailingMemoryInCommand, IsSurvived) {
  const CommandFiles files;
  ProgramSweep(GetParam().arguments(files), files.made()).run(size_for_commands);
}

INSTANTIATE_TEST_SUITE_P(Commands, FailingMemoryInCommand, ::testing::ValuesIn(commands()),
                         [](const auto& command) { return command.param.name; });

}  // namespace
}  // namespace heed::testing
