# Every include in quotes begins with heed/: a path relative to the source would bypass the fence.
cmake_minimum_required(VERSION 3.25)

file(GLOB_RECURSE sources "${SOURCES}/*.h" "${SOURCES}/*.cpp")
foreach(source IN LISTS sources)
  file(STRINGS "${source}" includes REGEX "^[ \t]*#[ \t]*include[ \t]*\"")
  list(FILTER includes EXCLUDE REGEX "include \"heed/[a-z_]+/[a-z0-9_/-]+\\.h\"")
  foreach(include IN LISTS includes)
    message(SEND_ERROR "${source}: ${include} does not begin with heed/")
  endforeach()
endforeach()
