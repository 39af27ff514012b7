# COMMAND, its words between |, says the same of MODEL as REFERENCE does, and fails as it does where
# there is no model.
cmake_minimum_required(VERSION 3.25)

string(REPLACE "|" ";" COMMAND "${COMMAND}")

function(output_of result)
  execute_process(COMMAND ${ARGN}
    OUTPUT_VARIABLE output ERROR_VARIABLE errors RESULT_VARIABLE status)
  set(${result} "status ${status}\n${output}${errors}" PARENT_SCOPE)
endfunction()

foreach(folder "${MODEL}" "${MODEL}/no such folder")
  output_of(expected "${REFERENCE}" "${folder}" "a line" "" "Another line, größer.")
  output_of(found ${COMMAND} "${folder}" "a line" "" "Another line, größer.")
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "it says:\n${found}\nbut the C++ program:\n${expected}")
  endif()
  string(APPEND both "${found}")
endforeach()
set(translated "status 0\na line -> .+ \\(score -.+ looked at [0-9]+-0 ")
if(NOT both MATCHES "${translated}.*status 1\n.*no such folder")
  message(FATAL_ERROR "both say: ${both}")
endif()
