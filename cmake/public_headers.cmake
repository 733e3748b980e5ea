# SPDX-License-Identifier: Apache-2.0
# public_headers: those of public_headers.txt. detail_headers: what they include; it is installed apart from them, into
# include/atoll-detail, under the same names, so that a user's program compiles and a reader sees what is not meant for it.
file(STRINGS cmake/public_headers.txt lines REGEX "^[a-z-]+ ")
list(TRANSFORM lines REPLACE "^[a-z-]+ " "" OUTPUT_VARIABLE public_names)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS cmake/public_headers.txt)

set(known ${public_names})
set(open ${public_names})
while(open)
  list(POP_FRONT open header)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "cpp/${header}") # its includes may change
  file(STRINGS "cpp/${header}" includes REGEX "^#include <atoll/")
  foreach(include IN LISTS includes)
    string(REGEX REPLACE "^#include <(.*)>.*" "\\1" name "${include}")
    if(NOT name IN_LIST known AND EXISTS "${PROJECT_SOURCE_DIR}/cpp/${name}") # version.hpp is generated
      list(APPEND known ${name})
      list(APPEND open ${name})
    endif()
  endforeach()
endwhile()
list(REMOVE_ITEM known ${public_names})
list(TRANSFORM public_names PREPEND "cpp/" OUTPUT_VARIABLE public_headers)
list(TRANSFORM known PREPEND "cpp/" OUTPUT_VARIABLE detail_headers)
