// Who may use a server: keys from a file, which holds only their hashes.
#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heed {

using Sha256 = std::array<unsigned char, 32>;
Sha256 sha256_of(std::string_view bytes);

struct ApiKey {
  std::string name;
  Sha256 hash;
  std::optional<int64_t> rate = {};   // requests a minute
  std::optional<int64_t> quota = {};  // characters a month
};

// A file with a key per line: its name, the SHA-256 of the key in hexadecimal digits, and perhaps
// its limits. Empty lines and lines that begin with # say nothing.
//   alice 2bd806c97f0e00af1a1fc3328fa763a9269723c8db8fac4f93af71db186d6e90 rate=60 quota=1000000
class ApiKeys {
 public:
  // An Error names the line and what is wrong with it.
  static ApiKeys read(const std::filesystem::path& file);
  static ApiKeys parse(std::string_view text, const std::string& file);

  // Null if there is no such key. Takes as long for any key that is wrong.
  const ApiKey* find(std::string_view key) const;

 private:
  std::vector<ApiKey> keys_;
};

}  // namespace heed
