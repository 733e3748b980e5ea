// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/formats/formats.hpp>
#include <atoll/topology/formats/link_list.hpp>
#include <charconv>
#include <cmath>

// Lines of "router router [bytes/s [latency in s]]", routers numbered from 0 on; comments from # on. Two lines with the
// same routers are two cables.

namespace atl {
namespace {

constexpr int kMostRouters = 1 << 20;

std::vector<std::string_view> fields_of(std::string_view line) {
  constexpr std::string_view kBlank = " \t\r,";
  line = line.substr(0, line.find('#'));
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t begin = line.find_first_not_of(kBlank);
    if (begin == std::string_view::npos) return fields;
    line.remove_prefix(begin);
    fields.push_back(line.substr(0, line.find_first_of(kBlank)));
    line.remove_prefix(fields.back().size());
  }
}

template <class T>
bool parses(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// Calls f(number, line) for each line, until it returns false.
template <class F>
void for_each_line(std::string_view text, F&& f) {
  std::size_t number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (!f(++number, text.substr(at, end - at))) return;
    at = end + 1;
  }
}

}  // namespace

bool is_link_list(const TopologyFile& file) {
  bool is = false;
  for_each_line(file.text, [&](std::size_t, std::string_view line) {
    const auto fields = fields_of(line);
    int router = 0;
    if (fields.empty()) return true;
    is = fields.size() >= 2 && fields.size() <= 4 && parses(fields[0], router) && parses(fields[1], router);
    return false;
  });
  return is;
}

Network read_link_list(const TopologyFile& file) {
  Network::Parts parts{.name = file.path,
                       .hosts = 0,
                       .routers = 0,
                       .links = {},
                       .groups = {.kind = "system", .name = {}, .children = {}, .ranks = {}},
                       .path = {},
                       .bisection = std::nullopt};
  for_each_line(file.text, [&](std::size_t number, std::string_view line) {
    const auto fields = fields_of(line);
    if (fields.empty()) return true;
    Link link;
    check(fields.size() >= 2 && fields.size() <= 4 && parses(fields[0], link.a) && parses(fields[1], link.b) &&
              (fields.size() < 3 || parses(fields[2], link.bytes_per_second)) &&
              (fields.size() < 4 || parses(fields[3], link.latency_s)),
          "{}: '{}' (a line is: two routers, and where known bytes per second and latency in seconds). Correct it.",
          file.at(number), line.substr(0, 100));
    for (const int router : {link.a, link.b})
      check(router >= 0 && router < kMostRouters, "{}: router {} (routers are 0 to {}). Correct it.", file.at(number),
            router, kMostRouters - 1);
    check(link.a != link.b, "{}: a link from router {} to itself (links join two routers). Remove it.", file.at(number),
          link.a);
    check(link.bytes_per_second > 0 && std::isfinite(link.bytes_per_second) && link.latency_s >= 0 &&
              std::isfinite(link.latency_s),
          "{}: {} bytes per second, {} s (a link has a bandwidth, and no negative latency). Correct it.",
          file.at(number), link.bytes_per_second, link.latency_s);
    parts.routers = std::max({parts.routers, link.a + 1, link.b + 1});
    parts.links.push_back(link);
    return true;
  });
  parts.hosts = parts.routers;
  for (Link& l : parts.links) {
    l.a += parts.hosts;
    l.b += parts.hosts;
  }
  for (int r = 0; r < parts.routers; ++r) {
    parts.links.push_back({.a = r, .b = parts.hosts + r});
    parts.groups.ranks.push_back(r);
  }
  return Network(std::move(parts));
}

std::string link_list(const Network& network) {
  const Link usual;
  std::string text = fmt::format("# {}: {} routers with a host each\n", network.name(), network.routers());
  std::vector<int> hosts_at(static_cast<std::size_t>(network.routers()), 0);
  for (const Link& l : network.links()) {
    const auto [a, b] = std::minmax(l.a, l.b);
    const int router = b - network.hosts();
    if (a < network.hosts()) {
      check(router == a && hosts_at[router]++ == 0,
            "network {}: host {} at router {} (a list of links has host h at router h, and no other). Write another "
            "format.",
            network.name(), a, router);
      continue;
    }
    text += fmt::format("{} {}", l.a - network.hosts(), l.b - network.hosts());
    if (l.bytes_per_second != usual.bytes_per_second || l.latency_s != usual.latency_s)
      text += fmt::format(" {} {}", l.bytes_per_second, l.latency_s);
    text += "\n";
  }
  check(network.hosts() == network.routers(),
        "network {}: {} hosts at {} routers (a list of links has a host at each). Write another format.",
        network.name(), network.hosts(), network.routers());
  return text;
}

}  // namespace atl
