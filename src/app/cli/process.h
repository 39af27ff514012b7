// What every program here does first.
#pragma once

namespace heed {

// Streams, signals and memory. For main.
void prepare_process();

}  // namespace heed
