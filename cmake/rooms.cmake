# Rooms: one static library and one include root each. The include root is a folder in the build
# tree that holds nothing but a link heed/<room> -> src/<room>, so a room can include only the rooms
# it is built upon.

set(HEED_WARNINGS -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion -Wno-psabi
  -Werror=switch)
# In our own builds, by the presets. The next compiler may warn of what this one does not.
if(HEED_WERROR)
  list(APPEND HEED_WARNINGS -Werror)
endif()

# For code whose speed does not matter.
set(HEED_COLD "$<$<CONFIG:Release>:-O1>")

# heed_precompile(target headers...): headers that take longer to compile than the sources that
# include them.
function(heed_precompile target)
  target_precompile_headers(${target} PRIVATE ${ARGN})
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    target_compile_options(${target} PRIVATE -fpch-preprocess)  # for ccache
  endif()
endfunction()

# heed_join_sources(target sources...): compiles several sources of a target as one, all but these.
# What they include is then compiled once for all of them, which halves the time. The names in their
# unnamed namespaces must differ; a source that wants to share one with a neighbour is left out.
function(heed_join_sources target)
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${HEED_JOIN} UNITY_BUILD_BATCH_SIZE 8)
  if(HEED_JOIN AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
    # It takes a source that is included for a header, whose unnamed namespaces would be a mistake;
    # and a local name may be one that a neighbour has outside of its functions.
    target_compile_options(${target} PRIVATE -Wno-subobject-linkage -Wno-shadow -Wshadow=local)
  endif()
  set_source_files_properties(${ARGN} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
endfunction()

function(heed_include_root target room folder)
  set(root "${CMAKE_BINARY_DIR}/roots/${room}")
  file(MAKE_DIRECTORY "${root}/heed")
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/${folder}" "${root}/heed/${room}" SYMBOLIC)
  set_property(GLOBAL PROPERTY HEED_FOLDER_${room} "${folder}")
  target_include_directories(${target} PUBLIC
    "$<BUILD_INTERFACE:${root}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
endfunction()

# heed_check_floors(room floor below...): rooms on one floor never include each other.
function(heed_check_floors room floor)
  set_property(GLOBAL PROPERTY HEED_FLOOR_${room} ${floor})
  foreach(lower IN LISTS ARGN)
    get_property(lower_floor GLOBAL PROPERTY HEED_FLOOR_${lower})
    if(NOT lower_floor LESS floor)
      message(FATAL_ERROR "${room} (floor ${floor}) may not use ${lower} (floor ${lower_floor})")
    endif()
  endforeach()
endfunction()

# heed_room(name FLOOR n BELOW rooms... USES public libraries... HIDES private libraries...
#   FOLDER in src, if its name is another)
function(heed_room room)
  cmake_parse_arguments(ROOM "" "FLOOR;FOLDER" "BELOW;USES;HIDES" ${ARGN})
  if(NOT ROOM_FOLDER)
    set(ROOM_FOLDER "${room}")
  endif()
  heed_check_floors(${room} ${ROOM_FLOOR} ${ROOM_BELOW})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "src/${ROOM_FOLDER}/*.cpp")
  add_library(heed_${room} STATIC ${sources})
  add_library(heed::${room} ALIAS heed_${room})
  set_target_properties(heed_${room} PROPERTIES EXPORT_NAME ${room} LINKER_LANGUAGE CXX)
  target_compile_features(heed_${room} PUBLIC cxx_std_20)
  target_compile_options(heed_${room} PRIVATE ${HEED_WARNINGS})
  heed_include_root(heed_${room} ${room} ${ROOM_FOLDER})
  list(TRANSFORM ROOM_BELOW PREPEND heed_)
  target_link_libraries(heed_${room} PUBLIC ${ROOM_BELOW} ${ROOM_USES} PRIVATE ${ROOM_HIDES})
  set_property(GLOBAL APPEND PROPERTY HEED_ROOMS ${room})
  set_property(GLOBAL APPEND PROPERTY HEED_HIDDEN_LIBRARIES ${ROOM_HIDES})
endfunction()

# heed_program(name ROOM folder ...): the command-line program; its sources except main.cpp form a
# library, for tests.
function(heed_program program)
  cmake_parse_arguments(ROOM "" "ROOM;FLOOR" "BELOW;USES" ${ARGN})
  heed_check_floors(${ROOM_ROOM} ${ROOM_FLOOR} ${ROOM_BELOW})
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "src/${ROOM_ROOM}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "/main\\.cpp$|/mpi/|/server/")
  list(TRANSFORM ROOM_BELOW PREPEND heed_)
  add_library(heed_${ROOM_ROOM} STATIC ${sources})
  target_compile_options(heed_${ROOM_ROOM} PRIVATE ${HEED_WARNINGS})
  target_compile_definitions(heed_${ROOM_ROOM} PRIVATE HEED_VERSION="${PROJECT_VERSION}"
    HEED_DATE="${HEED_DATE}")
  heed_include_root(heed_${ROOM_ROOM} ${ROOM_ROOM} ${ROOM_ROOM})
  target_link_libraries(heed_${ROOM_ROOM} PUBLIC ${ROOM_BELOW} ${ROOM_USES})
  add_executable(${program} src/${ROOM_ROOM}/cli/main.cpp)
  target_compile_options(${program} PRIVATE ${HEED_WARNINGS})
  target_link_libraries(${program} PRIVATE heed_${ROOM_ROOM})
endfunction()
