// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace atl {

/// Bytes that this process may still take without anyone swapping: what the machine has available (memory that only keeps
/// files counts), or less where a control group says so. Linux; elsewhere what is free.
std::size_t usable_memory();

}  // namespace atl
