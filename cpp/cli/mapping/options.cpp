// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/topology/mapping/export.hpp>
#include <cli/cli11.hpp>

namespace atl::cli {

void add_network(CLI::App& app, std::string& network) {
  app.add_option("network", network,
                 "torus:4x4x4, hyperx:8x8, random:64:4, fat-tree:8, ... (network.hpp has all names), or a topology's "
                 "file")
      ->required();
}

CLI::Option* TrafficInput::add_to(CLI::App& app) {
  CLI::Option* const traffic = app.add_option(
      "--traffic", file_, "who sends how much: lines of source rank, target rank, bytes; or the --json of a run");
  app.add_option("--pattern", pattern_, "instead: line (default: ranks r and r + 1), ring, grid2d, grid3d or alltoall")
      ->check(CLI::IsMember(traffic_pattern_names()))
      ->excludes(traffic);
  return traffic;
}

TrafficMatrix TrafficInput::load(int ranks) const {
  return is_file() ? read_traffic(file_, ranks) : traffic_pattern(pattern_, ranks);
}

void MappingExports::add_to(CLI::App& app) {
  app.add_option("--export", files, fmt::format("FORMAT FILE: {}; may be repeated", fmt::join(export_formats(), ", ")));
}

void MappingExports::check() const {
  const std::vector<std::string> formats = export_formats();
  for (const auto& [format, path] : files) {
    if (std::ranges::find(formats, format) == formats.end())
      throw UsageError(fmt::format("--export {} (formats are {}). Choose one.", format, fmt::join(formats, ", ")));
    if (path != result_path()) check_output_path(path);
  }
}

void MappingExports::write(const std::function<std::string(const std::string& format)>& text, Outcome& out) const {
  for (const auto& [format, path] : files) {
    put_file(path, text(format));
    out.result["exports"].push_back({{"format", format}, {"file", path}});
  }
}

}  // namespace atl::cli
