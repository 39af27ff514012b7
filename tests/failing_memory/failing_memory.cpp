#include "failing_memory.h"

#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <new>

namespace heed::testing {

namespace {

constexpr int64_t never = -1;

// Nothing in here may ask for memory.
std::atomic<int64_t> refused_at = never;
std::atomic<Refusal> refusal_kind = Refusal::once;
std::atomic<int64_t> counted = 0;
std::atomic<int64_t> held = 0;

// Where the code of a library lies.
struct Code {
  uintptr_t begin = 0, end = 0;
  bool contains(void* address) const {
    return reinterpret_cast<uintptr_t>(address) - begin < end - begin;
  }
};

// The libraries that are given what they ask for.
std::array<Code, 2> spared = {};

void find_spared() {
  size_t found = 0;
  const auto visit = [](dl_phdr_info* library, size_t, void* count) {
    if (::strstr(library->dlpi_name, "/libsentencepiece") == nullptr) return 0;
    Code& code = spared.at((*static_cast<size_t*>(count))++);
    for (int i = 0; i < library->dlpi_phnum; ++i) {
      const auto& part = library->dlpi_phdr[i];
      if (part.p_type != PT_LOAD) continue;
      if (code.begin == 0) code.begin = library->dlpi_addr + part.p_vaddr;
      code.end = library->dlpi_addr + part.p_vaddr + part.p_memsz;
    }
    return 0;
  };
  ::dl_iterate_phdr(visit, &found);
}

// std::filesystem::path::operator/=
constexpr const char* spared_function = "_ZNSt10filesystem7__cxx114pathdVERKS1_";

bool is_spared(void* caller) {
  if (std::ranges::any_of(spared, [&](const Code& code) { return code.contains(caller); }))
    return true;
  Dl_info function = {};
  return ::dladdr(caller, &function) != 0 && function.dli_sname != nullptr &&
         ::strcmp(function.dli_sname, spared_function) == 0;
}

bool is_spared() {
  std::array<void*, 64> callers;
  const int depth = ::backtrace(callers.data(), static_cast<int>(callers.size()));
  return std::any_of(callers.begin(), callers.begin() + depth,
                     [](void* caller) { return is_spared(caller); });
}

// Counts a request. Is it one to refuse?
bool is_refused() {
  const int64_t at = refused_at;
  if (at == never) return false;
  const int64_t number = ++counted;
  const bool meant = number == at || (number > at && refusal_kind == Refusal::from_then_on);
  return meant && !is_spared();
}

template <typename Request>
void* request(Request&& memory) {
  if (is_refused()) {
    errno = ENOMEM;
    return nullptr;
  }
  void* given = memory();
  if (given != nullptr) ++held;
  return given;
}

}  // namespace

FailingMemory::FailingMemory(int64_t at, Refusal refusal) {
  find_spared();
  is_spared();  // the first backtrace of a program asks for memory itself
  counted = 0;
  refusal_kind = refusal;
  refused_at = at;
}

FailingMemory::~FailingMemory() { refused_at = never; }

int64_t FailingMemory::requests() { return counted; }

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
int64_t pieces_held() { return 0; }
#else
int64_t pieces_held() { return held; }
#endif

}  // namespace heed::testing

using heed::testing::is_refused;
using heed::testing::request;

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)

// The program is linked with --wrap for these two, as heed calls them.
extern "C" {

void* __real_aligned_alloc(size_t alignment, size_t size);
void* __wrap_aligned_alloc(size_t alignment, size_t size) {
  return request([&] { return __real_aligned_alloc(alignment, size); });
}

void* __real_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset);
void* __wrap_mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  void* given = request([&] { return __real_mmap(at, size, protection, flags, file, offset); });
  return given != nullptr ? given : MAP_FAILED;
}

}  // extern "C"

namespace {

void* allocate(size_t size) {
  return request([&] { return ::malloc(size > 0 ? size : 1); });
}

void* allocate(size_t size, std::align_val_t alignment) {
  const auto unit = static_cast<size_t>(alignment);
  return request([&] { return __real_aligned_alloc(unit, (size / unit + 1) * unit); });
}

void* or_throw(void* memory) {
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

// All of them, since a sanitizer has its own of each.
void* operator new(size_t size) { return or_throw(allocate(size)); }
void* operator new[](size_t size) { return or_throw(allocate(size)); }
void* operator new(size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new[](size_t size, const std::nothrow_t&) noexcept { return allocate(size); }
void* operator new(size_t size, std::align_val_t unit) { return or_throw(allocate(size, unit)); }
void* operator new[](size_t size, std::align_val_t unit) { return or_throw(allocate(size, unit)); }
void* operator new(size_t size, std::align_val_t unit, const std::nothrow_t&) noexcept {
  return allocate(size, unit);
}
void* operator new[](size_t size, std::align_val_t unit, const std::nothrow_t&) noexcept {
  return allocate(size, unit);
}
void operator delete(void* memory) noexcept { ::free(memory); }
void operator delete[](void* memory) noexcept { ::free(memory); }
void operator delete(void* memory, size_t) noexcept { ::free(memory); }
void operator delete[](void* memory, size_t) noexcept { ::free(memory); }
void operator delete(void* memory, std::align_val_t) noexcept { ::free(memory); }
void operator delete[](void* memory, std::align_val_t) noexcept { ::free(memory); }
void operator delete(void* memory, size_t, std::align_val_t) noexcept { ::free(memory); }
void operator delete[](void* memory, size_t, std::align_val_t) noexcept { ::free(memory); }

#else

// What a program defines comes before what its libraries do, so these are for all of them. The C
// library's own go by these names as well.
extern "C" {

void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size) {
  return request([&] { return __libc_malloc(size); });
}

void* calloc(size_t count, size_t size) {
  return request([&] { return __libc_calloc(count, size); });
}

void* realloc(void* memory, size_t size) {
  void* given = request([&] { return __libc_realloc(memory, size); });
  if (given != nullptr && memory != nullptr) --heed::testing::held;
  return given;
}

void* memalign(size_t alignment, size_t size) {
  return request([&] { return __libc_memalign(alignment, size); });
}

void* aligned_alloc(size_t alignment, size_t size) { return memalign(alignment, size); }

int posix_memalign(void** memory, size_t alignment, size_t size) {
  void* given = memalign(alignment, size);
  if (given == nullptr) return ENOMEM;
  *memory = given;
  return 0;
}

void free(void* memory) {
  if (memory != nullptr) --heed::testing::held;
  __libc_free(memory);
}

void* mmap(void* at, size_t size, int protection, int flags, int file, off_t offset) {
  if (!is_refused())
    return reinterpret_cast<void*>(::syscall(SYS_mmap, at, size, protection, flags, file, offset));
  errno = ENOMEM;
  return MAP_FAILED;
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*run)(void*),
                   void* argument) {
  static const auto next =
      reinterpret_cast<decltype(&pthread_create)>(::dlsym(RTLD_NEXT, "pthread_create"));
  return is_refused() ? EAGAIN : next(thread, attributes, run, argument);
}

}  // extern "C"

#endif
