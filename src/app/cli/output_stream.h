// A stream to a file that appears under its name only when it is complete, or to standard output
// ("-"). A name that ends in .gz or .zst means that it is compressed.
#pragma once

#include <filesystem>
#include <memory>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>

#include "heed/base/files.h"
#include "heed/data/compressor.h"

namespace heed {

// Buffers what is written until the next flush, or until the buffer is full.
class OutputBuffer : public std::streambuf {
 public:
  explicit OutputBuffer(const std::filesystem::path& path)
      : compressor_(compressor_for(path)), file_(path) {}

  void finish() {
    if (compressor_) file_.write(std::exchange(compressor_, {})->end());
    file_.finish();
  }
  void commit() {
    finish();
    file_.commit();
  }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    waiting_.append(text, static_cast<size_t>(count));
    write_if_much();
    return count;
  }
  int_type overflow(int_type character) override {
    if (!traits_type::eq_int_type(character, traits_type::eof()))
      waiting_ += traits_type::to_char_type(character);
    write_if_much();
    return traits_type::not_eof(character);
  }
  int sync() override {
    // Cleared even if the write fails: it is not tried again.
    if (waiting_.empty()) return 0;
    const std::string text = std::exchange(waiting_, {});
    file_.write(compressor_ ? compressor_->add(text) : text);
    return 0;
  }

 private:
  static constexpr size_t much = size_t{1} << 16;

  void write_if_much() {
    if (waiting_.size() >= much) sync();
  }

  std::unique_ptr<Compressor> compressor_;  // absent when it is done, or for plain text
  OutputFile file_;
  std::string waiting_;
};

// An Error where something cannot be written.
class OutputStream final : public std::ostream {
 public:
  explicit OutputStream(const std::filesystem::path& path) : std::ostream(nullptr), buffer_(path) {
    rdbuf(&buffer_);
    exceptions(std::ios::badbit);
  }

  // See OutputFile.
  void finish() {
    flush();
    buffer_.finish();
  }
  void commit() {
    flush();
    buffer_.commit();
  }

 private:
  OutputBuffer buffer_;
};

}  // namespace heed
