// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <atoll/base/error.hpp>

namespace atl {

void throw_input_error(fmt::string_view text, fmt::format_args arguments) {
  throw InputError(fmt::vformat(text, arguments));
}

}  // namespace atl
