// The peak performance of this machine.
#pragma once

namespace heed {

class Workers;

// Floating-point operations per second of the widest multiply-adds, all in registers: best of
// several runs, some hundredths of a second in all. On this thread, or on all workers at the same
// time.
double peak_flops();
double peak_flops(Workers& workers);

}  // namespace heed
