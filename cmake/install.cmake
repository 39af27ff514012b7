# `cmake --install` installs the program, the libraries, their headers and a package for
# find_package(heed). The room of the C interface goes as the shared library, with one header.
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY HEED_ROOMS)
add_library(heed_everything INTERFACE)
add_library(heed::heed ALIAS heed_everything)
set_target_properties(heed_everything PROPERTIES EXPORT_NAME heed)
list(REMOVE_ITEM rooms api)
set(targets heed_everything heed_shared)
foreach(room IN LISTS rooms)
  target_link_libraries(heed_everything INTERFACE heed_${room})
  list(APPEND targets heed_${room})
  # The references of the kernels and the parts of their sources (-inl.h) are internal.
  install(DIRECTORY "src/${room}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heed/${room}"
    FILES_MATCHING PATTERN "*.h" PATTERN "reference" EXCLUDE PATTERN "*-inl.h" EXCLUDE)
endforeach()

install(TARGETS ${targets} EXPORT heedTargets)
install(FILES src/api/c.h DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heed")
# Wherever the tree is moved to, pkg-config finds it from where heed.pc lies.
file(RELATIVE_PATH HEED_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file(cmake/heed.pc.in "${CMAKE_BINARY_DIR}/heed.pc" @ONLY)
install(FILES "${CMAKE_BINARY_DIR}/heed.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
if(TARGET heed)
  install(TARGETS heed)
endif()
install(EXPORT heedTargets NAMESPACE heed:: DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/heed")
configure_package_config_file(cmake/heedConfig.cmake.in "${CMAKE_BINARY_DIR}/heedConfig.cmake"
  INSTALL_DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/heed")
write_basic_package_version_file("${CMAKE_BINARY_DIR}/heedConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion)
install(FILES "${CMAKE_BINARY_DIR}/heedConfig.cmake" "${CMAKE_BINARY_DIR}/heedConfigVersion.cmake"
  DESTINATION "${CMAKE_INSTALL_LIBDIR}/cmake/heed")
