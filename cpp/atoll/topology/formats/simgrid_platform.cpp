// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/formats/simgrid_platform.hpp>
#include <cmath>
#include <iterator>
#include <map>

namespace atl {
namespace {

class Platform {
 public:
  Platform(const Network& network, const SimgridRates& rates) : network_(network), rates_(rates) {
    const auto is_time = [](double s) { return s >= 0 && std::isfinite(s); };
    const double latency_s = rates.link_latency_s.value_or(0), bandwidth = rates.bytes_per_second.value_or(1);
    check(is_time(latency_s) && is_time(rates.switch_latency_s),
          "latencies of {} s a link and {} s a switch (0 or more). Correct them.", latency_s, rates.switch_latency_s);
    check(bandwidth > 0 && std::isfinite(bandwidth), "links of {} bytes/s (more than 0). Correct it.", bandwidth);
    check(rates.flops_per_second > 0 && std::isfinite(rates.flops_per_second),
          "hosts of {} flop/s (more than 0). Correct it.", rates.flops_per_second);
  }

  std::string text() && {
    const bool table = network_.hosts() <= kMostSimgridTable;
    add("<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n");
    add("<!-- {} hosts, {} routers, {} links; {} -->\n", network_.hosts(), network_.routers(), network_.links().size(),
        table ? "the network's own routes" : "routes are shortest paths that SimGrid chooses");
    add("<platform version=\"4.1\">\n<zone id=\"network\" routing=\"{}\">\n", table ? "Full" : "DijkstraCache");
    for (int h = 0; h < network_.hosts(); ++h)
      add("<host id=\"{}\" speed=\"{}f\"/>\n", vertex(h), rates_.flops_per_second);
    if (table)
      put_table();
    else
      put_cables();
    add("</zone>\n</platform>\n");
    return std::move(text_);
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> form, Values&&... values) {
    fmt::format_to(std::back_inserter(text_), form, std::forward<Values>(values)...);
  }

  std::string vertex(int v) const {
    return v < network_.hosts() ? fmt::format("host-{}", v) : fmt::format("router-{}", v - network_.hosts());
  }

  void put_link(std::size_t number, const Link& link, double bytes_per_second) {
    const int routers = (link.a >= network_.hosts()) + (link.b >= network_.hosts());
    add("<link id=\"link-{}\" bandwidth=\"{}Bps\" latency=\"{}s\" sharing_policy=\"SPLITDUPLEX\"/>\n", number,
        bytes_per_second, rates_.link_latency_s.value_or(link.latency_s) + rates_.switch_latency_s / 2 * routers);
  }

  void put_hop(const Hop& hop) {
    const bool up = network_.links()[hop.link].a == hop.from;
    add("<link_ctn id=\"link-{}\" direction=\"{}\"/>", hop.link, up ? "UP" : "DOWN");
  }

  template <class Hops>
  void put_route(int from, int to, Hops&& hops) {
    add("<route src=\"{}\" dst=\"{}\" symmetrical=\"NO\">", vertex(from), vertex(to));
    hops();
    add("</route>\n");
  }

  void put_table() {
    const auto links = network_.links();
    for (std::size_t l = 0; l < links.size(); ++l)
      put_link(l, links[l], rates_.bytes_per_second.value_or(links[l].bytes_per_second));
    for (int to = 0; to < network_.hosts(); ++to) {
      const std::vector<Hop> next = network_.has_rule() ? std::vector<Hop>{} : network_.towards(to);
      for (int from = 0; from < network_.hosts(); ++from) {
        if (from == to) continue;
        put_route(from, to, [&] {
          if (network_.has_rule())
            for (const Hop& hop : network_.route(from, to)) put_hop(hop);
          else
            for (int at = from; at != to; at = next[at].to) put_hop(next[at]);
        });
      }
    }
  }

  void put_cables() {
    struct Cables {
      std::size_t first;
      double bytes_per_second = 0;
    };
    std::map<std::pair<int, int>, Cables> between;
    const auto links = network_.links();
    for (std::size_t l = 0; l < links.size(); ++l) {
      const Link& link = links[l];
      const auto [cables, fresh] = between.try_emplace(std::minmax(link.a, link.b), Cables{l});
      cables->second.bytes_per_second += rates_.bytes_per_second.value_or(link.bytes_per_second);
    }
    for (int r = 0; r < network_.routers(); ++r) add("<router id=\"router-{}\"/>\n", r);
    for (const auto& [ends, cables] : between) put_link(cables.first, links[cables.first], cables.bytes_per_second);
    for (const auto& [ends, cables] : between) {
      const Link& link = links[cables.first];
      for (const auto& [from, to] : {std::pair(link.a, link.b), std::pair(link.b, link.a)})
        put_route(from, to, [&] { put_hop({static_cast<int>(cables.first), from, to}); });
    }
  }

  const Network& network_;
  const SimgridRates& rates_;
  std::string text_;
};

}  // namespace

std::optional<SimgridRates> simgrid_preset(std::string_view name) {
  if (name == "hamorder-paper")
    return SimgridRates{
        .flops_per_second = 100e9, .switch_latency_s = 60e-9, .link_latency_s = 0, .bytes_per_second = 40e9 / 8};
  return {};
}

std::string simgrid_platform(const Network& network, const SimgridRates& rates) {
  return Platform(network, rates).text();
}

std::vector<std::string> simgrid_host_names(const Network& network) {
  std::vector<std::string> names;
  for (int h = 0; h < network.hosts(); ++h) names.push_back(fmt::format("host-{}", h));
  return names;
}

}  // namespace atl
