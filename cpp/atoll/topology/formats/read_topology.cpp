// SPDX-License-Identifier: Apache-2.0
#include <zstd.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/topology/formats/formats.hpp>
#include <atoll/topology/formats/xml_yaml_plugin.hpp>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>

namespace atl {
namespace {

constexpr std::int64_t kMostRanks = 1 << 24;              // the limit of Hierarchy::parse
constexpr std::size_t kMostBytes = std::size_t{1} << 28;  // the largest fabrics have a hundredth of this
// Texts are packed to a thirtieth or so, the most regular ones to a hundredth. What unpacks to more is none.
constexpr std::size_t kMostExpansion = 200, kMostUnpacked = std::size_t{64} << 20;

std::string unpack(const std::string& path, const std::string& packed) {
  const std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)> context(ZSTD_createDCtx(), ZSTD_freeDCtx);
  std::string text, piece(ZSTD_DStreamOutSize(), '\0');
  const std::size_t most = std::min(kMostBytes, std::max(kMostUnpacked, kMostExpansion * packed.size()));
  ZSTD_inBuffer in{packed.data(), packed.size(), 0};
  for (std::size_t left = 1; in.pos < in.size || left > 0;) {
    ZSTD_outBuffer out{piece.data(), piece.size(), 0};
    const std::size_t before = in.pos;
    left = ZSTD_decompressStream(context.get(), &out, &in);
    check(!ZSTD_isError(left), "{}: {} (the zstd data is damaged). Get the file again.", path, ZSTD_getErrorName(left));
    text.append(piece, 0, out.pos);
    check(in.pos > before || out.pos > 0 || left == 0, "{}: the zstd data is cut off. Get the file again.", path);
    check(text.size() <= most, "{}: its {} bytes unpack to more than {} (no topology does). Correct the path.", path,
          packed.size(), most);
    if (in.pos == in.size && left == 0) break;
  }
  return text;
}

TopologyFile open(const std::string& path, const Log& log) {
  std::error_code error;
  check(std::filesystem::is_regular_file(path, error), "{}: no such file. Correct the path.", path);
  check(std::filesystem::file_size(path, error) <= kMostBytes,
        "{}: more than {} bytes (no topology is so long). "
        "Correct the path.",
        path, kMostBytes);
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  if (!file) throw IoError(fmt::format("{}: cannot be read. Check its permissions.", path));
  std::string text = std::move(bytes).str();
  if (text.starts_with("\x28\xb5\x2f\xfd")) text = unpack(path, text);
  return {path, plain_text(std::move(text), path), log};
}

enum class Format { slurm_conf, yaml, infiniband, simgrid, hwloc, json, link_list };

bool has_line(const std::string& text, std::string_view beginning) {
  const auto same = [](char a, char b) {
    return std::tolower(static_cast<unsigned char>(a)) == std::tolower(static_cast<unsigned char>(b));
  };
  for (std::size_t at = 0; at < text.size();) {
    at = text.find_first_not_of(" \t\r\n", at);
    if (at == std::string::npos) return false;
    if (text.size() - at >= beginning.size() &&
        std::equal(beginning.begin(), beginning.end(), text.begin() + static_cast<std::ptrdiff_t>(at), same))
      return true;
    at = std::min(text.find('\n', at), text.size());
  }
  return false;
}

Format format_of(const TopologyFile& file) {
  std::string name = file.path;
  if (name.ends_with(".zst")) name.resize(name.size() - 4);
  const std::size_t first = file.text.find_first_not_of(" \t\r\n");
  check(first != std::string::npos, "{}: an empty file (a topology is expected). Correct the path.", file.path);
  if (name.ends_with(".yaml") || name.ends_with(".yml")) return Format::yaml;
  if (file.text[first] == '<') {
    const bool platform = file.text.find("<platform") != std::string::npos;
    check(platform || file.text.find("<topology") != std::string::npos,
          "{}: XML that is neither SimGrid's (platform) nor hwloc's (topology). Correct the path.", file.path);
    return platform ? Format::simgrid : Format::hwloc;
  }
  if (file.text[first] == '{' || file.text[first] == '[') return Format::json;
  check(
      !file.text.starts_with("BZh"),
      "{}: packed by bzip2, as hwloc-gather-topology does with /sys and /proc (not read here). Unpack it and write it "
      "as XML: lstopo -i FOLDER FILE.xml",
      file.path);
  if (has_line(file.text, "SwitchName=") || has_line(file.text, "BlockName=")) return Format::slurm_conf;
  if (has_line(file.text, "Switch\t") || has_line(file.text, "Switch ")) return Format::infiniband;
  if (is_link_list(file)) return Format::link_list;
  throw InputError(fmt::format(
      "{}: no topology that is known (Slurm topology.conf or .yaml, ibnetdiscover, SimGrid or hwloc XML, JSON of a "
      "hierarchy, a list of links). Correct the path.",
      file.path));
}

nlohmann::json parse_hierarchy(const TopologyFile& file) {
  try {
    nlohmann::json j = parse_json(file.text);
    if (j.is_object() && j.contains("result"))
      return j.at("result").at("hierarchy");  // the whole output of `atoll info`
    check(j.is_object(),
          "{}: JSON that is no hierarchy, but a list (NetQ's topologyGraph is one; it is not read). Write "
          "it as `atoll info --json` prints a hierarchy.",
          file.path);
    return j;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("{}: {} (not JSON). Write it as `atoll info --json` prints a hierarchy.", file.path, e.what()));
  }
}

Domain read_tree(const TopologyFile& file, Format format) {
  switch (format) {
    case Format::slurm_conf:
      return read_slurm_conf(file);
    case Format::yaml:
      return xml_yaml_plugin(file).read_topology_yaml(file);
    case Format::infiniband:
      return read_infiniband(file).tree;
    case Format::simgrid:
      return xml_yaml_plugin(file).read_simgrid(file);
    case Format::link_list: {
      Domain tree{.kind = "system", .name = {}, .children = {}, .ranks = {}};
      const int hosts = read_link_list(file).hosts();
      for (int h = 0; h < hosts; ++h) tree.children.push_back(host(std::to_string(h)));
      return tree;
    }
    default:
      return xml_yaml_plugin(file).read_hwloc_xml(file);
  }
}

// One router per domain, with one cable to each child.
Network network_of(std::string name, const Domain& tree) {
  Network::Parts parts{.name = std::move(name),
                       .hosts = Hierarchy(tree).size(),
                       .routers = 0,
                       .links = {},
                       .groups = without_hosts(tree),
                       .path = {},
                       .bisection = std::nullopt};
  const auto walk = [&](const auto& self, const Domain& d) -> int {
    if (d.children.empty()) return d.ranks[0];
    const int router = parts.hosts + parts.routers++;
    for (const Domain& c : d.children) parts.links.push_back({.a = router, .b = self(self, c)});
    return router;
  };
  walk(walk, tree);
  return Network(std::move(parts));
}

}  // namespace

Domain without_hosts(Domain tree) {
  const bool leaf = !tree.children.empty() && tree.children[0].children.empty();
  for (Domain& c : tree.children)
    if (leaf)
      tree.ranks.insert(tree.ranks.end(), c.ranks.begin(), c.ranks.end());
    else
      c = without_hosts(std::move(c));
  if (leaf) tree.children.clear();
  return tree;
}

Hierarchy read_hierarchy(const std::string& path, int ranks_per_host, const Log& log) {
  check(ranks_per_host > 0, "{} ranks per host (at least 1). Correct it.", ranks_per_host);
  const TopologyFile file = open(path, log);
  const Format format = format_of(file);
  if (format == Format::json) {
    try {
      Hierarchy h = Hierarchy::from_json(parse_hierarchy(file));
      check(h.size() > 0, "{}: a hierarchy without ranks (a leaf domain has \"ranks\"). Add them.", path);
      return h;
    } catch (const InputError& e) {
      const std::string text = e.what();
      throw InputError(text.starts_with(path) ? text : path + ": " + text);
    }
  }
  Domain tree = read_tree(file, format);
  const std::int64_t hosts = count_hosts(tree);
  check(hosts * ranks_per_host <= kMostRanks, "{}: {} hosts with {} ranks each (at most {} ranks). Have fewer of them.",
        path, hosts, ranks_per_host, kMostRanks);
  number_hosts(tree, ranks_per_host);
  return Hierarchy(level_out(std::move(tree)));
}

Network read_network(const std::string& text) {
  std::error_code ignored;
  if (text.find(':') != std::string::npos && !std::filesystem::exists(text, ignored)) return Network::parse(text);
  const TopologyFile file = open(text, {});
  const Format format = format_of(file);
  check(format != Format::json, "{}: JSON (a hierarchy has no links). Name another format.", text);
  if (format == Format::infiniband) return read_infiniband(file).network;
  if (format == Format::link_list) return read_link_list(file);
  if (format == Format::simgrid)
    if (std::optional<Network> family = xml_yaml_plugin(file).simgrid_network(file)) return *std::move(family);
  Domain tree = read_tree(file, format);
  number_hosts(tree, 1);
  return network_of(text, level_out(std::move(tree)));
}

}  // namespace atl
