// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/topology/mapping/traffic.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

constexpr int kMostRanks = 1 << 22;

void settle(std::vector<RankPair>& pairs) {
  std::ranges::stable_sort(pairs, {}, [](const RankPair& f) { return std::pair(f.from, f.to); });
  std::vector<RankPair> merged;
  for (const RankPair& f : pairs)
    if (!merged.empty() && merged.back().from == f.from && merged.back().to == f.to)
      merged.back().bytes += f.bytes;
    else
      merged.push_back(f);
  pairs = std::move(merged);
}

// Sizes of a grid of so many ranks, falling, their sides as equal as can be.
std::vector<int> grid_of(int ranks, int dimensions) {
  std::vector<int> sizes;
  for (int d = dimensions; d > 1; --d) {
    int side = std::max(1, static_cast<int>(std::floor(std::pow(ranks, 1.0 / d) + 1e-9)));
    while (ranks % side != 0) --side;
    sizes.push_back(side);
    ranks /= side;
  }
  sizes.push_back(ranks);
  std::ranges::sort(sizes, std::greater());
  return sizes;
}

std::vector<RankPair> grid(int ranks, int dimensions) {
  std::vector<RankPair> pairs;
  const std::vector<int> sizes = grid_of(ranks, dimensions);
  int stride = 1;
  for (std::size_t d = sizes.size(); d-- > 0; stride *= sizes[d])
    for (int r = 0; r < ranks; ++r)
      if (r / stride % sizes[d] + 1 < sizes[d]) {
        pairs.push_back({r, r + stride, 1});
        pairs.push_back({r + stride, r, 1});
      }
  return pairs;
}

// The next field of the line, which it is taken from.
std::string_view take_field(std::string_view& line) {
  constexpr std::string_view kBlank = " \t\r";
  line.remove_prefix(std::min(line.find_first_not_of(kBlank), line.size()));
  const std::string_view field = line.substr(0, std::min(line.find_first_of(kBlank), line.size()));
  line.remove_prefix(field.size());
  return field;
}

template <class T>
bool parses(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

TrafficMatrix read_lines(const std::string& path, std::string_view file, int ranks) {
  TrafficMatrix traffic;
  std::string_view text;
  for (int number = 1; take_line(file, text); ++number) {
    std::string_view line = text.substr(0, text.find('#'));
    const std::string_view source = take_field(line), target = take_field(line), volume = take_field(line);
    if (source.empty()) continue;
    RankPair pair;
    check(
        parses(source, pair.from) && parses(target, pair.to) && parses(volume, pair.bytes) && take_field(line).empty(),
        "{}:{}: '{}' (a line is: source target bytes). Correct it.", path, number, text);
    const int most = ranks > 0 ? ranks : kMostRanks;
    for (const int rank : {pair.from, pair.to})
      check(rank >= 0 && rank < most, "{}:{}: rank {} (ranks are 0 to {}). {}.", path, number, rank, most - 1,
            ranks > 0 ? "Correct it, or raise --ranks" : "Correct it");
    check(pair.bytes >= 0 && std::isfinite(pair.bytes), "{}:{}: {} bytes (a volume is 0 or more). Correct it.", path,
          number, volume);
    traffic.ranks = std::max({traffic.ranks, pair.from + 1, pair.to + 1});
    if (pair.from != pair.to && pair.bytes > 0) traffic.pairs.push_back(pair);
  }
  return traffic;
}

// Reads the traffic that a run of Atoll wrote by --json: bytes from rank (row) to rank (column).
TrafficMatrix read_counters(const std::string& path, std::string_view file) {
  const nlohmann::json run = try_parse_json(file);
  check(!run.is_discarded(),
        "{}: not JSON, though it begins so (traffic is that, or lines of source target bytes). "
        "Correct it.",
        path);
  const auto counted = nlohmann::json::json_pointer("/counters/traffic");
  check(run.contains(counted) && run[counted].is_object() && run[counted].contains("bytes"),
        "{}: no counters.traffic in it (it is in the --json of a run on 2 to 64 ranks). Give such a run, or lines of "
        "source target bytes.",
        path);
  const nlohmann::json& bytes = run[counted]["bytes"];
  const auto ranks = static_cast<std::size_t>(std::llround(std::sqrt(static_cast<double>(bytes.size()))));
  check(bytes.is_array() && ranks * ranks == bytes.size() && run[counted].value("between", "") == "ranks",
        "{}: counters.traffic is no square matrix of bytes between ranks (as the --json of a run has it). Correct it.",
        path);
  TrafficMatrix traffic{static_cast<int>(ranks), {}};
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    check(bytes[i].is_number_unsigned(), "{}: counters.traffic has {} (bytes are whole numbers). Correct it.", path,
          dump_json(bytes[i]));
    const auto from = static_cast<int>(i / ranks), to = static_cast<int>(i % ranks);
    if (from != to && bytes[i] > 0) traffic.pairs.push_back({from, to, bytes[i].get<double>()});
  }
  return traffic;
}

}  // namespace

TrafficMatrix read_traffic(const std::string& path, int ranks) {
  std::error_code ignored;
  check(std::filesystem::is_regular_file(path, ignored),
        "{}: no such file (it has lines of source, target and bytes, or is the --json of a run). Correct the path.",
        path);
  const std::optional<std::string> file = read_text_file(path);
  if (!file) throw IoError(fmt::format("{}: cannot be read. Check its permissions.", path));
  const std::size_t first = file->find_first_not_of(" \t\n");
  TrafficMatrix traffic =
      first != std::string::npos && (*file)[first] == '{' ? read_counters(path, *file) : read_lines(path, *file, ranks);
  check(ranks == 0 || traffic.ranks <= ranks, "{}: traffic of {} ranks (--ranks is {}). Raise it.", path, traffic.ranks,
        ranks);
  if (ranks > 0) traffic.ranks = ranks;
  check(traffic.ranks > 0, "{}: no traffic (a line is: source target bytes). Add some.", path);
  settle(traffic.pairs);
  return traffic;
}

TrafficMatrix traffic_pattern(std::string_view name, int ranks) {
  check(ranks >= 1, "traffic of {} ranks (at least one). Have more.", ranks);
  TrafficMatrix traffic{ranks, {}};
  if (name == "line" || name == "ring") {
    traffic.pairs = grid(ranks, 1);
    if (name == "ring" && ranks > 2) {
      traffic.pairs.push_back({ranks - 1, 0, 1});
      traffic.pairs.push_back({0, ranks - 1, 1});
    }
  } else if (name == "grid2d") {
    traffic.pairs = grid(ranks, 2);
  } else if (name == "grid3d") {
    traffic.pairs = grid(ranks, 3);
  } else if (name == "alltoall") {
    for (int a = 0; a < ranks; ++a)
      for (int b = 0; b < ranks; ++b)
        if (a != b) traffic.pairs.push_back({a, b, 1});
  } else {
    throw InputError(
        fmt::format("traffic pattern '{}' (patterns are line, ring, grid2d, grid3d, alltoall). Choose one.", name));
  }
  settle(traffic.pairs);
  return traffic;
}

std::vector<std::string> traffic_pattern_names() { return {"line", "ring", "grid2d", "grid3d", "alltoall"}; }

void add_job(TrafficMatrix& traffic, const TrafficMatrix& more) {
  for (const RankPair& f : more.pairs) traffic.pairs.push_back({f.from + traffic.ranks, f.to + traffic.ranks, f.bytes});
  traffic.ranks += more.ranks;
}

}  // namespace atl
