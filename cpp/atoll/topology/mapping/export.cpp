// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/mapping/export.hpp>
#include <filesystem>
#include <fstream>
#include <map>

namespace atl {
namespace {

using Writer = std::string (*)(const PlaceGraph&, std::span<const int>, std::span<const std::string>);

const std::string& name_of(const PlaceGraph& places, int place, std::span<const std::string> names) {
  return names[static_cast<std::size_t>(places.host_of(place))];
}

std::string rankfile(const PlaceGraph& places, std::span<const int> mapping, std::span<const std::string> names) {
  std::string text;
  for (std::size_t r = 0; r < mapping.size(); ++r)
    text += fmt::format("rank {}={} slot={}\n", r, name_of(places, mapping[r], names), places.slot_of(mapping[r]));
  return text;
}

std::string hydra_hosts(const PlaceGraph& places, std::span<const int> mapping, std::span<const std::string> names) {
  std::string text;
  for (std::size_t r = 0; r < mapping.size();) {
    const int host = places.host_of(mapping[r]);
    std::size_t end = r;
    while (end < mapping.size() && places.host_of(mapping[end]) == host) ++end;
    text += fmt::format("{}:{}\n", names[static_cast<std::size_t>(host)], end - r);
    r = end;
  }
  return text;
}

std::string host_lines(const PlaceGraph& places, std::span<const int> mapping, std::span<const std::string> names) {
  std::string text;
  for (const int place : mapping) text += name_of(places, place, names) + "\n";
  return text;
}

std::string cray_rank_order(const PlaceGraph& places, std::span<const int> mapping, std::span<const std::string>) {
  std::map<int, std::size_t> rank_at;  // [place], ascending
  for (std::size_t r = 0; r < mapping.size(); ++r) rank_at[mapping[r]] = r;
  int next = 0;
  std::string text;
  for (const auto& [place, rank] : rank_at) {
    check(place == next,
          "cray-rank-order: place {} of host {} has no rank (the launcher fills all places before it fills others). "
          "Map as many ranks as there are places.",
          places.slot_of(next), places.host_of(next));
    ++next;
    text += fmt::format("{}{}", text.empty() ? "" : ",", rank);
  }
  return text + "\n";
}

std::string place_lines(const PlaceGraph& places, std::span<const int> mapping, std::span<const std::string>) {
  std::string text;
  for (const int place : mapping) {
    check(
        static_cast<std::size_t>(place) < mapping.size(),
        "places: host {} has a rank at place {} (a job of {} ranks has the places 0 to {}). Map as many ranks as there "
        "are places.",
        places.host_of(place), place, mapping.size(), mapping.size() - 1);
    text += fmt::format("{}\n", place);
  }
  return text;
}

struct Format {
  std::string_view name;
  Writer write;
  bool names_hosts;
};
constexpr Format kFormats[] = {{"openmpi-rankfile", rankfile, true}, {"mpich-hosts", hydra_hosts, true},
                               {"slurm-hostfile", host_lines, true}, {"cray-rank-order", cray_rank_order, false},
                               {"simgrid", host_lines, true},        {"places", place_lines, false}};

}  // namespace

std::vector<std::string> export_formats() {
  std::vector<std::string> names;
  for (const Format& format : kFormats) names.emplace_back(format.name);
  return names;
}

bool names_hosts(std::string_view format) {
  const auto* const row = std::ranges::find(kFormats, format, &Format::name);
  return row != std::end(kFormats) && row->names_hosts;
}

std::string exported(std::string_view format, const PlaceGraph& places, std::span<const int> mapping,
                     std::span<const std::string> host_names) {
  const auto* const row = std::ranges::find(kFormats, format, &Format::name);
  check(row != std::end(kFormats), "export format '{}' (formats are {}). Choose one.", format,
        fmt::join(export_formats(), ", "));
  const std::size_t hosts = static_cast<std::size_t>(places.hosts());
  check(!row->names_hosts || host_names.size() == hosts, "{} names of hosts (the network has {}). Name each of them.",
        host_names.size(), hosts);
  return row->write(places, mapping, host_names);
}

std::vector<std::string> read_host_names(const std::string& path, int hosts) {
  std::error_code ignored;
  check(std::filesystem::is_regular_file(path, ignored),
        "{}: no such file (it has the name of a host on each line). Correct the path.", path);
  std::ifstream file(path);
  std::vector<std::string> names;
  std::map<std::string, int> line_of;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    line.resize(std::min(line.find('#'), line.size()));
    const std::size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string::npos) continue;
    std::string name = line.substr(begin, line.find_last_not_of(" \t\r") - begin + 1);
    check(name.find_first_of(" \t") == std::string::npos, "{}:{}: '{}' (one host name on a line). Correct it.", path,
          number, name);
    const auto [first, fresh] = line_of.try_emplace(name, number);
    check(fresh, "{}:{}: host {} again (it is on line {}). Name each host once.", path, number, name, first->second);
    names.push_back(std::move(name));
  }
  check(names.size() == static_cast<std::size_t>(hosts), "{}: {} hosts (the network has {}). Name each of them.", path,
        names.size(), hosts);
  return names;
}

}  // namespace atl
