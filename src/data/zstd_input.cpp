#include "heed/data/zstd_input.h"

#include <zstd.h>
#include <zstd_errors.h>

#include <new>
#include <utility>

#include "heed/base/error.h"

namespace heed {

namespace {

class ZstdInput : public ByteInput {
 public:
  ZstdInput(BufferedInput input, std::string name)
      : input_(std::move(input)), name_(std::move(name)), stream_(::ZSTD_createDStream()) {
    if (stream_ == nullptr) throw std::bad_alloc();
  }
  ZstdInput(const ZstdInput&) = delete;
  ZstdInput& operator=(const ZstdInput&) = delete;
  ~ZstdInput() override { ::ZSTD_freeDStream(stream_); }

  size_t read(std::span<char> buffer) override {
    for (;;) {
      // Buffered output comes first: more input may take long to arrive.
      const std::string_view packed = input_.peek(more_inside_ ? 0 : 1);
      if (packed.empty() && between_frames_) return 0;
      require(!packed.empty() || more_inside_, "{}: the zstd data is not complete", name_);
      ZSTD_inBuffer in = {packed.data(), packed.size(), 0};
      ZSTD_outBuffer out = {buffer.data(), buffer.size(), 0};
      const size_t result = ::ZSTD_decompressStream(stream_, &out, &in);
      if (::ZSTD_getErrorCode(result) == ZSTD_error_memory_allocation) throw std::bad_alloc();
      require(::ZSTD_isError(result) == 0, "{}: the zstd data is damaged: {}", name_,
              ::ZSTD_getErrorName(result));
      between_frames_ = result == 0;
      more_inside_ = !between_frames_ && out.pos == out.size;
      input_.skip(in.pos);
      if (out.pos > 0) return out.pos;
    }
  }

  bool is_ready() override { return more_inside_ || input_.is_ready(); }

 private:
  BufferedInput input_;
  std::string name_;
  ZSTD_DStream* stream_;
  bool between_frames_ = false;
  bool more_inside_ = false;
};

}  // namespace

std::unique_ptr<ByteInput> unpack_zstd(BufferedInput packed, const std::string& name) {
  return std::make_unique<ZstdInput>(std::move(packed), name);
}

}  // namespace heed
