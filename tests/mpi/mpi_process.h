// `mpirun -n N heed-mpi …` on this machine.
#pragma once

#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "program_process.h"

namespace heed::testing {

// Any number of ranks as any user, on however few cores, without ssh.
inline std::map<std::string, std::string> mpi_environment() {
  return {{"OMPI_ALLOW_RUN_AS_ROOT", "1"},
          {"OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"},
          {"OMPI_MCA_rmaps_base_oversubscribe", "1"},
          {"OMPI_MCA_hwloc_base_binding_policy", "none"},
          {"OMPI_MCA_plm_rsh_agent", ""},
          {"OMPI_MCA_btl", "self,vader"},
          {"OMPI_MCA_btl_vader_single_copy_mechanism", "none"},
          {"HEED_THREADS", "1"}};
}

inline std::vector<pid_t> children_of(pid_t parent) {
  const std::string process = std::to_string(parent);
  std::ifstream file("/proc/" + process + "/task/" + process + "/children");
  std::vector<pid_t> children;
  for (pid_t child = 0; file >> child;) children.push_back(child);
  return children;
}

class MpiProcess : public ProgramProcess {
 public:
  MpiProcess(int ranks, const std::vector<std::string>& arguments, const std::string& output)
      : MpiProcess(words_of(ranks, heed_mpi_program, arguments), output) {}
  // With the words that follow mpirun.
  MpiProcess(const std::vector<std::string>& words, const std::string& output)
      : ProgramProcess(words, {.err = output}, mpi_environment(), "mpirun") {}

  static std::vector<std::string> words_of(int ranks, const std::string& program,
                                           const std::vector<std::string>& arguments) {
    std::vector<std::string> words = {"-n", std::to_string(ranks), program};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return words;
  }

  // The processes of the ranks in their order; fewer if not all have been started.
  std::vector<pid_t> ranks() const { return children_of(id()); }
};

}  // namespace heed::testing
