#include "heed/weights/zip_archive.h"

#include <zip.h>

#include <algorithm>
#include <utility>

#include "heed/base/error.h"
#include "heed/base/text.h"

namespace heed {

struct ZipArchive::Handle {
  zip_t* archive = nullptr;

  ~Handle() {
    if (archive != nullptr) zip_discard(archive);
  }
};

namespace {

// What libzip says of an error of its own.
class Reason {
 public:
  Reason() { zip_error_init(&error_); }
  Reason(const Reason&) = delete;
  Reason& operator=(const Reason&) = delete;
  ~Reason() { zip_error_fini(&error_); }

  zip_error_t* get() { return &error_; }
  std::string text() { return zip_error_strerror(&error_); }

 private:
  zip_error_t error_;
};

}  // namespace

bool ZipArchive::is_archive(std::span<const std::byte> bytes) {
  constexpr std::string_view local_file = "PK\x03\x04", empty = "PK\x05\x06";
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  return text.starts_with(local_file) || text.starts_with(empty);
}

ZipArchive::ZipArchive(std::span<const std::byte> bytes, std::string file)
    : file_(std::move(file)), handle_(std::make_unique<Handle>()) {
  Reason reason;
  zip_source_t* source = zip_source_buffer_create(bytes.data(), bytes.size(), 0, reason.get());
  require(source != nullptr, "{}: {}", file_, reason.text());
  handle_->archive = zip_open_from_source(source, ZIP_RDONLY | ZIP_CHECKCONS, reason.get());
  if (handle_->archive == nullptr) {
    zip_source_free(source);
    fail("{}: is not a zip archive that can be read: {}", file_, reason.text());
  }
  const zip_int64_t count = zip_get_num_entries(handle_->archive, 0);
  const uint64_t most = most_growth * bytes.size();
  uint64_t total = 0;
  for (zip_int64_t i = 0; i < count; ++i) {
    zip_stat_t found;
    zip_stat_init(&found);
    const auto index = static_cast<zip_uint64_t>(i);
    const bool known = zip_stat_index(handle_->archive, index, 0, &found) == 0 &&
                       (found.valid & ZIP_STAT_NAME) != 0 && (found.valid & ZIP_STAT_SIZE) != 0;
    require(known, "{}: entry {} of the archive has no name or no size", file_, i);
    require(found.size <= most && total <= most - found.size,
            "{}: its files unpack to more than {} times its {} bytes", file_, most_growth,
            bytes.size());
    total += found.size;
    const bool is_new = sizes_.emplace(found.name, Entry{index, found.size}).second;
    require(is_new, "{}: has the file {} twice", file_, Quoted{found.name});
  }
}

ZipArchive::ZipArchive(ZipArchive&&) noexcept = default;
ZipArchive& ZipArchive::operator=(ZipArchive&&) noexcept = default;
ZipArchive::~ZipArchive() = default;

std::vector<std::string> ZipArchive::names() const {
  std::vector<std::string> names;
  for (const auto& [name, entry] : sizes_) names.push_back(name);
  return names;
}

const ZipArchive::Entry& ZipArchive::entry(std::string_view name) const {
  const auto found = sizes_.find(name);
  require(found != sizes_.end(), "{}: has no file {}", file_, Quoted{name});
  return found->second;
}

uint64_t ZipArchive::size(std::string_view name) const { return entry(name).size; }

std::vector<std::byte> ZipArchive::read(std::string_view name) const {
  return read_front(name, entry(name).size);
}

std::vector<std::byte> ZipArchive::read_front(std::string_view name, uint64_t most) const {
  const Entry& wanted = entry(name);
  std::vector<std::byte> bytes(static_cast<size_t>(std::min(most, wanted.size)));
  const std::unique_ptr<zip_file_t, decltype(&zip_fclose)> opened(
      zip_fopen_index(handle_->archive, wanted.index, 0), &zip_fclose);
  require(opened != nullptr, "{}: {} cannot be unpacked: {}", file_, Quoted{name},
          zip_strerror(handle_->archive));
  size_t done = 0;
  while (done < bytes.size()) {
    const zip_int64_t count = zip_fread(opened.get(), bytes.data() + done, bytes.size() - done);
    require(count > 0, "{}: {} cannot be unpacked: {} of {} bytes were found", file_, Quoted{name},
            done, bytes.size());
    done += static_cast<size_t>(count);
  }
  // At the end of a file, libzip compares its checksum.
  std::byte more;
  const zip_int64_t left = bytes.size() == wanted.size ? zip_fread(opened.get(), &more, 1) : 0;
  require(left == 0, "{}: {} is damaged", file_, Quoted{name});
  return bytes;
}

}  // namespace heed
