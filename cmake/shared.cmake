# libheed.so: the C interface and whatever it needs of the rooms. Nothing else is visible from outside.
target_compile_definitions(heed_api PRIVATE HEED_VERSION="${PROJECT_VERSION}")

add_library(heed_shared SHARED $<TARGET_OBJECTS:heed_api>)
add_library(heed::c ALIAS heed_shared)
set_target_properties(heed_shared PROPERTIES
  OUTPUT_NAME heed EXPORT_NAME c LINKER_LANGUAGE CXX VERSION "${PROJECT_VERSION}" SOVERSION 0
  LINK_DEPENDS "${CMAKE_SOURCE_DIR}/src/api/exports.map")
target_link_libraries(heed_shared PRIVATE heed_decoding)
target_link_options(heed_shared PRIVATE "-Wl,--version-script=${CMAKE_SOURCE_DIR}/src/api/exports.map")

# As installed: heed/c.h, and no other header.
set(root "${CMAKE_BINARY_DIR}/roots/public")
file(MAKE_DIRECTORY "${root}/heed")
file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/api/c.h" "${root}/heed/c.h" SYMBOLIC)
target_include_directories(heed_shared INTERFACE
  "$<BUILD_INTERFACE:${root}>" "$<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>")
