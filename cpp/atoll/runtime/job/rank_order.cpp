// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/runtime/job/rank_order.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <atoll/topology/machine.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <charconv>
#include <filesystem>
#include <numeric>
#include <optional>
#include <sstream>

namespace atl {
namespace {

std::vector<Rank> read_places(const std::string& path, Rank ranks) {
  const std::optional<std::string> file = read_text_file(path);
  if (!file)
    throw InputError(fmt::format(
        "{}: cannot be opened (--map takes a file of places, hamorder-w, hamorder, random or identity). Correct --map.",
        path));
  std::vector<Rank> places;
  std::vector<bool> taken(static_cast<std::size_t>(ranks));
  std::string_view rest = *file, line;
  for (int number = 1; take_line(rest, line); ++number) {
    std::istringstream words(std::string(line.substr(0, line.find('#'))));
    for (std::string word; words >> word;) {
      Rank place = -1;
      const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), place);
      check(error == std::errc() && end == word.data() + word.size() && place >= 0,
            "{}:{}: '{}' is no place (places count from 0). Correct the file.", path, number, word);
      check(place < ranks && !taken[place],
            "{}:{}: place {} {} (the {} ranks have a place each, 0 to {}). Correct the file, or --ranks.", path, number,
            place, place < ranks ? "is named twice" : "does not exist", ranks, ranks - 1);
      taken[place] = true;
      places.push_back(place);
    }
  }
  check(places.size() == static_cast<std::size_t>(ranks),
        "{}: {} places (there are {} ranks). Give a line to each rank.", path, places.size(), ranks);
  return places;
}

// The network that the plan names; none: its domains and its platform are trees, files of costs, or not given.
std::optional<Network> network_of(const Plan& plan) {
  std::error_code ignored;
  if (plan.domains.find(':') != std::string::npos && !std::filesystem::exists(plan.domains, ignored))
    return Network::parse(plan.domains);
  if (!plan.platform.empty())
    if (const Machine machine = read_machine(plan.platform, 1); machine.network) return *machine.network;
  return std::nullopt;
}

std::vector<Rank> numbered(const std::string& method, const Network& network, Rank ranks) {
  const int per_host = (ranks + network.hosts() - 1) / network.hosts();
  const PlaceGraph places(network, per_host);
  constexpr std::uint64_t kSeed = 1;
  std::vector<Rank> order = method == "hamorder"     ? hamorder(places)
                            : method == "hamorder-w" ? hamorder_w(places, kSeed)
                                                     : random_order(places, kSeed);
  std::erase_if(order, [ranks](Rank place) { return place >= ranks; });
  return order;
}

}  // namespace

std::vector<Rank> rank_order(const Plan& plan, Rank ranks, const Network* network) {
  if (plan.map.empty()) return {};
  if (plan.map == "identity") {
    std::vector<Rank> order(static_cast<std::size_t>(ranks));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  if (plan.map != "random" && plan.map != "hamorder" && plan.map != "hamorder-w") return read_places(plan.map, ranks);
  if (ranks == 1) return {0};
  if (network) return numbered(plan.map, *network, ranks);
  const std::optional<Network> named = network_of(plan);
  if (!named)
    throw UsageError(
        fmt::format("--map {} without a network (it numbers the hosts of one). Name it by --domains or --platform, as "
                    "torus:4x4, or "
                    "give a file that `atoll map --export places FILE` wrote.",
                    plan.map));
  return numbered(plan.map, *named, ranks);
}

Rank rank_of_process(const std::vector<Rank>& order, Rank process) {
  return order.empty() ? process : static_cast<Rank>(std::ranges::find(order, process) - order.begin());
}

}  // namespace atl
