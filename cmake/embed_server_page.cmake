# The server's page (web/page) as a part of the program: embedded when heed is built, whenever
# something in web/ has changed.
set(page_source "${CMAKE_BINARY_DIR}/web/page_assets.cpp")
add_custom_command(
  OUTPUT "${page_source}"
  COMMAND "${CMAKE_COMMAND}" "-DWEB=${CMAKE_SOURCE_DIR}/web" "-DOUTPUT=${page_source}"
    -P "${CMAKE_SOURCE_DIR}/cmake/page_assets.cmake"
  DEPENDS ${web_files} "${CMAKE_SOURCE_DIR}/cmake/page_assets.cmake"
  COMMENT "Embedding the server's page"
  VERBATIM)
target_sources(heed_server PRIVATE "${page_source}")
