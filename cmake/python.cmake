# SPDX-License-Identifier: Apache-2.0
# The Python package. In the build tree it is complete in <build>/python/atoll (our .py files as links beside the
# compiled atoll._core), so that any preset can be used by PYTHONPATH=<build>/python; `make build` puts that folder on
# the path of .venv. A wheel has everything in the folder atoll/, libatoll and plug-ins included.
if(NOT ATOLL_PYTHON)
  return()
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT DEFINED Python_EXECUTABLE AND EXISTS "${PROJECT_SOURCE_DIR}/.venv/bin/python")
  set(Python_EXECUTABLE "${PROJECT_SOURCE_DIR}/.venv/bin/python")
endif()
find_package(Python 3.9 QUIET COMPONENTS Interpreter Development.Module ${SKBUILD_SABI_COMPONENT})
if(NOT Python_FOUND)
  atoll_lacking(ATOLL_PYTHON "no Python with headers is found (Debian, Ubuntu: python3-dev)")
  return()
endif()
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m nanobind --cmake_dir
  OUTPUT_VARIABLE nanobind_ROOT
  OUTPUT_STRIP_TRAILING_WHITESPACE
  ERROR_QUIET
)
find_package(nanobind CONFIG QUIET)
if(NOT nanobind_FOUND)
  atoll_lacking(ATOLL_PYTHON "nanobind is not found (scripts/bootstrap puts it into .venv)")
  return()
endif()

set(stage "${PROJECT_BINARY_DIR}/python/atoll")
file(GLOB bindings CONFIGURE_DEPENDS python/atoll/bindings/*.cpp)
nanobind_add_module(atoll_core NB_STATIC STABLE_ABI NOMINSIZE ${bindings})
atoll_settings(atoll_core)
atoll_unity(atoll_core)
set_target_properties(atoll_core PROPERTIES OUTPUT_NAME _core LIBRARY_OUTPUT_DIRECTORY "${stage}")
target_include_directories(atoll_core PRIVATE cpp)
target_link_libraries(atoll_core PRIVATE atoll::atoll)
list(APPEND ATOLL_PRODUCT atoll_core)

# The stub _core.pyi is generated from the module itself, in a folder without our .py files, which would hide libraries.
set(stub "${PROJECT_BINARY_DIR}/stub")
add_custom_command(
  TARGET atoll_core
  POST_BUILD
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${stub}"
  COMMAND
    "${CMAKE_COMMAND}" -E create_symlink "$<TARGET_FILE:atoll_core>" "${stub}/$<TARGET_FILE_NAME:atoll_core>"
  VERBATIM
)
execute_process(
  COMMAND
    "${Python_EXECUTABLE}" -c "import sys; sys.version_info >= (3, 11) or __import__('typing_extensions')"
  RESULT_VARIABLE lacks_typing
  ERROR_QUIET
)
if(NOT CMAKE_CROSSCOMPILING AND NOT lacks_typing)
  nanobind_add_stub(
    atoll_core_stub
    MODULE _core
    OUTPUT "${stage}/_core.pyi"
    PYTHON_PATH "${stub}"
    DEPENDS atoll_core
    INCLUDE_PRIVATE
  )
  list(APPEND ATOLL_PRODUCT atoll_core_stub)
endif()

if(PROJECT_IS_TOP_LEVEL AND NOT SKBUILD)
  file(
    GLOB_RECURSE modules
    RELATIVE "${PROJECT_SOURCE_DIR}/python"
    CONFIGURE_DEPENDS
    python/*.py
    python/*/py.typed
  )
  file(GLOB_RECURSE staged RELATIVE "${PROJECT_BINARY_DIR}/python" "${PROJECT_BINARY_DIR}/python/*.py")
  foreach(module IN LISTS staged)
    if(NOT module IN_LIST modules)
      file(REMOVE "${PROJECT_BINARY_DIR}/python/${module}")
    endif()
  endforeach()
  foreach(module IN LISTS modules)
    get_filename_component(folder ${module} DIRECTORY)
    file(MAKE_DIRECTORY "${PROJECT_BINARY_DIR}/python/${folder}")
    file(
      CREATE_LINK "${PROJECT_SOURCE_DIR}/python/${module}" "${PROJECT_BINARY_DIR}/python/${module}"
      SYMBOLIC
    )
  endforeach()
endif()
