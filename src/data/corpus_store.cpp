#include "heed/data/corpus_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "heed/base/checksum.h"
#include "heed/base/error.h"

namespace heed {

namespace {

// The file: these eight bytes, the chunks, the index (a ChunkPlace each), the footer. In a chunk a
// pair is the lengths of its two sides, 32 bits each, and their bytes. If the highest bit of the
// first length is set, the length of the links follows both; if the next one is set, that of the
// tag comes then; their bytes come last. If the highest bit of the second length is set, the weight
// follows all lengths, which is otherwise 1. Numbers are the machine's.
constexpr std::string_view signature = "heedcrp1";

constexpr uint32_t flag = uint32_t{1} << 31, tag_flag = uint32_t{1} << 30;

constexpr size_t lengths_size = 2 * sizeof(uint32_t);

struct Footer {
  uint64_t chunks = 0;
  uint64_t index_checksum = 0;
  char signature[8] = {};
};

template <typename Value>
std::string_view bytes_of(const Value& value) {
  static_assert(std::is_trivially_copyable_v<Value>);
  return {reinterpret_cast<const char*>(&value), sizeof(Value)};
}

std::string_view text_of(const std::vector<char>& bytes) { return {bytes.data(), bytes.size()}; }

template <typename Value>
Value value_at(std::string_view bytes, size_t offset) {
  Value value;
  std::memcpy(&value, bytes.data() + offset, sizeof(Value));
  return value;
}

uint64_t checksum_of(std::string_view bytes) { return checksum(std::as_bytes(std::span(bytes))); }

std::string_view index_bytes(const std::vector<ChunkPlace>& places) {
  return {reinterpret_cast<const char*>(places.data()), places.size() * sizeof(ChunkPlace)};
}

}  // namespace

CorpusWriter::CorpusWriter(const std::filesystem::path& path, size_t chunk_bytes)
    : file_(path), name_(path.string()), chunk_bytes_(chunk_bytes), offset_(signature.size()) {
  file_.write(signature);
}

void CorpusWriter::add(const PairView& pair) {
  const size_t longest =
      std::max({pair.source.size(), pair.target.size(), pair.links.size(), pair.tag.size()});
  require(longest < tag_flag, "{}: a sentence of {} bytes is too long to be stored", name_,
          longest);
  const bool has_links = !pair.links.empty(), has_tag = !pair.tag.empty(),
             has_weight = pair.weight != 1;
  const auto length = [](std::string_view side) { return static_cast<uint32_t>(side.size()); };
  chunk_ += bytes_of(length(pair.source) | (has_links ? flag : 0) | (has_tag ? tag_flag : 0));
  chunk_ += bytes_of(length(pair.target) | (has_weight ? flag : 0));
  if (has_links) chunk_ += bytes_of(length(pair.links));
  if (has_tag) chunk_ += bytes_of(length(pair.tag));
  if (has_weight) chunk_ += bytes_of(pair.weight);
  for (const std::string_view part : {pair.source, pair.target, pair.links, pair.tag})
    chunk_ += part;
  ++chunk_pairs_;
  if (chunk_.size() >= chunk_bytes_) finish_chunk();
}

void CorpusWriter::finish_chunk() {
  if (chunk_.empty()) return;
  file_.write(chunk_);
  places_.push_back({offset_, chunk_.size(), chunk_pairs_, checksum_of(chunk_)});
  offset_ += chunk_.size();
  chunk_.clear();
  chunk_pairs_ = 0;
}

void CorpusWriter::commit() {
  finish_chunk();
  Footer footer{.chunks = places_.size(),
                .index_checksum = checksum_of(index_bytes(places_)),
                .signature = {}};
  std::memcpy(footer.signature, signature.data(), signature.size());
  file_.write(index_bytes(places_));
  file_.write(bytes_of(footer));
  file_.commit();
}

CorpusStore::CorpusStore(const std::filesystem::path& path)
    : name_(path.string()), descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
  struct stat status = {};
  // In two steps: otherwise errno might be evaluated before the call.
  const bool known = descriptor_.is_open() && ::fstat(descriptor_.number(), &status) == 0;
  require(known, ErrorKind::system, "{}: cannot be read: {}", name_, std::strerror(errno));
  file_size_ = static_cast<uint64_t>(status.st_size);
  read_index();
}

void CorpusStore::read_index() {
  require(file_size_ >= signature.size() + sizeof(Footer) &&
              text_of(read_bytes(0, signature.size())) == signature,
          "{}: is not a prepared corpus", name_);
  const uint64_t footer_offset = file_size_ - sizeof(Footer);
  const auto footer = value_at<Footer>(text_of(read_bytes(footer_offset, sizeof(Footer))), 0);
  const bool whole = std::string_view(footer.signature, sizeof(footer.signature)) == signature &&
                     footer.chunks <= (footer_offset - signature.size()) / sizeof(ChunkPlace);
  require(whole, "{}: the prepared corpus is not complete", name_);
  const uint64_t index_size = footer.chunks * sizeof(ChunkPlace);
  const std::vector<char> index = read_bytes(footer_offset - index_size, index_size);
  require(checksum_of(text_of(index)) == footer.index_checksum,
          "{}: the prepared corpus is damaged", name_);
  places_.resize(footer.chunks);
  if (index_size > 0) std::memcpy(places_.data(), index.data(), index_size);
  // The chunks follow each other without a gap, and a pair has its lengths at least.
  uint64_t next = signature.size();
  for (const ChunkPlace& place : places_) {
    const bool fits = place.offset == next && place.bytes <= footer_offset - index_size - next &&
                      place.pairs <= place.bytes / lengths_size;
    require(fits, "{}: the prepared corpus is damaged", name_);
    next += place.bytes;
    first_pairs_.push_back(pairs_);
    pairs_ += static_cast<int64_t>(place.pairs);
    bytes_ += static_cast<int64_t>(place.bytes);
  }
}

std::vector<char> CorpusStore::read_bytes(uint64_t offset, uint64_t size) const {
  require(offset <= file_size_ && size <= file_size_ - offset, "{}: the prepared corpus is damaged",
          name_);
  std::vector<char> bytes(size);
  for (size_t done = 0; done < size;) {
    const ssize_t count = ::pread(descriptor_.number(), bytes.data() + done, size - done,
                                  static_cast<off_t>(offset + done));
    if (count < 0 && errno == EINTR) continue;
    require(count >= 0, ErrorKind::system, "{}: cannot be read: {}", name_, std::strerror(errno));
    require(count > 0, "{}: the prepared corpus is not complete", name_);
    done += static_cast<size_t>(count);
  }
  return bytes;
}

CorpusChunk CorpusStore::read(int64_t index) const {
  const ChunkPlace& place = places_[index];
  CorpusChunk chunk{.bytes = read_bytes(place.offset, place.bytes), .pairs = {}};
  require(checksum_of(text_of(chunk.bytes)) == place.checksum, "{}: the prepared corpus is damaged",
          name_);
  std::string_view rest = text_of(chunk.bytes);
  const auto take = [&](size_t size) {
    require(rest.size() >= size, "{}: the prepared corpus is damaged", name_);
    const std::string_view taken = rest.substr(0, size);
    rest.remove_prefix(size);
    return taken;
  };
  const auto take_length = [&] { return value_at<uint32_t>(take(sizeof(uint32_t)), 0); };
  for (uint64_t pair = 0; pair < place.pairs; ++pair) {
    const uint32_t source = take_length(), target = take_length();
    const uint32_t links = (source & flag) != 0 ? take_length() : 0;
    const uint32_t tag = (source & tag_flag) != 0 ? take_length() : 0;
    PairView& view = chunk.pairs.emplace_back();
    if ((target & flag) != 0) view.weight = value_at<float>(take(sizeof(float)), 0);
    require(std::isfinite(view.weight) && view.weight >= 0, "{}: the prepared corpus is damaged",
            name_);
    view.source = take(source & ~(flag | tag_flag));
    view.target = take(target & ~flag);
    view.links = take(links);
    view.tag = take(tag);
  }
  require(rest.empty(), "{}: the prepared corpus is damaged", name_);
  return chunk;
}

}  // namespace heed
