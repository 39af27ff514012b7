# Turns a text file into a C++ source that defines it as a string.
#
#   cmake -DINPUT=page.html -DNAME=attention_page_text -DOUTPUT=page.cpp -P cmake/embed_text.cmake

file(READ "${INPUT}" text)
# What ends a literal must not stand in the text.
set(mark "heed_text")
string(FIND "${text}" ")${mark}\"" found)
if(NOT found EQUAL -1)
  message(FATAL_ERROR "${INPUT}: has )${mark}\", which would end the literal that holds it")
endif()
file(WRITE "${OUTPUT}" "// Made from ${INPUT} by cmake/embed_text.cmake.
#include <string_view>

#pragma GCC diagnostic ignored \"-Woverlength-strings\"

namespace heed {

extern const std::string_view ${NAME};
const std::string_view ${NAME} = R\"${mark}(${text})${mark}\";

}  // namespace heed
")
