// Any bytes, as texts with labels: they are refused with an Error, or each label has a text.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string>

#include "allow_errors.h"
#include "heed/data/labelled_reader.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  for (const auto format : {heed::LabelledFormat::tsv, heed::LabelledFormat::jsonl})
    allow_errors([&] {
      heed::LabelledReader reader(heed::LineReader(heed::input_of(bytes), "fuzzed"), format);
      for (heed::LabelledText text; reader.next(text);)
        for (const std::string& label : text.labels)
          if (label.empty()) std::abort();
    });
  return 0;
}
