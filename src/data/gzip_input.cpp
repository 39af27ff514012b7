#include "heed/data/gzip_input.h"

#include <zlib.h>

#include <new>
#include <utility>

#include "heed/base/error.h"

namespace heed {

namespace {

class GzipInput : public ByteInput {
 public:
  GzipInput(BufferedInput input, std::string name)
      : input_(std::move(input)), name_(std::move(name)) {
    constexpr int largest_window_with_gzip_header = 15 + 16;
    if (::inflateInit2(&stream_, largest_window_with_gzip_header) != Z_OK) throw std::bad_alloc();
  }
  GzipInput(const GzipInput&) = delete;
  GzipInput& operator=(const GzipInput&) = delete;
  ~GzipInput() override { ::inflateEnd(&stream_); }

  size_t read(std::span<char> buffer) override {
    for (;;) {
      if (between_members_ && !start_next_member()) return 0;
      if (const size_t produced = inflate_some(buffer)) return produced;
    }
  }

  bool is_ready() override { return more_inside_ || input_.is_ready(); }

 private:
  size_t inflate_some(std::span<char> buffer) {
    // Buffered output comes first: more input may take long to arrive.
    const std::string_view packed = input_.peek(more_inside_ ? 0 : 1);
    require(!packed.empty() || more_inside_, "{}: the gzip data is not complete", name_);
    // zlib does not write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream_.avail_in = static_cast<uInt>(packed.size());
    stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
    stream_.avail_out = static_cast<uInt>(buffer.size());
    const int result = ::inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    require(result == Z_OK || result == Z_STREAM_END || result == Z_BUF_ERROR,
            "{}: the gzip data is damaged", name_);
    input_.skip(packed.size() - stream_.avail_in);
    between_members_ = result == Z_STREAM_END;
    more_inside_ = !between_members_ && stream_.avail_out == 0;
    return buffer.size() - stream_.avail_out;
  }

  // Some tools pad the end with zeros. Like gzip, ignore what is not another member.
  bool start_next_member() {
    if (!input_.starts_with(gzip_signature)) return false;
    ::inflateReset(&stream_);
    between_members_ = false;
    return true;
  }

  BufferedInput input_;
  std::string name_;
  z_stream stream_ = {};
  bool between_members_ = false;
  bool more_inside_ = false;
};

}  // namespace

std::unique_ptr<ByteInput> unpack_gzip(BufferedInput packed, const std::string& name) {
  return std::make_unique<GzipInput>(std::move(packed), name);
}

}  // namespace heed
