# What `cmake --install` installs: the headers, the CMake package, the pkg-config file, the license.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# CMake before 3.23 and Meson know no FILE_SET; INCLUDES DESTINATION tells them where headers are.
install(TARGETS tilewright EXPORT tilewrightTargets FILE_SET HEADERS
        INCLUDES DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}")

set(tilewright_cmake_dir "${CMAKE_INSTALL_DATADIR}/cmake/tilewright")
configure_package_config_file(
  cmake/tilewrightConfig.cmake.in "${PROJECT_BINARY_DIR}/tilewrightConfig.cmake"
  INSTALL_DESTINATION "${tilewright_cmake_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/tilewrightConfigVersion.cmake"
  COMPATIBILITY SameMinorVersion ARCH_INDEPENDENT)
install(EXPORT tilewrightTargets NAMESPACE tilewright:: DESTINATION "${tilewright_cmake_dir}")
install(FILES "${PROJECT_BINARY_DIR}/tilewrightConfig.cmake"
              "${PROJECT_BINARY_DIR}/tilewrightConfigVersion.cmake" cmake/tilewrightHighway.cmake
        DESTINATION "${tilewright_cmake_dir}")

# The pkg-config file finds the headers from where it lies, so that the installed tree can be moved.
file(RELATIVE_PATH tilewright_prefix_from_pc "${CMAKE_INSTALL_FULL_DATADIR}/pkgconfig"
     "${CMAKE_INSTALL_PREFIX}")
string(REGEX REPLACE "/$" "" tilewright_prefix_from_pc "${tilewright_prefix_from_pc}")
configure_file(cmake/tilewright.pc.in "${PROJECT_BINARY_DIR}/tilewright.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tilewright.pc" DESTINATION "${CMAKE_INSTALL_DATADIR}/pkgconfig")

install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DATADIR}/licenses/tilewright")
