#include "heed/app/mpi/same_build.h"

#include "heed/base/checksum.h"
#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/kernels/instruction_set.h"

namespace heed {

namespace {

std::string describe_build() {
  const MappedFile program("/proc/self/exe");
  return fmt::format("program {:08x} with {}", checksum(program.bytes()),
                     kernels::instruction_set());
}

// A program has at least one set that every CPU has that can run it.
void use_common_instruction_set(MpiCommunicator& ranks) {
  std::vector<int64_t> sets(static_cast<size_t>(ranks.size()));
  sets[static_cast<size_t>(ranks.rank())] = kernels::instruction_sets();
  gather_shares<int64_t>(ranks, sets);
  int64_t common = ~int64_t{0};
  for (const int64_t those : sets) common &= those;
  kernels::use_instruction_sets(common);
}

}  // namespace

void require_same_build(MpiCommunicator& ranks, bool any_cpu) {
  if (any_cpu) use_common_instruction_set(ranks);
  const std::vector<std::string> builds = ranks.gather_texts(describe_build());
  for (size_t rank = 1; rank < builds.size(); ++rank)
    require(builds[rank] == builds[0], ErrorKind::usage,
            "rank {} on {} is {}, but rank 0 on {} is {}: their results would differ", rank,
            ranks.host(static_cast<int>(rank)), builds[rank], ranks.host(0), builds[0]);
}

}  // namespace heed
