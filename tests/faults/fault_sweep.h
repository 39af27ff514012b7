// Every call of a command fails in turn, for each possible reason.
#pragma once

#include <errno.h>

#include <iostream>
#include <string>
#include <vector>

#include "faulty_command.h"

namespace heed::testing {

struct FailingCall {
  std::string name;
  std::vector<int> errors;
};

inline const std::vector<FailingCall>& failing_calls() {
  static const std::vector<FailingCall> calls = {{"create", {ENOSPC, EACCES, EDQUOT}},
                                                 {"open", {EIO, EACCES}},
                                                 {"read", {EIO, EINTR}},
                                                 {"write", {ENOSPC, EIO, EDQUOT, EINTR}},
                                                 {"fsync", {EIO, ENOSPC, EDQUOT}},
                                                 {"close", {EIO, ENOSPC}},
                                                 {"rename", {ENOSPC, EIO, EACCES}},
                                                 {"truncate", {EIO, ENOSPC}},
                                                 {"mkdir", {ENOSPC, EACCES}},
                                                 {"fchmod", {EPERM}},
                                                 {"unlink", {EACCES, EIO}},
                                                 {"mmap", {ENOMEM}},
                                                 {"memory", {ENOMEM}},
                                                 {"stat", {EIO}}};
  return calls;
}

constexpr int disk_levels = 20;

enum class Thoroughness {
  some_calls,       // one in thirty, each for another reason
  every_call,       // each for one of its reasons
  for_every_reason  // each for all of them
};

inline void fail_calls(FaultyCommand& command, Thoroughness thoroughness) {
  int runs = 0;
  for (const auto& [name, errors] : failing_calls()) {
    const int64_t apart = thoroughness == Thoroughness::some_calls ? 30 : 1;
    const auto reasons = static_cast<int64_t>(errors.size());
    for (int64_t i = 0; i < reasons; ++i) {
      const Fault fault = {.calls = name, .error = errors[static_cast<size_t>(i)]};
      runs += thoroughness == Thoroughness::for_every_reason
                  ? command.survives_each(fault)
                  : command.survives_each(fault, apart * reasons, 1 + apart * i);
    }
  }
  std::cout << runs << " runs in which a call failed\n";
  EXPECT_GT(runs, 0);
}

// Short writes, single or all, must simply be continued.
inline void cut_writes(FaultyCommand& command, Thoroughness thoroughness) {
  EXPECT_TRUE(command.survives({.calls = "write", .at = 0, .action = "cut"}));
  EXPECT_GT(command.survives_each({.calls = "write", .action = "cut"},
                                  thoroughness == Thoroughness::some_calls ? 24 : 1),
            0);
}

// Disk sizes between the initial and the final contents.
inline void fill_disk(FaultyCommand& command, int levels) {
  const int64_t needed = command.disk_needed(), first = command.disk_at_first();
  for (int level = 0; level < levels; ++level)
    EXPECT_TRUE(command.survives({.disk = first + (needed - first) * level / levels}));
}

}  // namespace heed::testing
