# `cmake --install` installs the program with its manual, the two libraries, their headers and
# packages for find_package(heed) and pkg-config.
include(CMakePackageConfigHelpers)

# heed_headers_of(header result): the headers of this tree that it includes, and those that they do.
function(heed_headers_of header result)
  set(found "")
  set(waiting "${header}")
  while(waiting)
    list(POP_FRONT waiting next)
    file(STRINGS "${CMAKE_SOURCE_DIR}/src/${next}" includes REGEX "^#include \"heed/")
    list(TRANSFORM includes REPLACE "^#include \"heed/(.+)\".*" "\\1")
    foreach(include IN LISTS includes)
      if(NOT include IN_LIST found)
        list(APPEND found "${include}")
        list(APPEND waiting "${include}")
      endif()
    endforeach()
    # A header that changes may include others.
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "src/${next}")
  endwhile()
  set(${result} "${found}" PARENT_SCOPE)
endfunction()

# The surface and what its declarations need; the rest of the house stays at home.
install(FILES src/api/heed.h src/api/c.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heed")
heed_headers_of(api/heed.h headers)
foreach(header IN LISTS headers)
  cmake_path(GET header PARENT_PATH folder)
  install(FILES "src/${header}" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heed/${folder}")
endforeach()

install(TARGETS heed_static heed_shared EXPORT heedTargets)
# Wherever the tree is moved to, pkg-config finds it from where heed.pc lies.
file(RELATIVE_PATH HEED_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/heed.pc.in "${CMAKE_BINARY_DIR}/heed.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/heed.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(TARGET heed)
  install(TARGETS heed)
  include(cmake/manual.cmake)
endif()
install(EXPORT heedTargets NAMESPACE heed:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/heed")
configure_package_config_file(cmake/heedConfig.cmake.in "${CMAKE_BINARY_DIR}/heedConfig.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/heed")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/heedConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/heedConfig.cmake" "${CMAKE_BINARY_DIR}/heedConfigVersion.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/heed")
