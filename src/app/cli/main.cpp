#include <iostream>
#include <string>
#include <vector>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/program.h"

int main(int count, char** arguments) {
  heed::install_interrupt_handler();
  const heed::Console console = heed::detect_console(std::cout, std::cerr);
  return heed::run_program(std::vector<std::string>(arguments + 1, arguments + count), console);
}
