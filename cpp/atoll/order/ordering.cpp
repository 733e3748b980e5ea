// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/order/methods.hpp>
#include <atoll/order/permute.hpp>

namespace atl {
namespace {

struct Named {
  Ordering method;
  std::string_view name;
};
constexpr Named kNames[] = {
    {Ordering::identity, "identity"}, {Ordering::degree, "degree"}, {Ordering::hub_sort, "hub_sort"},
    {Ordering::dbg, "dbg"},           {Ordering::rcm, "rcm"},       {Ordering::rabbit, "rabbit"},
    {Ordering::gorder, "gorder"},     {Ordering::random, "random"},
};

Array<Local> rows_in_order(Team& team, const SparsePattern& a, Ordering method, const OrderingOptions& options) {
  switch (method) {
    case Ordering::identity:
      break;
    case Ordering::degree:
      return order::by_degree(team, a);
    case Ordering::hub_sort:
      return order::by_hubs(team, a);
    case Ordering::dbg:
      return order::by_degree_groups(team, a);
    case Ordering::rcm:
      return order::by_reverse_cuthill_mckee(team, a);
    case Ordering::rabbit:
      return order::by_communities(team, a);
    case Ordering::gorder:
      return order::by_shared_columns(team, a, options.window);
    case Ordering::random:
      return order::at_random(team, a.rows, options.seed);
  }
  return order::identity(team, a.rows);
}

}  // namespace

std::vector<std::string> ordering_names() {
  std::vector<std::string> names;
  for (const Named& n : kNames) names.emplace_back(n.name);
  return names;
}

std::string_view name_of(Ordering method) {
  for (const Named& n : kNames)
    if (n.method == method) return n.name;
  return "";
}

Ordering ordering_named(std::string_view name) {
  std::string known;
  for (const Named& n : kNames) {
    if (n.name == name) return n.method;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", n.name);
  }
  throw InputError(fmt::format("the ordering is '{}' (it is none of {}). Choose one of these.", name, known));
}

Array<Local> new_numbers(Team& team, const SparsePattern& a, Ordering method, const OrderingOptions& options) {
  check(a.rows == a.columns,
        "the matrix to be ordered has {} rows and {} columns (both get the same new numbers). Pass a square one.",
        a.rows, a.columns);
  check(a.rows <= kMostRows, "the matrix to be ordered has {} rows (row numbers have 32 bits). Order a smaller one.",
        a.rows);
  check(method != Ordering::gorder || options.window >= 1, "the window is {} (at least one row). Give a larger one.",
        options.window);
  const Array<Local> order = rows_in_order(team, a, method, options);
  return inverse(team, {order.data(), order.size()});
}

}  // namespace atl
