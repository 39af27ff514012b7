#include <iostream>
#include <string>
#include <vector>

#include "heed/app/cli/output_stream.h"
#include "heed/app/cli/process.h"
#include "heed/app/cli/program.h"

int main(int count, char** arguments) {
  heed::prepare_process();
  heed::OutputStream out("-");  // reports why a write failed, which std::cout would not
  const heed::Console console = heed::detect_console(out, std::cerr);
  return heed::run_program(std::vector<std::string>(arguments + 1, arguments + count), console);
}
