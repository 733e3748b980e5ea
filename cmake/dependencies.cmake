# SPDX-License-Identifier: Apache-2.0
# Dependencies of the library. A missing one is reported with the Debian package that provides it.
macro(atoll_package name debian)
  find_package(${name} QUIET ${ARGN})
  if(NOT ${name}_FOUND)
    message(
      FATAL_ERROR
      "atoll: ${name} is not found. Install it (Debian, Ubuntu: apt-get install ${debian}), or run scripts/bootstrap."
    )
  endif()
endmacro()

macro(atoll_pkgconfig name module debian)
  pkg_check_modules(${name} QUIET IMPORTED_TARGET ${module})
  if(NOT ${name}_FOUND)
    message(
      FATAL_ERROR
      "atoll: ${name} is not found. Install it (Debian, Ubuntu: apt-get install ${debian}), or run scripts/bootstrap."
    )
  endif()
endmacro()

atoll_package(Threads libc6-dev)
atoll_package(fmt libfmt-dev)
atoll_package(nlohmann_json nlohmann-json3-dev)
atoll_package(ZLIB zlib1g-dev)
atoll_package(Boost libboost-context-dev CONFIG COMPONENTS context)
atoll_package(PkgConfig pkg-config)
atoll_pkgconfig(hwloc hwloc libhwloc-dev)
atoll_pkgconfig(zstd libzstd libzstd-dev)
atoll_pkgconfig(xxhash libxxhash libxxhash-dev)
