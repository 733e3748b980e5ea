// SPDX-License-Identifier: Apache-2.0
#include "spmm_strategy.hpp"

#include <fmt/format.h>

#include <atoll/spmm/row_order.hpp>
#include <atoll/spmm/strategy.hpp>
#include <cli/cli11.hpp>

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

void add_row_order(CLI::App& app, std::string& order) {
  app.add_option(
         "--order", order,
         "rows and columns of the matrix under new numbers, on all ranks; results stay in the order of ids. auto "
         "(default): rabbit where that is predicted to make products faster; none; or as `atoll reorder --method`")
      ->check(CLI::IsMember(row_order_names()));
}

}  // namespace atl::cli
