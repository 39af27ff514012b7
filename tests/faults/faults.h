// What fault_library.cpp does to a process.
#pragma once

#include <fmt/format.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

namespace heed::testing {

// Makes some calls on files below a folder fail, stop short or be the last.
struct Fault {
  std::string below = {};
  std::string calls = {};       // "write", or several: "write,fsync,rename"
  int64_t at = -1;              // the n-th of them, counted from 1; 0 for all; -1 for none
  std::string action = "fail";  // or cut, kill-before, kill-inside, kill-after
  int error = 0;                // errno if they fail
  int64_t disk = -1;            // bytes that fit into the folder; -1 for any number
};

// A call that a fault was meant for: its name and its file.
struct MetCall {
  std::string name, path;
};

// The environment that configures the library; it reports to `report`.
inline std::map<std::string, std::string> environment_of(const Fault& fault,
                                                         const std::string& report) {
  return {{"LD_PRELOAD", HEED_FAULT_LIBRARY},
          {"HEED_FAULT_BELOW", fault.below},
          {"HEED_FAULT_CALLS", fault.calls},
          {"HEED_FAULT_AT", fmt::format("{}", fault.at)},
          {"HEED_FAULT_ACTION", fault.action},
          {"HEED_FAULT_ERROR", fmt::format("{}", fault.error)},
          {"HEED_FAULT_DISK", fmt::format("{}", fault.disk)},
          {"HEED_FAULT_REPORT", report}};
}

// The calls that the library has reported, which are then forgotten.
inline std::vector<MetCall> take_report(const std::string& report) {
  std::vector<MetCall> calls;
  {
    std::ifstream in(report);
    for (MetCall call; in >> call.name && in.get() && std::getline(in, call.path);)
      calls.push_back(call);
  }
  std::filesystem::remove(report);
  return calls;
}

}  // namespace heed::testing
