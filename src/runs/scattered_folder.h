// What rank 0 has prepared for training, for ranks that do not see its folder.
#pragma once

#include <filesystem>

#include "heed/base/communicator.h"

namespace heed {

// Every rank makes one, when rank 0 has prepared the folder. A rank that sees the same folder uses
// it. The others get a temporary copy of the corpora, the vocabularies and the description of the
// model, which goes with the object.
class ScatteredFolder {
 public:
  // `folder` at rank 0 counts, and what the others find under that name.
  ScatteredFolder(const std::filesystem::path& folder, Communicator& ranks);
  ~ScatteredFolder();
  ScatteredFolder(const ScatteredFolder&) = delete;
  ScatteredFolder& operator=(const ScatteredFolder&) = delete;

  const std::filesystem::path& folder() const { return copy_.empty() ? folder_ : copy_; }

 private:
  void receive_files(Communicator& ranks);

  std::filesystem::path folder_;
  std::filesystem::path copy_;  // or empty
};

}  // namespace heed
