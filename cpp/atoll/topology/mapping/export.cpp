// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/topology/mapping/export.hpp>
#include <charconv>
#include <filesystem>
#include <map>

namespace atl {
namespace {

using Writer = std::string (*)(const PlaceGraph&, std::span<const int>, std::span<const std::string>);

const std::string& name_of(const PlaceGraph& places, int place, std::span<const std::string> names) {
  return names[places.host_of(place)];
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
    text += fmt::format("{}:{}\n", names[host], end - r);
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

namespace {

constexpr std::string_view kBlank = " \t";

struct HostLine {
  std::string name;
  int slots = 0;  // 0: not said
};

// "name", "name:2" as MPICH writes it, or "name slots=2 max_slots=4" as Open MPI does.
HostLine host_line(std::string_view line, const std::string& where) {
  const std::string_view name = line.substr(0, line.find_first_of(kBlank));
  HostLine host{std::string(name), 0};
  const auto slots = [&](std::string_view text) {
    int n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    check(error == std::errc() && end == text.data() + text.size() && n >= 1,
          "{}: '{}' (a host is followed by a number of slots from 1 on, as {}:2). Correct it.", where, line, name);
    return n;
  };
  // A name with several colons is an address of IPv6.
  if (const std::size_t colon = name.find(':'); colon != std::string_view::npos && colon == name.rfind(':'))
    host = {std::string(name.substr(0, colon)), slots(name.substr(colon + 1))};
  check(!host.name.empty(), "{}: '{}' (a line begins with the name of a host). Correct it.", where, line);
  for (std::string_view rest = line.substr(name.size());;) {
    rest.remove_prefix(std::min(rest.find_first_not_of(kBlank), rest.size()));
    if (rest.empty()) return host;
    const std::string_view word = rest.substr(0, rest.find_first_of(kBlank));
    rest.remove_prefix(word.size());
    if (word.starts_with("max_slots=") || word.starts_with("max-slots=")) {
      slots(word.substr(10));
    } else {
      check(word.starts_with("slots=") && host.slots == 0,
            "{}: '{}' (a line has one host, and its slots as {}:2 or slots=2). Correct it.", where, line, name);
      host.slots = slots(word.substr(6));
    }
  }
}

}  // namespace

std::vector<std::string> read_host_names(const std::string& path, int hosts, int per_host) {
  std::error_code ignored;
  check(std::filesystem::is_regular_file(path, ignored),
        "{}: no such file (it has the name of a host on each line). Correct the path.", path);
  const std::optional<std::string> file = read_text_file(path);
  if (!file) throw IoError(fmt::format("{}: cannot be opened. Check its permissions.", path));
  struct Named {
    int lines = 0, slots = 0;
    bool says = false;  // how many, in a number or by being named again
    std::string where;  // its last line
  };
  std::vector<std::string> names;
  std::map<std::string, Named> named;
  std::string_view rest = *file, line;
  for (int number = 1; take_line(rest, line); ++number) {
    line = line.substr(0, line.find('#'));
    line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
    line = line.substr(0, line.find_last_not_of(kBlank) + 1);
    if (line.empty()) continue;
    const std::string where = fmt::format("{}:{}", path, number);
    const HostLine host = host_line(line, where);
    Named& all = named[host.name];
    if (all.lines++ == 0) names.push_back(host.name);
    all.slots += std::max(host.slots, 1);
    all.says = all.says || host.slots > 0 || all.lines > 1;
    all.where = where;
  }
  for (const auto& [name, host] : named)
    check(
        !host.says || host.slots == per_host,
        "{}: host {} has {} slot{} on {} line{} (--per-host is {}: so many ranks are placed on each). Give --per-host "
        "{}, or name the host once and without slots.",
        host.where, name, host.slots, host.slots == 1 ? "" : "s", host.lines, host.lines == 1 ? "" : "s", per_host,
        host.slots);
  check(names.size() == static_cast<std::size_t>(hosts), "{}: {} hosts (the network has {}). Name each of them.", path,
        names.size(), hosts);
  return names;
}

}  // namespace atl
