// heed-mpi: `mpirun -n 4 heed-mpi train …` takes the flags of `heed train` and gives the same
// bytes.
#include <unistd.h>

#include <chrono>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/process.h"
#include "heed/app/cli/program.h"
#include "heed/app/mpi/heartbeat.h"
#include "heed/app/mpi/mpi_communicator.h"
#include "heed/app/mpi/same_build.h"
#include "heed/base/error.h"
#include "heed/base/files.h"

namespace heed {

namespace {

// Ends all ranks.
[[noreturn]] void abort_run(const std::string& sentence) {
  std::cerr << sentence << std::flush;
  remove_own_partial_files();
  MPI_Abort(MPI_COMM_WORLD, program_failed);
  ::_exit(program_failed);
}

// Rank 0 speaks for all; what others have to say is kept until it is known whether they fail alone.
int run_rank(const std::vector<std::string>& arguments, MpiCommunicator& ranks) {
  std::ostringstream printed, said;
  if (ranks.is_first()) {
    OutputStream out("-");
    const int code = run_program(arguments, detect_console(out, std::cerr), ranks);
    if (code == program_failed) abort_run("");
    return code;
  }
  const int code = run_program(arguments, {printed, said, {}}, ranks);
  if (code == program_failed) {
    // Where all ranks find the same mistake, the first says so and ends the run.
    std::this_thread::sleep_for(std::chrono::seconds(2));
    abort_run(fmt::format("rank {} on {}: {}", ranks.rank(), ranks.host(ranks.rank()), said.str()));
  }
  return code;
}

int run(const std::vector<std::string>& arguments) {
  const MpiSession session;
  MpiCommunicator ranks;
  const Heartbeat heartbeat(
      ranks, [](const std::string& sentence) { abort_run("heed: " + sentence + "\n"); });
  try {
    require_same_build(ranks);
  } catch (const Error& error) {
    if (ranks.is_first()) abort_run(fmt::format("heed: {}\n", error.what()));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    return program_failed;
  }
  // A signal may have reached only some of them.
  return of_first(ranks, run_rank(arguments, ranks));
}

}  // namespace

}  // namespace heed

int main(int count, char** arguments) {
  heed::prepare_process();
  try {
    return heed::run(std::vector<std::string>(arguments + 1, arguments + count));
  } catch (const std::exception& error) {
    std::cerr << "heed: " << error.what() << '\n';
    return heed::program_failed;
  }
}
