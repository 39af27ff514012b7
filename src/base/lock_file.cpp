#include "heed/base/lock_file.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>
#include <system_error>

#include "heed/base/error.h"

namespace heed {

std::optional<LockFile> LockFile::hold(const std::filesystem::path& path) {
  Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666));
  require(descriptor.is_open(), ErrorKind::system, "{}: cannot be written: {}", path.string(),
          std::generic_category().message(errno));
  // Some file systems have no locks; there, nobody is kept out.
  const bool held_by_another =
      ::flock(descriptor.number(), LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  if (held_by_another) return std::nullopt;
  return LockFile(std::move(descriptor));
}

}  // namespace heed
