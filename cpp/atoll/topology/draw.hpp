// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <string>

/// A hierarchy as indented lines of text.
///
///     fmt::print("{}", draw(Hierarchy::parse("16x2")));
///
///     system
///     └── node x 16: ranks 0-31, 2 each
///
/// Three or more siblings of the same shape are drawn as one line, with the subtree of the first of them.
namespace atl {

std::string draw(const Hierarchy& h);

}  // namespace atl
