#include "heed/data/compressor.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <array>
#include <new>

namespace heed {

namespace {

using Buffer = std::array<char, size_t{1} << 15>;

class GzipCompressor : public Compressor {
 public:
  GzipCompressor() {
    constexpr int largest_window_with_gzip_header = 15 + 16, default_memory = 8;
    if (::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window_with_gzip_header,
                       default_memory, Z_DEFAULT_STRATEGY) != Z_OK)
      throw std::bad_alloc();
  }
  GzipCompressor(const GzipCompressor&) = delete;
  GzipCompressor& operator=(const GzipCompressor&) = delete;
  ~GzipCompressor() override { ::deflateEnd(&stream_); }

  std::string add(std::string_view text) override {
    // A length that zlib can count.
    constexpr size_t most = size_t{1} << 30;
    std::string packed;
    for (; !text.empty(); text.remove_prefix(std::min(most, text.size())))
      packed += deflate(text.substr(0, most), Z_NO_FLUSH);
    return packed;
  }
  std::string end() override { return deflate({}, Z_FINISH); }

 private:
  std::string deflate(std::string_view text, int how) {
    std::string packed;
    Buffer buffer;
    // zlib does not write there.
    stream_.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
    stream_.avail_in = static_cast<uInt>(text.size());
    do {
      stream_.next_out = reinterpret_cast<Bytef*>(buffer.data());
      stream_.avail_out = static_cast<uInt>(buffer.size());
      ::deflate(&stream_, how);
      packed.append(buffer.data(), buffer.size() - stream_.avail_out);
    } while (stream_.avail_out == 0);
    return packed;
  }

  z_stream stream_ = {};
};

class ZstdCompressor : public Compressor {
 public:
  ZstdCompressor() : stream_(::ZSTD_createCCtx()) {
    if (stream_ == nullptr) throw std::bad_alloc();
    ::ZSTD_CCtx_setParameter(stream_, ZSTD_c_checksumFlag, 1);
  }
  ZstdCompressor(const ZstdCompressor&) = delete;
  ZstdCompressor& operator=(const ZstdCompressor&) = delete;
  ~ZstdCompressor() override { ::ZSTD_freeCCtx(stream_); }

  std::string add(std::string_view text) override { return compress(text, ZSTD_e_continue); }
  std::string end() override { return compress({}, ZSTD_e_end); }

 private:
  std::string compress(std::string_view text, ZSTD_EndDirective how) {
    std::string packed;
    Buffer buffer;
    ZSTD_inBuffer in = {text.data(), text.size(), 0};
    for (size_t left = 1; left > 0;) {
      ZSTD_outBuffer out = {buffer.data(), buffer.size(), 0};
      const size_t result = ::ZSTD_compressStream2(stream_, &out, &in, how);
      if (::ZSTD_isError(result) != 0) throw std::bad_alloc();  // it has no other reason
      packed.append(buffer.data(), out.pos);
      left = how == ZSTD_e_end ? result : in.size - in.pos;
    }
    return packed;
  }

  ZSTD_CCtx* stream_;
};

}  // namespace

std::unique_ptr<Compressor> compressor_for(const std::filesystem::path& file) {
  if (file.extension() == ".gz") return std::make_unique<GzipCompressor>();
  if (file.extension() == ".zst") return std::make_unique<ZstdCompressor>();
  return nullptr;
}

}  // namespace heed
