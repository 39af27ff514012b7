// Everything in heed that reads a file.
#pragma once

#include "corpus_readers.h"
#include "flag_readers.h"
#include "model_readers.h"
#include "package_readers.h"
#include "training_readers.h"

namespace heed::testing {

using Readers = std::vector<Reader>;

inline Readers joined(const std::vector<Readers>& groups) {
  Readers all;
  for (const Readers& readers : groups) all.insert(all.end(), readers.begin(), readers.end());
  return all;
}

// Their files have a few kilobytes at most.
inline Readers small_readers() {
  return joined({corpus_readers(),
                 training_readers(),
                 vocabulary_readers(),
                 small_model_readers(),
                 small_package_readers(),
                 {flag_file_reader()}});
}

inline Readers every_reader() {
  return joined({small_readers(), large_model_readers(), large_package_readers()});
}

}  // namespace heed::testing
