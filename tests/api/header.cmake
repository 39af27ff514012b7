# Compares the functions that HEADER declares with the lines of EXPECTED.
cmake_minimum_required(VERSION 3.25)

file(READ "${HEADER}" text)
string(REGEX MATCHALL "HEED_API [a-z_ ]+[*]? ?heed_[a-z_0-9]+\\(" declared "${text}")
list(TRANSFORM declared REPLACE "^.*(heed_[a-z_0-9]+)\\($" "\\1")
list(SORT declared)
file(STRINGS "${EXPECTED}" expected)
if(NOT declared STREQUAL expected)
  message(FATAL_ERROR "${HEADER} declares\n${declared}\nbut these were expected\n${expected}")
endif()
