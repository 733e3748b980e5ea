# SPDX-License-Identifier: Apache-2.0
set_target_properties(${ATOLL_PRODUCT} PROPERTIES INSTALL_RPATH_USE_LINK_PATH ON) # libraries outside the system's

if(SKBUILD)
  # A wheel has everything in the package's folder. The command goes to the scripts' folder and finds libatoll from
  # there: <prefix>/bin -> <prefix>/lib/python3.N/site-packages/atoll (dist-packages for Debian's own Python), or
  # <folder>/bin -> <folder>/atoll with pip install --target <folder>.
  if(SKBUILD_SABI_VERSION) # one wheel for this and every later Python
    string(REGEX REPLACE "^3\\.?" "" first ${SKBUILD_SABI_VERSION})
    math(EXPR last "${first} + 12")
  else()
    set(first ${Python_VERSION_MINOR})
    set(last ${first})
  endif()
  set(rpath "$ORIGIN/../atoll")
  foreach(minor RANGE ${first} ${last})
    foreach(
      folder
      lib/python3.${minor}/site-packages
      lib64/python3.${minor}/site-packages
      lib/python3.${minor}/dist-packages
    )
      list(APPEND rpath "$ORIGIN/../${folder}/atoll")
    endforeach()
  endforeach()
  set_target_properties(${ATOLL_PLUGINS} atoll_core PROPERTIES INSTALL_RPATH "$ORIGIN")
  foreach(links nvshmem nccl) # which come from pip as well
    if(TARGET atoll_${links})
      set_target_properties(atoll_${links} PROPERTIES INSTALL_RPATH "$ORIGIN;$ORIGIN/../nvidia/${links}/lib")
    endif()
  endforeach()
  install(TARGETS atoll ${ATOLL_PLUGINS} atoll_core LIBRARY DESTINATION atoll COMPONENT python)
  if(TARGET atoll_core_stub)
    install(FILES "${PROJECT_BINARY_DIR}/python/atoll/_core.pyi" DESTINATION atoll COMPONENT python)
  endif()
  if(TARGET atoll_cli)
    set_target_properties(atoll_cli PROPERTIES INSTALL_RPATH "${rpath}")
    install(TARGETS atoll_cli DESTINATION "${SKBUILD_SCRIPTS_DIR}" COMPONENT python)
  endif()
  return()
endif()

include(CMakePackageConfigHelpers)
set(package "${CMAKE_INSTALL_LIBDIR}/cmake/atoll")
file(RELATIVE_PATH to_lib "/${CMAKE_INSTALL_BINDIR}" "/${CMAKE_INSTALL_LIBDIR}")

foreach(plugin IN LISTS ATOLL_PLUGINS)
  set_target_properties(${plugin} PROPERTIES INSTALL_RPATH "$ORIGIN")
endforeach()
install(
  TARGETS atoll
  EXPORT atollTargets
  FILE_SET HEADERS
  FILE_SET detail DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}/atoll-detail"
)
if(ATOLL_PLUGINS)
  install(TARGETS ${ATOLL_PLUGINS} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}")
endif()
if(TARGET atoll_cli)
  set_target_properties(atoll_cli PROPERTIES INSTALL_RPATH "$ORIGIN/${to_lib}")
  install(TARGETS atoll_cli)
endif()
install(EXPORT atollTargets NAMESPACE atoll:: DESTINATION "${package}")
configure_package_config_file(cmake/atollConfig.cmake.in atollConfig.cmake INSTALL_DESTINATION "${package}")
write_basic_package_version_file(atollConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/atollConfig.cmake" "${PROJECT_BINARY_DIR}/atollConfigVersion.cmake"
  DESTINATION "${package}"
)
install(FILES LICENSE DESTINATION "${CMAKE_INSTALL_DOCDIR}")
