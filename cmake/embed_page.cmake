# The page of a recording (web/) as a part of the library: made and embedded when heed is built,
# whenever something in web/ has changed.
file(GLOB_RECURSE web_files CONFIGURE_DEPENDS
  "${CMAKE_SOURCE_DIR}/web/*.js" "${CMAKE_SOURCE_DIR}/web/*.css" "${CMAKE_SOURCE_DIR}/web/*.html"
  "${CMAKE_SOURCE_DIR}/web/*.svg" "${CMAKE_SOURCE_DIR}/web/modules.txt")
set(page "${CMAKE_BINARY_DIR}/web/attention.html")
set(page_source "${CMAKE_BINARY_DIR}/web/attention_page_text.cpp")
add_custom_command(
  OUTPUT "${page_source}"
  COMMAND "${CMAKE_COMMAND}" "-DWEB=${CMAKE_SOURCE_DIR}/web" "-DOUTPUT=${page}"
    -P "${CMAKE_SOURCE_DIR}/cmake/web_page.cmake"
  COMMAND "${CMAKE_COMMAND}" "-DINPUT=${page}" -DNAME=attention_page_text
    "-DOUTPUT=${page_source}" -P "${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake"
  DEPENDS ${web_files} "${CMAKE_SOURCE_DIR}/cmake/web_page.cmake"
    "${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake"
  COMMENT "Embedding the page of attention"
  VERBATIM)
target_sources(heed_visualisation PRIVATE "${page_source}")
