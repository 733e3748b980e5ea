// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/hierarchy.hpp>
#include <string>

/// A hierarchy as lines of text, for people.
///
///     fmt::print("{}", draw(Hierarchy::parse("16x2")));
///
///     system
///     └── node x 16: ranks 0-31, 2 each
///
/// Three or more siblings of one shape are one line, and what is in the first of them stands for all.
namespace atl {

std::string draw(const Hierarchy& h);

}  // namespace atl
