#include "heed/server/api_keys.h"

#include <openssl/crypto.h>
#include <openssl/sha.h>

#include <algorithm>

#include "heed/base/error.h"
#include "heed/base/files.h"
#include "heed/base/numbers.h"
#include "heed/base/text.h"

namespace heed {

namespace {

std::vector<std::string_view> words_in(std::string_view line) {
  std::vector<std::string_view> words;
  constexpr std::string_view blank = " \t\r";
  for (size_t at = line.find_first_not_of(blank); at != line.npos;) {
    const size_t end = std::min(line.find_first_of(blank, at), line.size());
    words.push_back(line.substr(at, end - at));
    at = line.find_first_not_of(blank, end);
  }
  return words;
}

std::optional<Sha256> hash_in(std::string_view digits) {
  Sha256 hash;
  if (digits.size() != 2 * hash.size()) return std::nullopt;
  for (size_t i = 0; i < hash.size(); ++i) {
    const std::string_view pair = digits.substr(2 * i, 2);
    const auto [end, error] = std::from_chars(pair.data(), pair.data() + 2, hash[i], 16);
    if (error != std::errc() || end != pair.data() + 2) return std::nullopt;
  }
  return hash;
}

ApiKey key_in(std::string_view line, const std::string& place) {
  const std::vector<std::string_view> words = words_in(line);
  require(words.size() >= 2, "{}: a name and the SHA-256 of a key were expected", place);
  const std::optional<Sha256> hash = hash_in(words[1]);
  require(hash.has_value(), "{}: the second word is not a SHA-256, which has 64 digits", place);
  ApiKey key{.name = std::string(words[0]), .hash = *hash};
  for (size_t i = 2; i < words.size(); ++i) {
    const size_t equals = std::min(words[i].find('='), words[i].size());
    const std::string_view name = words[i].substr(0, equals);
    const auto value =
        parse_number<int64_t>(words[i].substr(std::min(equals + 1, words[i].size())));
    require((name == "rate" || name == "quota") && value && *value >= 0,
            "{}: {} but rate=N or quota=N was expected", place, Quoted{words[i]});
    (name == "rate" ? key.rate : key.quota) = *value;
  }
  return key;
}

}  // namespace

Sha256 sha256_of(std::string_view bytes) {
  Sha256 hash;
  ::SHA256(reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size(), hash.data());
  return hash;
}

ApiKeys ApiKeys::read(const std::filesystem::path& file) {
  return parse(MappedFile(file).text(), file.string());
}

ApiKeys ApiKeys::parse(std::string_view text, const std::string& file) {
  ApiKeys keys;
  for (int64_t number = 1; !text.empty(); ++number) {
    const std::string_view line = take_line(text);
    const size_t first = line.find_first_not_of(" \t\r");
    if (first == line.npos || line[first] == '#') continue;
    ApiKey key = key_in(line, fmt::format("{}:{}", file, number));
    require(std::ranges::find(keys.keys_, key.name, &ApiKey::name) == keys.keys_.end(),
            "{}:{}: there are two keys of the name {}", file, number, Quoted{key.name});
    keys.keys_.push_back(std::move(key));
  }
  return keys;
}

const ApiKey* ApiKeys::find(std::string_view key) const {
  const Sha256 hash = sha256_of(key);
  const ApiKey* found = nullptr;
  for (const ApiKey& candidate : keys_)
    if (::CRYPTO_memcmp(candidate.hash.data(), hash.data(), hash.size()) == 0) found = &candidate;
  return found;
}

}  // namespace heed
