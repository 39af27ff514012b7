#include "heed/base/descriptor.h"

#include <cerrno>

namespace heed {

Descriptor::~Descriptor() {
  if (!is_open()) return;
  const int reason = errno;
  ::close(number_);
  errno = reason;
}

}  // namespace heed
