// Zip archives to test with, whose headers can lie.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "heed/base/checksum.h"

namespace heed::testing {

struct ZipLies {
  uint32_t more_bytes = 0;  // than there are, once unpacked
  uint16_t method = 0;      // 8: deflated
  uint32_t checksum = 0;    // xor
};

// Parts are stored as they are.
class ZipMaker {
 public:
  ZipMaker& add(std::string_view name, std::string_view bytes, const ZipLies& lies = {}) {
    const uint32_t sum = checksum(std::as_bytes(std::span(bytes))) ^ lies.checksum;
    const auto size = static_cast<uint32_t>(bytes.size());
    const auto about = [&](std::string& to) {
      number(to, lies.method, 2);
      number(to, 0, 4);  // time and date
      number(to, sum, 4);
      number(to, size, 4);
      number(to, size + lies.more_bytes, 4);
      number(to, static_cast<uint32_t>(name.size()), 2);
      number(to, 0, 2);
    };
    const auto offset = static_cast<uint32_t>(parts_.size());
    parts_ += "PK\x03\x04";
    number(parts_, 20, 2);
    number(parts_, 0, 2);
    about(parts_);
    parts_.append(name).append(bytes);
    directory_ += "PK\x01\x02";
    number(directory_, 20, 2);
    number(directory_, 20, 2);
    number(directory_, 0, 2);
    about(directory_);
    for (int i = 0; i < 5; ++i) number(directory_, 0, 2);
    number(directory_, offset, 4);
    directory_.append(name);
    ++count_;
    return *this;
  }

  std::string bytes() const {
    std::string all = parts_ + directory_ + "PK\x05\x06";
    number(all, 0, 4);
    number(all, count_, 2);
    number(all, count_, 2);
    number(all, static_cast<uint32_t>(directory_.size()), 4);
    number(all, static_cast<uint32_t>(parts_.size()), 4);
    number(all, 0, 2);
    return all;
  }

 private:
  static void number(std::string& to, uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) to += static_cast<char>(value >> (8 * i));
  }

  std::string parts_, directory_;
  uint32_t count_ = 0;
};

}  // namespace heed::testing
