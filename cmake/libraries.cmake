# What others link with: libheed.a with the headers of heed.h, for C++, and libheed.so with c.h, for
# C. The shared library shows the C interface and nothing else.
get_property(rooms GLOBAL PROPERTY HEED_ROOMS)
list(REMOVE_ITEM rooms api server)

# The headers as they are installed: heed/heed.h and heed/c.h.
set(root "${CMAKE_BINARY_DIR}/roots/public")
file(MAKE_DIRECTORY "${root}/heed")
foreach(header heed.h c.h)
  file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/api/${header}" "${root}/heed/${header}" SYMBOLIC)
endforeach()

# The rooms in one archive.
add_library(heed_static STATIC)
add_library(heed::heed ALIAS heed_static)
set_target_properties(heed_static PROPERTIES
  OUTPUT_NAME heed EXPORT_NAME heed LINKER_LANGUAGE CXX)
target_compile_features(heed_static PUBLIC cxx_std_20)
foreach(room IN LISTS rooms)
  target_sources(heed_static PRIVATE $<TARGET_OBJECTS:heed_${room}>)
endforeach()
get_property(hidden GLOBAL PROPERTY HEED_HIDDEN_LIBRARIES)
list(REMOVE_DUPLICATES hidden)
list(REMOVE_ITEM hidden nlohmann_json::nlohmann_json  # only headers
  Boost::headers OpenSSL::Crypto "${CLD2_LIBRARY}")  # of the server
target_link_libraries(heed_static PUBLIC fmt::fmt Threads::Threads PRIVATE ${hidden})
list(TRANSFORM rooms REPLACE "(.+)" "$<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/roots/\\1>"
  OUTPUT_VARIABLE roots)
target_include_directories(heed_static INTERFACE
  "$<BUILD_INTERFACE:${root}>" ${roots} "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")

target_compile_definitions(heed_api PRIVATE HEED_VERSION="${PROJECT_VERSION}")
add_library(heed_shared SHARED $<TARGET_OBJECTS:heed_api>)
add_library(heed::c ALIAS heed_shared)
set_target_properties(heed_shared PROPERTIES
  OUTPUT_NAME heed EXPORT_NAME c LINKER_LANGUAGE CXX VERSION "${PROJECT_VERSION}" SOVERSION 0
  LINK_DEPENDS "${CMAKE_SOURCE_DIR}/src/api/exports.map")
target_link_libraries(heed_shared PRIVATE heed_runs)
target_link_options(heed_shared PRIVATE
  "-Wl,--version-script=${CMAKE_SOURCE_DIR}/src/api/exports.map")
target_include_directories(heed_shared INTERFACE
  "$<BUILD_INTERFACE:${root}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
