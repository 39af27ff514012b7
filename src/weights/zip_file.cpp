#include "heed/weights/zip_file.h"

#include <zip.h>

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

namespace {

// Weights hardly shrink, and lists of words to a fourth. What promises far more is a bomb.
constexpr uint64_t largest_growth = 20, free_bytes = 1 << 20;

struct FreeSource {
  void operator()(zip_source_t* source) const noexcept { ::zip_source_free(source); }
};

struct CloseEntry {
  void operator()(zip_file_t* entry) const noexcept { ::zip_fclose(entry); }
};

std::string reason(zip_error_t& error) {
  const std::string text = ::zip_error_strerror(&error);
  ::zip_error_fini(&error);
  return text;
}

}  // namespace

void ZipFile::Close::operator()(zip* archive) const noexcept { ::zip_discard(archive); }

ZipFile::ZipFile(std::optional<MappedFile> mapped, std::span<const std::byte> bytes,
                 std::string file)
    : mapped_(std::move(mapped)), file_(std::move(file)) {
  zip_error_t error;
  ::zip_error_init(&error);
  std::unique_ptr<zip_source_t, FreeSource> source(
      ::zip_source_buffer_create(bytes.data(), bytes.size(), 0, &error));
  require(source != nullptr, ErrorKind::system, "{}: cannot be read: {}", file_, reason(error));
  archive_.reset(::zip_open_from_source(source.get(), ZIP_RDONLY, &error));
  require(archive_ != nullptr, "{}: is not a zip archive that can be read: {}", file_,
          reason(error));
  (void)source.release();  // the archive owns it now
  ::zip_error_fini(&error);
  list_parts(bytes.size());
}

void ZipFile::list_parts(size_t file_size) {
  const zip_int64_t count = ::zip_get_num_entries(archive_.get(), 0);
  const uint64_t most = file_size * largest_growth + free_bytes;
  uint64_t total = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t found;
    constexpr zip_uint64_t needed =
        ZIP_STAT_NAME | ZIP_STAT_SIZE | ZIP_STAT_COMP_SIZE | ZIP_STAT_COMP_METHOD;
    const bool known =
        ::zip_stat_index(archive_.get(), static_cast<zip_uint64_t>(i), 0, &found) == 0 &&
        (found.valid & needed) == needed;
    require(known, "{}: part {} of the archive cannot be read", file_, i);
    const std::string name = found.name;
    if (name.ends_with('/')) continue;
    require(is_utf8(name), "{}: the name of part {} is not UTF-8", file_, i);
    require(found.comp_size <= file_size, "{}: part {} takes {} bytes but the file has {}", file_,
            Quoted{name}, found.comp_size, file_size);
    require(found.size <= found.comp_size * largest_growth + free_bytes,
            "{}: part {} takes {} bytes but would unpack to {}", file_, Quoted{name},
            found.comp_size, found.size);
    require(found.size <= most && total <= most - found.size,
            "{}: {} bytes would unpack to more than {}", file_, file_size, most);
    total += found.size;
    const Part part{.index = found.index,
                    .size = found.size,
                    .packed = found.comp_size,
                    .stored = found.comp_method == ZIP_CM_STORE};
    require(parts_.emplace(name, part).second, "{}: part {} occurs twice", file_, Quoted{name});
  }
}

ZipFile ZipFile::open(const std::filesystem::path& path) {
  MappedFile mapped(path);
  const std::span<const std::byte> bytes = std::as_const(mapped).bytes();
  return ZipFile(std::move(mapped), bytes, path.string());
}

ZipFile ZipFile::parse(std::span<const std::byte> bytes, std::string file) {
  return ZipFile(std::nullopt, bytes, std::move(file));
}

std::vector<std::string> ZipFile::names() const {
  std::vector<std::string> names;
  for (const auto& [name, part] : parts_) names.push_back(name);
  return names;
}

const ZipFile::Part& ZipFile::part(std::string_view name) const {
  const auto found = parts_.find(name);
  require(found != parts_.end(), "{}: part {} is missing", file_, Quoted{name});
  return found->second;
}

size_t ZipFile::size(std::string_view name) const { return part(name).size; }

std::string ZipFile::read(std::string_view name) const {
  const Part& found = part(name);
  return bytes_of(name, found, found.size);
}

std::string ZipFile::read_front(std::string_view name, size_t most) const {
  return bytes_of(name, part(name), most);
}

std::string ZipFile::read_stored(std::string_view name) const {
  const Part& found = part(name);
  require(found.stored && found.size == found.packed,
          "{}: part {} is packed but was expected to be stored as it is", file_, Quoted{name});
  return bytes_of(name, found, found.size);
}

std::string ZipFile::bytes_of(std::string_view name, const Part& part, size_t most) const {
  const std::unique_ptr<zip_file_t, CloseEntry> entry(
      ::zip_fopen_index(archive_.get(), part.index, 0));
  require(entry != nullptr, "{}: part {} cannot be read: {}", file_, Quoted{name},
          ::zip_strerror(archive_.get()));
  std::string bytes(std::min<size_t>(part.size, most), '\0');
  size_t done = 0;
  while (done < bytes.size()) {
    const zip_int64_t more = ::zip_fread(entry.get(), bytes.data() + done, bytes.size() - done);
    if (more <= 0) break;
    done += static_cast<size_t>(more);
  }
  require(done == bytes.size(), "{}: part {} is damaged", file_, Quoted{name});
  if (done < part.size) return bytes;
  // The checksum is compared at the end only.
  char beyond = 0;
  require(::zip_fread(entry.get(), &beyond, 1) == 0, "{}: part {} is damaged", file_, Quoted{name});
  return bytes;
}

bool begins_like_zip(std::span<const std::byte> bytes) {
  constexpr std::string_view first_part = "PK\x03\x04", without_parts = "PK\x05\x06";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with(first_part) || text.starts_with(without_parts);
}

}  // namespace heed
