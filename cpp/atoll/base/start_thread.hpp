// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <system_error>
#include <thread>

namespace atl {

/// Starts a thread that runs f. Throws an Error that names `whose` thread it is if the system cannot create one.
///
///     std::thread worker = start_thread("thread 3 of 8", [&] { work(3); });
template <class F>
std::thread start_thread(std::string_view whose, F&& f) {
  try {
    return std::thread(std::forward<F>(f));
  } catch (const std::system_error& e) {
    throw Error(
        fmt::format("{} cannot be started ({}: a limit of this process or of the machine leaves no memory for its "
                    "stack, or no room "
                    "for a thread). Raise the limit (ulimit -v, ulimit -u), or use fewer threads and ranks.",
                    whose, e.code().message()));
  }
}

}  // namespace atl
