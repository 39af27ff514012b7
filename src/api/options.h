// Options of the C interface: structs that may be shorter than this version's, where a program was
// compiled with an older header.
#pragma once

#include <cstring>

#include "heed/api/border.h"
#include "heed/decoding/search_options.h"
#include "heed/decoding/text_generator.h"
#include "heed/decoding/translator.h"

namespace heed::api {

template <typename Options>
void check_size(size_t size, const char* function) {
  require(size >= sizeof(size_t) && size <= sizeof(Options), ErrorKind::usage,
          "{}: a struct of {} bytes, but this version of heed knows {} of them", function, size,
          sizeof(Options));
}

// Writes as much of the defaults as the program knows.
template <typename Options>
void init_options(Options* options, size_t size, Options defaults, const char* function) {
  require_given(options, function, "the struct to fill");
  check_size<Options>(size, function);
  defaults.size = size;
  std::memcpy(options, &defaults, size);
}

// The defaults where the program gives nothing, or knows nothing.
template <typename Options>
Options read_options(const Options* given, Options defaults, const char* function) {
  if (given == nullptr) return defaults;
  check_size<Options>(given->size, function);
  std::memcpy(&defaults, given, given->size);
  return defaults;
}

heed_translator_options default_translator_options();
heed_translate_options default_translate_options();
heed_generate_options default_generate_options();
heed_encoder_options default_encoder_options();

// 0 is all cores; an Error for what cannot be.
int thread_count(int32_t threads, const char* function);

// What is not given is as the model's makers search with it.
SearchOptions search_options(const heed_translate_options& options, const SearchDefaults& defaults);
GenerationOptions generation_options(const heed_generate_options& options);
// In so many seconds; none for 0.
Deadline deadline_in(double seconds, const char* function);

}  // namespace heed::api
