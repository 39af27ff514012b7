// Any text, as the YAML of a Marian model: it is either refused with an Error, or every value in it
// can be asked for.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "allow_errors.h"
#include "heed/weights/marian_settings.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  allow_errors([&] {
    const std::string_view yaml(reinterpret_cast<const char*>(data), size);
    const auto settings = heed::MarianSettings::parse(yaml, "fuzzed");
    for (const auto& entry : settings.entries()) {
      allow_errors([&] { (void)settings.text(entry.name, ""); });
      allow_errors([&] { (void)settings.truth(entry.name, false); });
      allow_errors([&] { (void)settings.integer(entry.name, 0); });
      allow_errors([&] { (void)settings.number(entry.name, 0); });
      allow_errors([&] { (void)settings.integers(entry.name); });
    }
  });
  return 0;
}
