// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace atl {

/// Whether the bytes are UTF-8 (RFC 3629), which Python and JSON need.
bool is_utf8(std::string_view bytes);

/// The text for a message: each byte that is no UTF-8 as \xNN.
std::string printable(std::string_view bytes);

}  // namespace atl
