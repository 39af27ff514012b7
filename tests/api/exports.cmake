# Compares what LIBRARY defines for others with the lines of EXPECTED.
cmake_minimum_required(VERSION 3.25)

execute_process(COMMAND "${NM}" -D --defined-only "${LIBRARY}"
  OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "[^\n]+" symbols "${symbols}")
list(TRANSFORM symbols REPLACE "^[^ ]+ (.) (.+)$" "\\2 \\1")
list(FILTER symbols EXCLUDE REGEX " A$")  # the version itself
list(SORT symbols)

file(STRINGS "${EXPECTED}" expected)
list(TRANSFORM expected APPEND "@@HEED_0 T")
if(NOT symbols STREQUAL expected)
  list(JOIN symbols "\n" symbols)
  list(JOIN expected "\n" expected)
  message(FATAL_ERROR "${LIBRARY} exports\n${symbols}\nbut these were expected\n${expected}")
endif()
