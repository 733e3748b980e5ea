# SPDX-License-Identifier: Apache-2.0
# AUTO builds a part if its dependency is found, and reports if not; ON requires it; OFF never searches.
macro(atoll_auto_option name help)
  set(${name} AUTO CACHE STRING "${help} (AUTO, ON, OFF)")
  set_property(CACHE ${name} PROPERTY STRINGS AUTO ON OFF)
endmacro()

if(NOT PROJECT_IS_TOP_LEVEL AND NOT DEFINED ATOLL_PYTHON)
  set(ATOLL_PYTHON OFF)
endif()
atoll_auto_option(ATOLL_MPI "MPI plug-ins, one for each of Open MPI and MPICH")
atoll_auto_option(ATOLL_OFI "libfabric plug-in")
atoll_auto_option(ATOLL_SIMGRID "SimGrid plug-in: ranks as actors on a simulated platform")
atoll_auto_option(ATOLL_XML_YAML "plug-in that reads topologies as XML and YAML")
atoll_auto_option(ATOLL_CUDA "GPU kernels")
atoll_auto_option(ATOLL_PYTHON "Python package atoll")
atoll_auto_option(ATOLL_BENCH "micro-benchmarks")
if(NOT PROJECT_IS_TOP_LEVEL AND NOT DEFINED ATOLL_TESTS)
  set(ATOLL_TESTS OFF)
endif()
atoll_auto_option(ATOLL_TESTS "C++ tests")
option(ATOLL_DEBUG "check the library's own assumptions (ATOLL_ASSERT)" OFF)
# In a checkout, as in CI, the flags are part of ccache's key. Elsewhere any compiler may be used.
if(PROJECT_IS_TOP_LEVEL AND NOT SKBUILD AND EXISTS "${PROJECT_SOURCE_DIR}/.git")
  set(checkout ON)
else()
  set(checkout OFF)
endif()
option(ATOLL_WERROR "warnings are errors" ${checkout})

# ccache, if installed, also hits in other clones, because paths are relative to the source tree.
option(ATOLL_CCACHE "use ccache where it is installed" ${PROJECT_IS_TOP_LEVEL})
if(ATOLL_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  # Asked once: `make test` installs ccache, and a folder that was compiled without it shall not be compiled again.
  if(NOT DEFINED ATOLL_CCACHE_PROGRAM)
    find_program(ATOLL_CCACHE_PROGRAM ccache)
  endif()
  if(ATOLL_CCACHE_PROGRAM)
    set(
      CMAKE_CXX_COMPILER_LAUNCHER
      ${CMAKE_COMMAND}
      -E
      env
      CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}
      CCACHE_NOHASHDIR=1
      ${ATOLL_CCACHE_PROGRAM}
    )
  endif()
endif()

if(SKBUILD)
  set(ATOLL_TESTS OFF)
  set(ATOLL_BENCH OFF)
  set(ATOLL_PYTHON ON)
endif()
if(PROJECT_IS_TOP_LEVEL AND NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE Release)
endif()

# A part that cannot be built: a message with AUTO, an error with ON.
function(atoll_lacking option message)
  if("${${option}}" STREQUAL "AUTO")
    message(STATUS "atoll: ${message} (${option}=AUTO)")
  else()
    message(FATAL_ERROR "atoll: ${message}. Install it, or configure with -D${option}=OFF.")
  endif()
endfunction()
