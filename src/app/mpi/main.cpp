// heed-mpi: `mpirun -n 4 heed-mpi train …` takes the flags of `heed train` and gives the same
// bytes. It has two flags of its own: --any-cpu, and --restart in front of everything.
#include <unistd.h>

#include <charconv>
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
#include "heed/app/mpi/launcher.h"
#include "heed/app/mpi/mpi_communicator.h"
#include "heed/app/mpi/restart.h"
#include "heed/app/mpi/same_build.h"
#include "heed/base/error.h"
#include "heed/base/files.h"

namespace heed {

namespace {

// Ends all ranks.
[[noreturn]] void abort_run(const std::string& sentence, int code = program_failed) {
  std::cerr << sentence << std::flush;
  remove_own_partial_files();
  MPI_Abort(MPI_COMM_WORLD, code);
  ::_exit(code);
}

[[noreturn]] void abort_lost_run(const std::string& sentence) {
  end_launcher_soon();
  abort_run("heed: " + sentence + "\n", rank_was_lost);
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

int run(std::vector<std::string> arguments) {
  const bool any_cpu = std::erase(arguments, "--any-cpu") > 0;
  const MpiSession session;
  MpiCommunicator ranks;
  const Heartbeat heartbeat(ranks, abort_lost_run);
  try {
    require_same_build(ranks, any_cpu);
  } catch (const Error& error) {
    if (ranks.is_first()) abort_run(fmt::format("heed: {}\n", error.what()));
    std::this_thread::sleep_for(std::chrono::seconds(2));
    return program_failed;
  }
  // A signal may have reached only some of them.
  return of_first(ranks, run_rank(arguments, ranks));
}

// `--restart N COMMAND…`
int restart(const std::vector<std::string>& arguments) {
  int restarts = -1;
  bool is_number = false;
  if (arguments.size() >= 3) {
    const char* end = arguments[1].data() + arguments[1].size();
    is_number = std::from_chars(arguments[1].data(), end, restarts).ptr == end;
  }
  require(is_number && restarts >= 0, ErrorKind::usage,
          "--restart: a number of restarts and a command were expected, as in heed-mpi --restart 3 "
          "mpirun -n 4 heed-mpi train …");
  return run_with_restarts(restarts, {arguments.begin() + 2, arguments.end()});
}

}  // namespace

}  // namespace heed

int main(int count, char** arguments) {
  heed::prepare_process();
  try {
    const std::vector<std::string> words(arguments + 1, arguments + count);
    return !words.empty() && words.front() == "--restart" ? heed::restart(words) : heed::run(words);
  } catch (const heed::Error& error) {
    std::cerr << "heed: " << error.what() << '\n';
    return error.kind() == heed::ErrorKind::usage ? heed::wrong_usage : heed::program_failed;
  } catch (const std::exception& error) {
    std::cerr << "heed: " << error.what() << '\n';
    return heed::program_failed;
  }
}
