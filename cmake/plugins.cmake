# SPDX-License-Identifier: Apache-2.0
# Plug-ins are placed beside libatoll, which opens them at run time: libatoll_mpi_openmpi.so, libatoll_mpi_mpich.so, ...

# atoll_plugin(name sources...): a module that uses libatoll and is found beside it
macro(atoll_plugin name)
  add_library(atoll_${name} MODULE ${ARGN})
  atoll_settings(atoll_${name})
  atoll_unity(atoll_${name})
  target_include_directories(atoll_${name} PRIVATE cpp)
  target_link_libraries(atoll_${name} PRIVATE atoll::atoll)
  list(APPEND ATOLL_PRODUCT atoll_${name})
  list(APPEND ATOLL_PLUGINS atoll_${name})
endmacro()

# An MPI is identified by its C compiler wrapper: mpicc.openmpi and mpicc.mpich on Debian, else an mpicc that proves to
# be of that kind. Sets <kind>_FOUND and creates the target atoll_mpi_flags_<kind>.
function(atoll_find_mpi kind macro)
  string(TOUPPER ${kind} KIND)
  find_program(ATOLL_MPICC_${KIND} NAMES mpicc.${kind} mpicc DOC "mpicc of ${kind}")
  set(${kind}_FOUND FALSE PARENT_SCOPE)
  if(NOT ATOLL_MPICC_${KIND})
    return()
  endif()
  execute_process(
    COMMAND ${ATOLL_MPICC_${KIND}} -show
    OUTPUT_VARIABLE line
    ERROR_QUIET
    RESULT_VARIABLE failed
  )
  if(failed)
    return()
  endif()
  separate_arguments(words UNIX_COMMAND "${line}")
  list(POP_FRONT words)
  add_library(atoll_mpi_flags_${kind} INTERFACE)
  set(includes)
  foreach(word IN LISTS words)
    if(word MATCHES "^-I(.+)")
      list(APPEND includes ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-L(.+)")
      target_link_directories(atoll_mpi_flags_${kind} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-l(.+)")
      target_link_libraries(atoll_mpi_flags_${kind} INTERFACE ${CMAKE_MATCH_1})
    elseif(word MATCHES "^-Wl,")
      target_link_options(atoll_mpi_flags_${kind} INTERFACE ${word})
    endif()
  endforeach()
  target_include_directories(atoll_mpi_flags_${kind} SYSTEM INTERFACE ${includes})
  target_compile_definitions(atoll_mpi_flags_${kind} INTERFACE OMPI_SKIP_MPICXX=1 MPICH_SKIP_MPICXX=1) # the C interface alone

  include(CheckCXXSourceCompiles)
  set(CMAKE_REQUIRED_INCLUDES ${includes})
  set(CMAKE_REQUIRED_DEFINITIONS -DOMPI_SKIP_MPICXX=1 -DMPICH_SKIP_MPICXX=1)
  set(CMAKE_REQUIRED_QUIET ON)
  check_cxx_source_compiles(
    "#include <mpi.h>\n#ifndef ${macro}\n#error not this MPI\n#endif\nint main() {}"
    ATOLL_MPICC_IS_${KIND}
  )
  if(ATOLL_MPICC_IS_${KIND})
    set(${kind}_FOUND TRUE PARENT_SCOPE)
  endif()
endfunction()

set(ATOLL_PLUGINS)

file(GLOB_RECURSE mpi CONFIGURE_DEPENDS cpp/atoll/transport/mpi/*.cpp)
if(ATOLL_MPI AND mpi)
  atoll_find_mpi(openmpi OPEN_MPI)
  atoll_find_mpi(mpich MPICH_VERSION)
  foreach(kind openmpi mpich)
    if(${kind}_FOUND)
      atoll_plugin(mpi_${kind} ${mpi})
      target_link_libraries(atoll_mpi_${kind} PRIVATE atoll_mpi_flags_${kind})
    else()
      message(STATUS "atoll: no plug-in for ${kind}: it is not found (Debian, Ubuntu: lib${kind}-dev)")
    endif()
  endforeach()
  if(NOT openmpi_FOUND AND NOT mpich_FOUND)
    atoll_lacking(ATOLL_MPI "no MPI is found (Debian, Ubuntu: libopenmpi-dev or libmpich-dev)")
  endif()
endif()

file(GLOB_RECURSE ofi CONFIGURE_DEPENDS cpp/atoll/transport/ofi/*.cpp)
if(ATOLL_OFI AND ofi)
  pkg_check_modules(libfabric QUIET IMPORTED_TARGET libfabric)
  if(libfabric_FOUND)
    atoll_plugin(ofi ${ofi})
    target_link_libraries(atoll_ofi PRIVATE PkgConfig::libfabric)
  else()
    atoll_lacking(ATOLL_OFI "libfabric is not found (Debian, Ubuntu: libfabric-dev)")
  endif()
endif()

file(GLOB_RECURSE flows CONFIGURE_DEPENDS cpp/atoll/transport/flows/*.cpp)
if(ATOLL_SIMGRID AND flows)
  # We use zones and timers of its kernel, which change between versions: require the tested one.
  pkg_check_modules(simgrid QUIET IMPORTED_TARGET simgrid=3.32)
  if(simgrid_FOUND)
    atoll_plugin(flows ${flows})
    target_link_libraries(atoll_flows PRIVATE PkgConfig::simgrid)
  else()
    atoll_lacking(ATOLL_SIMGRID "SimGrid 3.32 is not found (Debian 12: libsimgrid-dev)")
  endif()
endif()

file(GLOB_RECURSE xml_yaml CONFIGURE_DEPENDS cpp/atoll/topology/formats/xml_yaml/*.cpp)
if(ATOLL_XML_YAML AND xml_yaml)
  pkg_check_modules(xml_yaml_libraries QUIET IMPORTED_TARGET pugixml yaml-cpp)
  if(xml_yaml_libraries_FOUND)
    atoll_plugin(xml_yaml ${xml_yaml})
    target_link_libraries(atoll_xml_yaml PRIVATE PkgConfig::xml_yaml_libraries)
  else()
    atoll_lacking(
      ATOLL_XML_YAML
      "pugixml or yaml-cpp is not found (Debian, Ubuntu: libpugixml-dev libyaml-cpp-dev)"
    )
  endif()
endif()

# atoll_cuda_plugin(name sources...): a plug-in that nvcc compiles, with CUDA's runtime linked in
macro(atoll_cuda_plugin name)
  atoll_plugin(${name} ${ARGN})
  # fmt takes nvcc for a compiler without constexpr, and nvcc cannot check format texts while it compiles.
  target_compile_definitions(atoll_${name} PRIVATE FMT_USE_CONSTEXPR=1 FMT_CONSTEVAL=)
  set_target_properties(
    atoll_${name}
    PROPERTIES CUDA_STANDARD 20 CUDA_EXTENSIONS OFF CUDA_RUNTIME_LIBRARY Static
  )
endmacro()

# atoll_links_plugin(name library): CoLa's pipeline over cpp/cuda/<name>, if pip's package of that library is found: in
# the folder ATOLL_<NAME>, or in the checkout's virtual environment. Sets <name>_folder.
macro(atoll_links_plugin name library)
  string(TOUPPER ${name} NAME)
  set(
    ATOLL_${NAME}
    ""
    CACHE PATH
    "folder of pip's package nvidia-${name}-cu13 with include and lib (empty: that of .venv)"
  )
  set(${name}_folder "${ATOLL_${NAME}}")
  if(NOT ${name}_folder)
    file(GLOB ${name}_folder "${PROJECT_SOURCE_DIR}/.venv/lib/python3*/site-packages/nvidia/${name}")
  endif()
  if(EXISTS "${${name}_folder}/lib/${library}")
    file(GLOB_RECURSE ${name} CONFIGURE_DEPENDS cpp/cuda/${name}/*.cu cpp/cuda/cola/*.cu cpp/cuda/simt/*.cu)
    atoll_cuda_plugin(${name} ${${name}})
    target_include_directories(atoll_${name} SYSTEM PRIVATE "${${name}_folder}/include")
    target_link_libraries(atoll_${name} PRIVATE "${${name}_folder}/lib/${library}")
  else()
    message(
      STATUS
      "atoll: no plug-in for ${NAME}: it is not found (pip install nvidia-${name}-cu13, or ATOLL_${NAME})"
    )
  endif()
endmacro()

# The GPU plug-in: cpp/cuda by nvcc, for the architectures of ATOLL_CUDA_ARCHITECTURES. Its runtime is linked in, so the
# plug-in loads on machines without a GPU, where it says what is missing.
file(GLOB_RECURSE cuda CONFIGURE_DEPENDS cpp/cuda/*.cu)
list(FILTER cuda EXCLUDE REGEX "/cpp/cuda/(nvshmem|nccl)/")
# Kernels take minutes to compile, so AUTO asks for a GPU: the driver's folder, or WSL's device.
if(ATOLL_CUDA STREQUAL "AUTO" AND NOT EXISTS /proc/driver/nvidia AND NOT EXISTS /dev/dxg)
  message(
    STATUS
    "atoll: no GPU kernels: this machine has no GPU of NVIDIA (-DATOLL_CUDA=ON compiles them all the same)"
  )
elseif(ATOLL_CUDA AND cuda)
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(
      ATOLL_CUDA_ARCHITECTURES
      80-real
      90-real
      100
      CACHE STRING
      "GPU architectures that kernels are compiled for"
    )
    set(CMAKE_CUDA_ARCHITECTURES ${ATOLL_CUDA_ARCHITECTURES})
    if(CMAKE_CXX_COMPILER_LAUNCHER)
      set(CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CXX_COMPILER_LAUNCHER})
    endif()
    enable_language(CUDA)
    atoll_cuda_plugin(cuda ${cuda})
    atoll_links_plugin(nvshmem libnvshmem_host.so.3)
    if(TARGET atoll_nvshmem)
      # Its device code is a static library, linked to ours by nvcc.
      target_link_libraries(atoll_nvshmem PRIVATE "${nvshmem_folder}/lib/libnvshmem_device.a")
      set_target_properties(
        atoll_nvshmem
        PROPERTIES CUDA_SEPARABLE_COMPILATION ON CUDA_RESOLVE_DEVICE_SYMBOLS ON
      )
    endif()
    atoll_links_plugin(nccl libnccl.so.2)
  else()
    atoll_lacking(ATOLL_CUDA "nvcc is not found (NVIDIA's CUDA toolkit 12.8 or later)")
  endif()
endif()
