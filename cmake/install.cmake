# `cmake --install` installs the program, the libraries, their headers and a package for
# find_package(heed).
include(CMakePackageConfigHelpers)

get_property(rooms GLOBAL PROPERTY HEED_ROOMS)
add_library(heed_everything INTERFACE)
add_library(heed::heed ALIAS heed_everything)
set_target_properties(heed_everything PROPERTIES EXPORT_NAME heed)
set(targets heed_everything)
foreach(room IN LISTS rooms)
  target_link_libraries(heed_everything INTERFACE heed_${room})
  list(APPEND targets heed_${room})
  # The references of the kernels and the parts of their sources (-inl.h) are internal.
  install(DIRECTORY "src/${room}/" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/heed/${room}"
    FILES_MATCHING PATTERN "*.h" PATTERN "reference" EXCLUDE PATTERN "*-inl.h" EXCLUDE)
endforeach()

install(TARGETS ${targets} EXPORT heedTargets)
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
