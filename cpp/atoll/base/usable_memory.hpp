// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>

namespace atl {

/// The bytes that this process can still allocate without swapping: the machine's available memory (including the page
/// cache), or less if a control group limits it. Linux; elsewhere the free memory.
std::size_t usable_memory();

}  // namespace atl
