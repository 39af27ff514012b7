// Cleaned sentence pairs in one binary file, written once and read chunk by chunk, so that a corpus
// larger than memory can be shuffled.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "heed/base/descriptor.h"
#include "heed/base/files.h"

namespace heed {

struct PairView {
  std::string_view source;
  std::string_view target;
  std::string_view links = {};  // between their words, in Pharaoh's format; none if not known
  float weight = 1;             // of the pair in the loss
  std::string_view tag = {};    // in front of the source; none if it is empty
};

// About a mebibyte of pairs: the unit of reading and shuffling.
struct CorpusChunk {
  std::vector<char> bytes;
  std::vector<PairView> pairs;  // views into the bytes, which do not move with the chunk
};

// Where a chunk lies in the file.
struct ChunkPlace {
  uint64_t offset = 0;
  uint64_t bytes = 0;
  uint64_t pairs = 0;
  uint64_t checksum = 0;
};

// The file appears only once it is complete.
class CorpusWriter {
 public:
  explicit CorpusWriter(const std::filesystem::path& path, size_t chunk_bytes = size_t{1} << 20);

  void add(const PairView& pair);
  void add(std::string_view source, std::string_view target) { add({source, target}); }
  void commit();  // once; nothing can be added afterwards

 private:
  void finish_chunk();

  OutputFile file_;
  std::string name_;
  size_t chunk_bytes_;
  std::string chunk_;
  uint64_t chunk_pairs_ = 0;
  uint64_t offset_ = 0;
  std::vector<ChunkPlace> places_;
};

// Thread-safe for reading.
class CorpusStore {
 public:
  // An Error that names the file if it is not a complete prepared corpus.
  explicit CorpusStore(const std::filesystem::path& path);

  int64_t pairs() const { return pairs_; }
  int64_t bytes() const { return bytes_; }  // of all chunks
  int64_t chunks() const { return static_cast<int64_t>(places_.size()); }
  int64_t chunk_bytes(int64_t chunk) const { return static_cast<int64_t>(places_[chunk].bytes); }
  // The number of the chunk's first pair in the whole corpus.
  int64_t first_pair(int64_t chunk) const { return first_pairs_[chunk]; }

  CorpusChunk read(int64_t index) const;

 private:
  std::vector<char> read_bytes(uint64_t offset, uint64_t size) const;
  void read_index();

  std::string name_;
  Descriptor descriptor_;
  uint64_t file_size_ = 0;
  int64_t pairs_ = 0;
  int64_t bytes_ = 0;
  std::vector<ChunkPlace> places_;
  std::vector<int64_t> first_pairs_;
};

}  // namespace heed
