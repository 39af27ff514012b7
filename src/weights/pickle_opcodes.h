// The opcodes of pickles, protocols 0 to 5, with Python's names.
#pragma once

#include <cstdint>
#include <string_view>

namespace heed {

enum class PickleOpcode : uint8_t {
  mark = '(',
  stop = '.',
  none = 'N',
  new_true = 0x88,
  new_false = 0x89,
  integer = 'J',
  integer1 = 'K',
  integer2 = 'M',
  long1 = 0x8a,
  long4 = 0x8b,
  real = 'G',
  text = 'X',
  short_text = 0x8c,
  text8 = 0x8d,
  string = 'T',
  short_string = 'U',
  bytes = 'B',
  short_bytes = 'C',
  bytes8 = 0x8e,
  empty_tuple = ')',
  tuple = 't',
  tuple1 = 0x85,
  tuple2 = 0x86,
  tuple3 = 0x87,
  empty_list = ']',
  append = 'a',
  appends = 'e',
  empty_dictionary = '}',
  set_item = 's',
  set_items = 'u',
  put = 'q',
  long_put = 'r',
  memoize = 0x94,
  get = 'h',
  long_get = 'j',
  global = 'c',
  stack_global = 0x93,
  reduce = 'R',
  build = 'b',
  persistent = 'Q',
  protocol = 0x80,
  frame = 0x95,
};

// Python's name of any opcode, also of those above; empty if there is no such opcode.
std::string_view pickle_opcode_name(uint8_t code);

}  // namespace heed
