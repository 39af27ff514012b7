// A stream into a file that appears under its name only when it is complete.
#pragma once

#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string>

#include "heed/base/files.h"

namespace heed {

// Holds what is written until the next flush.
class OutputBuffer : public std::streambuf {
 public:
  explicit OutputBuffer(const std::filesystem::path& path) : file_(path) {}

  void commit() { file_.commit(); }

 protected:
  std::streamsize xsputn(const char* text, std::streamsize count) override {
    waiting_.append(text, static_cast<size_t>(count));
    return count;
  }
  int_type overflow(int_type character) override {
    if (!traits_type::eq_int_type(character, traits_type::eof()))
      waiting_ += traits_type::to_char_type(character);
    return traits_type::not_eof(character);
  }
  int sync() override {
    file_.write(waiting_);
    waiting_.clear();
    return 0;
  }

 private:
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

  void commit() {
    flush();
    buffer_.commit();
  }

 private:
  OutputBuffer buffer_;
};

}  // namespace heed
