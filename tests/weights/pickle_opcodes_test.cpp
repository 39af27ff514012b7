#include "heed/weights/pickle_opcodes.h"

#include <gtest/gtest.h>

namespace heed {
namespace {

TEST(PickleOpcodes, HavePythonsNames) {
  EXPECT_EQ(pickle_opcode_name('R'), "REDUCE");
  EXPECT_EQ(pickle_opcode_name(static_cast<uint8_t>(PickleOpcode::persistent)), "BINPERSID");
  EXPECT_EQ(pickle_opcode_name(0x98), "READONLY_BUFFER");
  EXPECT_EQ(pickle_opcode_name(0x99), "");
  int known = 0;
  for (int code = 0; code < 256; ++code)
    known += !pickle_opcode_name(static_cast<uint8_t>(code)).empty();
  EXPECT_EQ(known, 68);  // of protocols 0 to 5
}

}  // namespace
}  // namespace heed
