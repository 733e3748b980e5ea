# SPDX-License-Identifier: Apache-2.0
# Settings of all our targets; PRIVATE, so that none of them propagates to a project that uses atoll.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$")
  set(ATOLL_X86 ON)
else()
  set(ATOLL_X86 OFF)
endif()

function(atoll_settings target)
  target_compile_options(
    ${target}
    PRIVATE
      $<$<COMPILE_LANGUAGE:CXX>:-Wall>
      $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
      $<$<COMPILE_LANGUAGE:CXX>:-Wconversion>
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ATOLL_WERROR}>>:-Werror>
      $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<BOOL:${ATOLL_X86}>>:-march=x86-64-v2>
      # Otherwise GCC calls each of the library's own functions through a table, in case a program replaces it.
      $<$<COMPILE_LANGUAGE:CXX>:-fno-semantic-interposition>
      $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20;--Werror=all-warnings;-Xcompiler=-Wall>
  )
  set_target_properties(
    ${target}
    PROPERTIES
      CXX_EXTENSIONS OFF
      POSITION_INDEPENDENT_CODE ON
      LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/lib"
      RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}/bin"
  )
endfunction()

# Gives x_avx2.cpp and x_avx512.cpp the flags of their instruction set (leaves them out on other machines). They are
# linked last: of an inline function in several objects the linker keeps the first copy, which must be one that every
# machine can run.
set(
  ATOLL_AVX2
  -mavx2
  -mbmi2
  -mfma
  -mlzcnt
  -mpopcnt
)
set(
  ATOLL_AVX512
  ${ATOLL_AVX2}
  -mavx512f
  -mavx512bw
  -mavx512vl
  -mavx512dq
  -mavx512vbmi2
)

if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # GCC 12 warns about the undefined registers inside its own intrinsics (GCC bug 105593).
  list(APPEND ATOLL_AVX512 -Wno-maybe-uninitialized -Wno-uninitialized)
endif()

function(atoll_isa_sources list)
  set(baseline ${${list}})
  list(FILTER baseline EXCLUDE REGEX "_avx(2|512)\\.cpp$")
  set(avx2 ${${list}})
  list(FILTER avx2 INCLUDE REGEX "_avx2\\.cpp$")
  set(avx512 ${${list}})
  list(FILTER avx512 INCLUDE REGEX "_avx512\\.cpp$")
  if(ATOLL_X86)
    set_source_files_properties(${avx2} PROPERTIES COMPILE_OPTIONS "${ATOLL_AVX2}")
    set_source_files_properties(${avx512} PROPERTIES COMPILE_OPTIONS "${ATOLL_AVX512}")
    set(${list} ${baseline} ${avx2} ${avx512} PARENT_SCOPE)
  else()
    set(${list} ${baseline} PARENT_SCOPE)
  endif()
endfunction()
