// The shortest translator: translate_line FOLDER LINE
#include <cstdio>

#include "heed/heed.h"

int main(int count, char** arguments) try {
  if (count != 3) return 2;
  const heed::Translator translator = heed::Translator::load(arguments[1]);
  std::puts(translator.submit({.text = arguments[2]}).get().at(0).text.c_str());
} catch (const heed::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
