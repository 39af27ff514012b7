// An open file as the system counts them.
#pragma once

#include <unistd.h>

#include <utility>

namespace heed {

// Closes the descriptor at its end. errno stays what it was, for whoever is about to report why.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}  // negative: none, as open() says it
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~Descriptor();

  bool is_open() const { return number_ >= 0; }
  int number() const { return number_; }

  // Closes it now. False if the system reports that something was not written.
  bool close() { return ::close(std::exchange(number_, -1)) == 0; }

 private:
  int number_ = -1;
};

}  // namespace heed
