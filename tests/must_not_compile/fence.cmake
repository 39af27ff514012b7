# Compiles includes with the include folders of one room. ALLOWED must compile, all together; each
# of FORBIDDEN must fail because there is no such file.
cmake_minimum_required(VERSION 3.25)

foreach(list INCLUDES ALLOWED FORBIDDEN)
  string(REPLACE "|" ";" ${list} "${${list}}")
endforeach()
list(TRANSFORM INCLUDES PREPEND "-I")
set(ENV{LC_ALL} C)

# Compiles a source that holds nothing but the includes.
function(try_includes result message)
  set(source "${FOLDER}/includes.cpp")
  list(TRANSFORM ARGN REPLACE "(.+)" "#include \"\\1\"\n" OUTPUT_VARIABLE lines)
  string(JOIN "" text ${lines})
  file(WRITE "${source}" "${text}")
  execute_process(COMMAND "${COMPILER}" -std=c++20 -fsyntax-only ${INCLUDES} "${source}"
    RESULT_VARIABLE status ERROR_VARIABLE errors)
  set(${result} ${status} PARENT_SCOPE)
  set(${message} "${errors}" PARENT_SCOPE)
endfunction()

try_includes(status errors ${ALLOWED})
if(NOT status EQUAL 0)
  message(SEND_ERROR "must compile but does not:\n${errors}")
endif()

foreach(header IN LISTS FORBIDDEN)
  try_includes(status errors ${header})
  if(status EQUAL 0)
    message(SEND_ERROR "${header} compiles but must not")
  elseif(NOT errors MATCHES "${header}: No such file|'${header}' file not found")
    message(SEND_ERROR "${header} fails, but not because the file is missing:\n${errors}")
  endif()
endforeach()
