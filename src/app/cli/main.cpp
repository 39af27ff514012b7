#include <iostream>
#include <string>
#include <vector>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/program.h"

int main(int count, char** arguments) {
  heed::install_interrupt_handler();
  // Nobody uses C's streams here; without them standard input says how much of it can be read at once.
  std::ios::sync_with_stdio(false);
  const heed::Console console = heed::detect_console(std::cout, std::cerr);
  return heed::run_program(std::vector<std::string>(arguments + 1, arguments + count), console);
}
