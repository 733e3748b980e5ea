// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace atl {

/// A number of bytes for people, in powers of 1000: "640 bytes", "5.8 GB".
std::string bytes_text(double bytes);

}  // namespace atl
