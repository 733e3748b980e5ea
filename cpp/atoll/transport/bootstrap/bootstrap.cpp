// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <cstdlib>
#include <string_view>

namespace atl {
namespace {

// Reads a required environment variable: an integer >= 0.
Rank need_number(const char* variable, const char* because) {
  const char* text = std::getenv(variable);
  char* end = nullptr;
  const long value = text ? std::strtol(text, &end, 10) : -1;
  if (!text || end == text || *end != 0 || value < 0 || value > INT32_MAX)
    throw UsageError(fmt::format("{} is {} (with {} it is a whole number from 0). Set it in each process.", variable,
                                 text ? fmt::format("'{}'", text) : "not set", because));
  return static_cast<Rank>(value);
}

}  // namespace

std::unique_ptr<Bootstrap> find_bootstrap(double timeout_s) {
  const char* how = std::getenv("ATOLL_BOOTSTRAP");
  if (!how) {
    if (const char* hosts = std::getenv("ATOLL_HOSTS"))
      return bootstrap_by_hosts(hosts, need_number("ATOLL_RANK", "ATOLL_HOSTS"), timeout_s);
    if (std::getenv("PMI_FD"))
      return bootstrap_by_pmi(need_number("PMI_FD", "PMI"), need_number("PMI_RANK", "PMI_FD"),
                              need_number("PMI_SIZE", "PMI_FD"), timeout_s);
    return nullptr;
  }
  const std::string_view text = how;
  if (!text.starts_with("file:") || text.size() == 5)
    throw UsageError(fmt::format("ATOLL_BOOTSTRAP is '{}' (there is file:FOLDER). Correct or unset it.", text));
  const Rank rank = need_number("ATOLL_RANK", "ATOLL_BOOTSTRAP");
  const Rank ranks = need_number("ATOLL_BOOTSTRAP_RANKS", "ATOLL_BOOTSTRAP");
  if (rank >= ranks)
    throw UsageError(
        fmt::format("ATOLL_RANK is {} of {} (ranks count from 0). Give each process its own number.", rank, ranks));
  return bootstrap_by_files(std::string(text.substr(5)), rank, ranks, timeout_s);
}

}  // namespace atl
