// SPDX-License-Identifier: Apache-2.0
#include "sampling.hpp"

namespace atl::catalog {

std::vector<Option> sampling_options(std::int64_t standard, std::string_view help) {
  return {{.name = "samples",
           .stage = Stage::check,
           .default_value = standard,
           .check_help = help,
           .range = Range::not_negative,
           .most = INT64_MAX},
          {.name = "seed",
           .stage = Stage::check,
           .default_value = std::int64_t{1},
           .check_help = "for drawing them (default 1)",
           .range = Range::not_negative,
           .most = INT64_MAX}};
}

std::uint64_t seed_of(const Arguments& arguments) { return static_cast<std::uint64_t>(arguments.whole("seed")); }

}  // namespace atl::catalog
