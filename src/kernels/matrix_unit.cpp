#include "heed/kernels/matrix_unit.h"

#include <atomic>

#if HEED_KERNELS_HAVE_AMX
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace heed::kernels {

namespace {

#if HEED_KERNELS_HAVE_AMX

bool cpu_has_unit() {
  constexpr unsigned amx_bf16 = 1u << 22, amx_tile = 1u << 24, avx512_bf16 = 1u << 5;
  unsigned a = 0, b = 0, c = 0, d = 0;
  if (__get_cpuid_count(7, 0, &a, &b, &c, &d) == 0) return false;
  if ((d & amx_bf16) == 0 || (d & amx_tile) == 0) return false;
  if (__get_cpuid_count(7, 1, &a, &b, &c, &d) == 0) return false;
  return (a & avx512_bf16) != 0;
}

// Linux keeps the tiles of a process only if it asks for that.
bool system_allows_tiles() {
  constexpr long request_permission = 0x1023, tile_data = 18;
  return ::syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

bool machine_has_unit() { return cpu_has_unit() && system_allows_tiles(); }

#else

bool machine_has_unit() { return false; }

#endif

std::atomic<bool> may_use_unit{true};

}  // namespace

bool has_matrix_unit() {
  static const bool found = machine_has_unit();
  return found && may_use_unit;
}

void use_matrix_unit(bool use) { may_use_unit = use; }

}  // namespace heed::kernels
