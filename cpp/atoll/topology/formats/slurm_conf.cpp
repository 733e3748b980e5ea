// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/topology/formats/formats.hpp>
#include <cctype>
#include <charconv>

// Slurm's topology.conf: lines of key=value, case-insensitive, with comments from # on. A line whose last character is
// a backslash, blanks and a comment left out, goes on in the next one (parse_config.c of Slurm). topology/tree lists
// switches with child switches or nodes; topology/block lists blocks of nodes, and BlockSizes gives the number of nodes
// in a block and in each level of grouping above it.

namespace atl {
namespace {

struct Line {
  std::map<std::string, std::string> values;  // keys in lower case
  std::string where;
};

std::string small(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

constexpr std::string_view kSpace = " \t\r";

// The next line of `rest` and those that it goes on in, without comments; `number` is that of the last one.
bool take_joined(std::string_view& rest, std::string& joined, std::size_t& number) {
  joined.clear();
  std::string_view line;
  bool found = false;
  while (take_line(rest, line)) {
    found = true;
    ++number;
    line = line.substr(0, line.find('#'));
    line = line.substr(0, line.find_last_not_of(kSpace) + 1);
    const std::size_t last = line.find_last_not_of('\\');  // none, and + 1: 0
    const bool goes_on = (line.size() - (last + 1)) % 2 == 1;
    joined += line.substr(0, line.size() - goes_on);
    if (!goes_on) break;
  }
  return found;
}

std::vector<Line> lines_of(const TopologyFile& file) {
  std::vector<Line> lines;
  std::size_t number = 0;
  std::string_view rest = file.text;
  for (std::string joined;;) {
    const std::size_t first = number + 1;
    if (!take_joined(rest, joined, number)) break;
    Line line{{}, file.at(first)};
    std::string_view text = joined;
    for (;;) {
      const std::size_t begin = text.find_first_not_of(kSpace);
      if (begin == std::string_view::npos) break;
      text.remove_prefix(begin);
      const std::string_view word = text.substr(0, text.find_first_of(kSpace));
      text.remove_prefix(word.size());
      const std::size_t equals = word.find('=');
      check(equals != std::string_view::npos, "{}: '{}' (every word is a key=value, as SwitchName=s1). Correct it.",
            line.where, word.substr(0, 100));
      line.values[small(std::string(word.substr(0, equals)))] = word.substr(equals + 1);
    }
    if (!line.values.empty()) lines.push_back(std::move(line));
  }
  return lines;
}

std::vector<std::string> names(const Line& line, const char* key) {
  const auto found = line.values.find(key);
  return found == line.values.end() || found->second.empty() ? std::vector<std::string>()
                                                             : expand_hosts(found->second, line.where);
}

std::vector<std::int64_t> block_sizes(const Line& line, const std::string& text) {
  std::vector<std::int64_t> sizes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    std::int64_t n = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, n);
    check(error == std::errc() && stop == text.data() + end && n > 0 &&
              (sizes.empty() || (n > sizes.back() && n % sizes.back() == 0)),
          "{}: block sizes '{}' (each is a multiple of the one before). Correct them.", line.where, text);
    sizes.push_back(n);
    at = end + 1;
  }
  return sizes;
}

}  // namespace

Domain read_slurm_conf(const TopologyFile& file) {
  SwitchTree switches("switch", file), blocks("block", file);
  std::vector<std::int64_t> sizes;
  for (const Line& line : lines_of(file)) {
    const auto named = [&](const char* key) {
      const auto found = line.values.find(key);
      return found == line.values.end() ? std::string() : found->second;
    };
    if (const std::string name = named("switchname"); !name.empty()) {
      switches.add(name, names(line, "switches"), names(line, "nodes"), line.where);
    } else if (const std::string block = named("blockname"); !block.empty()) {
      blocks.add(block, {}, names(line, "nodes"), line.where);
    } else if (const std::string text = named("blocksizes"); !text.empty()) {
      sizes = block_sizes(line, text);
    } else {
      throw InputError(fmt::format(
          "{}: '{}' (lines begin with SwitchName=, BlockName= or BlockSizes=). Correct it, or remove the line.",
          line.where, line.values.begin()->first));
    }
  }
  check(switches.empty() || blocks.empty(),
        "{}: switches and blocks in one file (it is for topology/tree or for "
        "topology/block). Divide it.",
        file.path);
  return blocks.empty() ? switches.take() : blocks.take_in_groups(sizes);
}

}  // namespace atl
