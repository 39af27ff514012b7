// Compresses what is written to a file whose name says so.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

namespace heed {

// Takes a text in pieces, whose lengths make no difference, and gives compressed bytes, which
// depend on nothing else.
class Compressor {
 public:
  virtual ~Compressor() = default;

  virtual std::string add(std::string_view text) = 0;
  virtual std::string end() = 0;  // the rest; once
};

// gzip for names that end in .gz, zstd for .zst; null for any other.
std::unique_ptr<Compressor> compressor_for(const std::filesystem::path& file);

}  // namespace heed
