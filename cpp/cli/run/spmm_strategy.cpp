// SPDX-License-Identifier: Apache-2.0
#include "spmm_strategy.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <atoll/spmm/strategy.hpp>

namespace atl::cli {

void add_spmm_strategy(CLI::App& app, std::string& strategy) {
  std::vector<std::string> names{"auto"};
  std::string text = "how rows are fetched. auto (default): the fastest by the platform's costs";
  for (const SpmmStrategy& s : spmm_strategies()) {
    names.emplace_back(s.name);
    text += fmt::format("; {}: {}", s.name, s.description);
  }
  app.add_option("--strategy", strategy, text)->check(CLI::IsMember(names));
}

}  // namespace atl::cli
