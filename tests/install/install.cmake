# Installs BUILD into a fresh prefix, then configures, builds and runs outside/ with nothing but that.
cmake_minimum_required(VERSION 3.25)

set(prefix "${FOLDER}/prefix")
set(outside "${FOLDER}/outside")
file(REMOVE_RECURSE "${prefix}" "${outside}")

function(run)
  execute_process(COMMAND ${ARGN} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

run(${CMAKE_COMMAND} --install "${BUILD}" --prefix "${prefix}")

# A package that names the tree it was built in works only as long as that tree stays.
file(GLOB_RECURSE package "${prefix}/*.cmake")
if(NOT package)
  message(FATAL_ERROR "no package was installed under ${prefix}")
endif()
foreach(file IN LISTS package)
  file(READ "${file}" text)
  string(FIND "${text}" "${SOURCES}" place)
  if(NOT place EQUAL -1)
    message(FATAL_ERROR "${file} names ${SOURCES}")
  endif()
endforeach()

run(${CMAKE_COMMAND} -S "${CMAKE_CURRENT_LIST_DIR}/outside" -B "${outside}" "-DCMAKE_PREFIX_PATH=${prefix}"
  "-DCMAKE_CXX_COMPILER=${COMPILER}" "-DCMAKE_CXX_FLAGS=${FLAGS}")
run(${CMAKE_COMMAND} --build "${outside}")

execute_process(COMMAND "${outside}/outside" OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
if(NOT output STREQUAL "output 2, gradients 0.5 and 0.5\n")
  message(FATAL_ERROR "the outside program says: ${output}")
endif()
run("${outside}/every_header")
if(EXISTS "${prefix}/bin/heed")
  run("${prefix}/bin/heed" --help)
endif()
