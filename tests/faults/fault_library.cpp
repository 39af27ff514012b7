// Preloaded into a program (LD_PRELOAD), makes its system calls fail, stop short or kill it, or
// gives it a small disk. faults.h configures it through the environment:
//
//   HEED_FAULT_BELOW   only calls on files below this folder are meant
//   HEED_FAULT_CALLS   the calls that are meant, e.g. "write" or "write,fsync,rename"
//   HEED_FAULT_AT      the n-th of them, counted from 1; 0 for every one; -1 to count only
//   HEED_FAULT_ACTION  fail, cut, kill-before, kill-inside or kill-after
//   HEED_FAULT_ERROR   errno where it fails
//   HEED_FAULT_REPORT  file that gets a line for each call that was meant: "write /path"
//   HEED_FAULT_DISK    so many bytes fit into the folder
//
// All other calls go to the system. No call in here goes through this library again.
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#include <atomic>

namespace {

enum class Action { fail, cut, kill_before, kill_inside, kill_after };

const char* setting(const char* name, const char* otherwise) {
  const char* value = getenv(name);
  return value != nullptr ? value : otherwise;
}

Action action_named(const char* name) {
  if (strcmp(name, "cut") == 0) return Action::cut;
  if (strcmp(name, "kill-before") == 0) return Action::kill_before;
  if (strcmp(name, "kill-inside") == 0) return Action::kill_inside;
  if (strcmp(name, "kill-after") == 0) return Action::kill_after;
  return Action::fail;
}

struct Plan {
  const char* below = setting("HEED_FAULT_BELOW", "/nowhere");
  const char* calls = setting("HEED_FAULT_CALLS", "");
  long at = atol(setting("HEED_FAULT_AT", "-1"));
  Action action = action_named(setting("HEED_FAULT_ACTION", "fail"));
  int error = atoi(setting("HEED_FAULT_ERROR", "5"));
  const char* report = getenv("HEED_FAULT_REPORT");
  long disk = atol(setting("HEED_FAULT_DISK", "-1"));
};

const Plan& plan() {
  static const Plan only;
  return only;
}

template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

bool is_below(const char* path) {
  const size_t length = strlen(plan().below);
  return strncmp(path, plan().below, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

// The name stands between commas.
bool is_listed(const char* call) {
  const size_t length = strlen(call);
  for (const char* at = plan().calls; (at = strstr(at, call)) != nullptr; ++at) {
    const bool begins = at == plan().calls || at[-1] == ',';
    if (begins && (at[length] == ',' || at[length] == '\0')) return true;
  }
  return false;
}

void report(const char* call, const char* path) {
  if (plan().report == nullptr) return;
  const long file =
      syscall(SYS_openat, AT_FDCWD, plan().report, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0666);
  char line[4096 + 64];
  const int length = snprintf(line, sizeof(line), "%s %s\n", call, path);
  syscall(SYS_write, file, line, static_cast<size_t>(length));
  syscall(SYS_close, file);
}

// Is it this call's turn?
bool is_meant(const char* call, const char* path) {
  if (!is_listed(call) || !is_below(path)) return false;
  static std::atomic<long> count = 0;
  const long turn = ++count;
  if (plan().at > 0 && turn != plan().at) return false;
  const int kept = errno;
  report(call, path);
  errno = kept;
  return plan().at >= 0;
}

[[noreturn]] void die() {
  syscall(SYS_kill, syscall(SYS_getpid), SIGKILL);
  for (;;) syscall(SYS_pause);
}

class PathOf {
 public:
  explicit PathOf(int descriptor) {
    char link[64];
    snprintf(link, sizeof(link), "/proc/self/fd/%d", descriptor);
    const long length = syscall(SYS_readlink, link, path_, sizeof(path_) - 1);
    path_[length > 0 ? length : 0] = '\0';
  }
  operator const char*() const { return path_; }

 private:
  char path_[4096];
};

// A call that either happens or does not.
template <typename Result, typename Call>
Result meddle(const char* name, const char* path, Result failure, Call call) {
  if (path == nullptr || !is_meant(name, path)) return call();
  if (plan().action == Action::kill_before) die();
  if (plan().action == Action::fail) {
    errno = plan().error;
    return failure;
  }
  const Result result = call();
  if (plan().action != Action::cut) die();
  return result;
}

// The total size of the files below the folder.
size_t used_bytes() {
  static thread_local size_t sum;
  sum = 0;
  const auto add = [](const char*, const struct stat* status, int kind, struct FTW*) {
    if (kind == FTW_F) sum += static_cast<size_t>(status->st_size);
    return 0;
  };
  nftw(plan().below, add, 16, FTW_PHYS);
  return sum;
}

// Bytes that a write may write.
size_t room_for(const char* path, size_t size) {
  if (plan().disk < 0 || !is_below(path)) return size;
  const size_t used = used_bytes(), disk = static_cast<size_t>(plan().disk);
  const size_t left = used < disk ? disk - used : 0;
  return size < left ? size : left;
}

// A call that may be partial. `call` gets the bytes that it may write.
template <typename Call>
ssize_t meddle_with_write(int descriptor, size_t size, Call call) {
  const PathOf path(descriptor);
  const size_t room = room_for(path, size);
  if (size > 0 && room == 0) {
    errno = ENOSPC;
    return -1;
  }
  if (!is_meant("write", path)) return call(room);
  switch (plan().action) {
    case Action::kill_before:
      die();
    case Action::fail:
      errno = plan().error;
      return -1;
    case Action::cut:
      return call(room - room / 2);
    case Action::kill_inside:
      call(room / 2);
      die();
    case Action::kill_after:
      call(room);
      die();
  }
  return -1;
}

bool takes_mode(int flags) { return (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE; }

// Opening for writing counts separately from opening for reading.
const char* open_call(int flags) { return (flags & O_ACCMODE) == O_RDONLY ? "open" : "create"; }

int open_with(const char* name, const char* path, int flags, mode_t mode) {
  return meddle(open_call(flags), path, -1,
                [&] { return next<int (*)(const char*, int, ...)>(name)(path, flags, mode); });
}

FILE* fopen_with(const char* name, const char* path, const char* mode) {
  return meddle(mode[0] == 'r' && strchr(mode, '+') == nullptr ? "open" : "create", path,
                static_cast<FILE*>(nullptr),
                [&] { return next<FILE* (*)(const char*, const char*)>(name)(path, mode); });
}

int truncate_with(const char* name, const char* path, off_t size) {
  return meddle("truncate", path, -1,
                [&] { return next<int (*)(const char*, off_t)>(name)(path, size); });
}

int ftruncate_with(const char* name, int descriptor, off_t size) {
  return meddle("truncate", PathOf(descriptor), -1,
                [&] { return next<int (*)(int, off_t)>(name)(descriptor, size); });
}

int descriptor_call(const char* name, int descriptor) {
  return meddle(name, PathOf(descriptor), -1, [&] { return next<int (*)(int)>(name)(descriptor); });
}

void* map_with(const char* name, void* at, size_t size, int protection, int flags, int descriptor,
               off_t offset) {
  const auto call = [&] {
    return next<void* (*)(void*, size_t, int, int, int, off_t)>(name)(at, size, protection, flags,
                                                                      descriptor, offset);
  };
  // Anonymous memory counts as part of the folder, so that its failure can be tested, too.
  if (descriptor < 0) return meddle("memory", plan().below, MAP_FAILED, call);
  return meddle("mmap", PathOf(descriptor), MAP_FAILED, call);
}

mode_t mode_of(int flags, va_list more) {
  return takes_mode(flags) ? static_cast<mode_t>(va_arg(more, int)) : 0;
}

}  // namespace

// As the C library declares them.
extern "C" {

int open(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_with("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list more;
  va_start(more, flags);
  const mode_t mode = mode_of(flags, more);
  va_end(more);
  return open_with("open64", path, flags, mode);
}

FILE* fopen(const char* path, const char* mode) { return fopen_with("fopen", path, mode); }
FILE* fopen64(const char* path, const char* mode) { return fopen_with("fopen64", path, mode); }

ssize_t read(int descriptor, void* bytes, size_t size) {
  return meddle("read", PathOf(descriptor), ssize_t{-1}, [&] {
    return next<ssize_t (*)(int, void*, size_t)>("read")(descriptor, bytes, size);
  });
}

ssize_t pread(int descriptor, void* bytes, size_t size, off_t offset) {
  return meddle("read", PathOf(descriptor), ssize_t{-1}, [&] {
    return next<ssize_t (*)(int, void*, size_t, off_t)>("pread")(descriptor, bytes, size, offset);
  });
}

ssize_t write(int descriptor, const void* bytes, size_t size) {
  return meddle_with_write(descriptor, size, [&](size_t count) {
    return next<ssize_t (*)(int, const void*, size_t)>("write")(descriptor, bytes, count);
  });
}

// If not all of it may be written, the first part is.
ssize_t writev(int descriptor, const iovec* parts, int count) {
  size_t size = 0;
  for (int i = 0; i < count; ++i) size += parts[i].iov_len;
  return meddle_with_write(descriptor, size, [&](size_t room) {
    if (room < size) {
      const size_t first = parts[0].iov_len < room ? parts[0].iov_len : room;
      return next<ssize_t (*)(int, const void*, size_t)>("write")(descriptor, parts[0].iov_base,
                                                                  first);
    }
    return next<ssize_t (*)(int, const iovec*, int)>("writev")(descriptor, parts, count);
  });
}

int fsync(int descriptor) { return descriptor_call("fsync", descriptor); }
int fdatasync(int descriptor) { return descriptor_call("fdatasync", descriptor); }

// Linux frees the descriptor even if close fails.
int close(int descriptor) {
  const auto real = next<int (*)(int)>("close");
  bool called = false;
  const int result = meddle("close", PathOf(descriptor), -1, [&] {
    called = true;
    return real(descriptor);
  });
  if (!called) {
    real(descriptor);
    errno = plan().error;
  }
  return result;
}

int rename(const char* from, const char* to) {
  return meddle("rename", to, -1,
                [&] { return next<int (*)(const char*, const char*)>("rename")(from, to); });
}

int truncate(const char* path, off_t size) { return truncate_with("truncate", path, size); }
int truncate64(const char* path, off_t size) { return truncate_with("truncate64", path, size); }
int ftruncate(int descriptor, off_t size) { return ftruncate_with("ftruncate", descriptor, size); }
int ftruncate64(int descriptor, off_t size) {
  return ftruncate_with("ftruncate64", descriptor, size);
}

void* mmap(void* at, size_t size, int protection, int flags, int descriptor, off_t offset) {
  return map_with("mmap", at, size, protection, flags, descriptor, offset);
}
void* mmap64(void* at, size_t size, int protection, int flags, int descriptor, off_t offset) {
  return map_with("mmap64", at, size, protection, flags, descriptor, offset);
}

int mkdir(const char* path, mode_t mode) {
  return meddle("mkdir", path, -1,
                [&] { return next<int (*)(const char*, mode_t)>("mkdir")(path, mode); });
}

int fchmod(int descriptor, mode_t mode) {
  return meddle("fchmod", PathOf(descriptor), -1,
                [&] { return next<int (*)(int, mode_t)>("fchmod")(descriptor, mode); });
}

int unlink(const char* path) {
  return meddle("unlink", path, -1, [&] { return next<int (*)(const char*)>("unlink")(path); });
}

DIR* opendir(const char* path) {
  return meddle("open", path, static_cast<DIR*>(nullptr),
                [&] { return next<DIR* (*)(const char*)>("opendir")(path); });
}

int stat(const char* path, struct stat* status) {
  return meddle("stat", path, -1,
                [&] { return next<int (*)(const char*, struct stat*)>("stat")(path, status); });
}

int fstat(int descriptor, struct stat* status) {
  return meddle("stat", PathOf(descriptor), -1,
                [&] { return next<int (*)(int, struct stat*)>("fstat")(descriptor, status); });
}

int remove(const char* path) {
  return meddle("unlink", path, -1, [&] { return next<int (*)(const char*)>("remove")(path); });
}

}  // extern "C"
