// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstring>

namespace atl {

/// Turns each "\r" that no "\n" follows (the line end of old Macs and of some spreadsheets) into "\n", in place, from
/// `from` on; "\r\n" stays. A "\r" that is the last byte stays too unless the text ends there: what follows is not known yet.
inline void unify_line_ends(char* text, std::size_t from, std::size_t size, bool ends) {
  for (char *p = text + from, *const end = text + size; p < end; ++p) {
    p = static_cast<char*>(std::memchr(p, '\r', static_cast<std::size_t>(end - p)));
    if (!p) return;
    const bool last = p + 1 == end;
    if (last ? ends : p[1] != '\n') *p = '\n';
  }
}

}  // namespace atl
