# cmake -DPROGRAMS=a;b -P readable_names.cmake: fails if the name of a test is only a number or an
# address.
foreach(program IN LISTS PROGRAMS)
  execute_process(COMMAND "${program}" --gtest_list_tests OUTPUT_VARIABLE list RESULT_VARIABLE code)
  if(NOT code EQUAL 0)
    message(FATAL_ERROR "${program} does not list its tests: ${code}")
  endif()
  string(REGEX MATCHALL "[^\n]*/[0-9]+( [^\n]*)?\n" numbered "${list}")
  if(numbered)
    message(FATAL_ERROR "${program}: tests without a readable name:\n${numbered}")
  endif()
endforeach()
