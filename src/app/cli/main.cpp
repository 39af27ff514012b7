#include <iostream>
#include <string>
#include <vector>

#include "heed/app/cli/interrupt.h"
#include "heed/app/cli/program.h"

int main(int count, char** arguments) {
  heed::install_interrupt_handler();
  const heed::Console console{std::cout, std::cerr, heed::detect_style()};
  return heed::run_program(std::vector<std::string>(arguments + 1, arguments + count), console);
}
