#include "heed/data/mo_reader.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

#include "heed/base/error.h"
#include "heed/data/po_reader.h"

namespace heed {

namespace {

constexpr uint32_t signature = 0x950412de;
constexpr uint32_t swapped_signature = 0xde120495;
constexpr uint64_t entry_size = 2 * sizeof(uint32_t);  // length and offset of a string

// The header: seven 32-bit numbers, of which the last two describe a hash table that is not needed
// here.
constexpr uint64_t header_size = 7 * sizeof(uint32_t);

// So often a byte may be part of a message, on average. Programs that write MO files share none.
constexpr uint64_t most_sharing = 16;

std::vector<std::string> forms_of(std::string_view text) {
  std::vector<std::string> forms;
  for (;;) {
    const size_t end = text.find('\0');
    forms.emplace_back(text.substr(0, end));
    if (end == text.npos) return forms;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

MoReader::MoReader(std::string bytes, std::string name)
    : bytes_(std::move(bytes)), name_(std::move(name)) {
  require(bytes_.size() >= header_size, "{}: is not an MO file: it has {} bytes only", name_,
          bytes_.size());
  const uint32_t found = number_at(0);
  require(found == signature || found == swapped_signature, "{}: is not an MO file", name_);
  swapped_ = found == swapped_signature;
  const uint32_t major_revision = number_at(4) >> 16;
  require(major_revision <= 1, "{}: is an MO file of revision {} but 0 or 1 was expected", name_,
          major_revision);
  messages_ = number_at(8);
  originals_ = number_at(12);
  translations_ = number_at(16);
  for (const uint32_t table : {originals_, translations_})
    require(table + messages_ * entry_size <= bytes_.size(),
            "{}: a table of {} messages at byte {} does not fit into {} bytes", name_, messages_,
            table, bytes_.size());
}

uint32_t MoReader::number_at(uint64_t offset) const {
  uint32_t number = 0;
  std::memcpy(&number, bytes_.data() + offset, sizeof(number));
  return swapped_ ? __builtin_bswap32(number) : number;
}

std::string_view MoReader::string_at(uint32_t table, uint32_t index) const {
  const uint64_t entry = table + index * entry_size;
  const uint64_t length = number_at(entry), offset = number_at(entry + sizeof(uint32_t));
  require(offset + length < bytes_.size(),
          "{}: message {} of {} bytes at byte {} does not fit into {} bytes", name_, index, length,
          offset, bytes_.size());
  require(bytes_[offset + length] == '\0', "{}: message {} does not end with a NUL", name_, index);
  return std::string_view(bytes_).substr(offset, length);
}

bool MoReader::next(SentencePair& pair) {
  constexpr char end_of_context = '\4';
  while (waiting_.empty()) {
    if (next_ == messages_) return false;
    std::string_view original = string_at(originals_, next_);
    const std::string_view translation = string_at(translations_, next_);
    ++next_;
    // Where all messages are one long string, the time would grow with the square of the size.
    given_ += original.size() + translation.size();
    require(given_ <= most_sharing * bytes_.size(), "{}: its messages overlap", name_);
    if (const size_t context = original.find(end_of_context); context != original.npos)
      original.remove_prefix(context + 1);
    if (original.empty()) {
      decoder_ = CharsetDecoder::of_header(translation);
      continue;
    }
    const size_t singular = std::min(original.find('\0'), original.size());
    const size_t plural = std::min(singular + 1, original.size());
    // Without a plural there is one form, and a NUL in it is one in the text.
    const bool has_plural = singular < original.size();
    const std::vector<std::string> forms =
        has_plural ? forms_of(translation) : std::vector{std::string(translation)};
    for (const SentencePair& form : pair_forms(std::string(original.substr(0, singular)),
                                               std::string(original.substr(plural)), forms))
      waiting_.push_back({decoder_.decode(form.source), decoder_.decode(form.target)});
  }
  pair = std::move(waiting_.front());
  waiting_.pop_front();
  return true;
}

}  // namespace heed
