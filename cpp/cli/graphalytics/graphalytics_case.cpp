// SPDX-License-Identifier: Apache-2.0
#include "graphalytics_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atoll/base/files/text_file.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/io/read_file.hpp>
#include <atoll/io/text_lines.hpp>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>

namespace atl::cli {
namespace fs = std::filesystem;
namespace {

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

std::string stem_of(const std::string& path) {
  constexpr std::string_view kEnding = ".properties";
  std::error_code ignored;
  if (fs::is_directory(path, ignored)) {
    std::vector<std::string> found;
    for (const auto& entry : fs::directory_iterator(path, ignored))
      if (entry.path().extension() == kEnding) found.push_back(entry.path().string());
    check(found.size() == 1, "{}: has {} .properties files (a case has one). Name the file.", path, found.size());
    return found[0].substr(0, found[0].size() - kEnding.size());
  }
  return path.ends_with(kEnding) ? path.substr(0, path.size() - kEnding.size()) : path;
}

// The value of a line; Infinity and NaN as Java writes them.
template <class T>
bool parse(std::string_view text, T& value) {
  if constexpr (std::is_floating_point_v<T>) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), [](unsigned char c) { return std::tolower(c); });
    if (lower == "infinity" || lower == "inf") {
      value = std::numeric_limits<T>::infinity();
      return true;
    }
  }
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

bool is_near(double expected, double value) {
  constexpr double kEpsilon = 1e-4;
  // A relative tolerance of an infinite value is infinite, so infinities must be equal.
  return expected == value || (std::isfinite(expected) && std::abs(expected - value) <= kEpsilon * std::abs(expected));
}

// A label as found and as expected.
struct Labels {
  Vertex found, expected;
  auto operator<=>(const Labels&) const = default;
};

// Whether labels and expected labels name each other one to one, over all ranks.
std::optional<std::string> not_equivalent(World& world, std::vector<Labels> pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  const auto ranks = static_cast<std::uint64_t>(world.size());
  std::string text;
  for (int side = 0; side < 2; ++side) {
    std::vector<std::vector<Labels>> outgoing(ranks);
    for (const Labels& p : pairs)
      outgoing[static_cast<std::uint64_t>(side == 0 ? p.found : p.expected) % ranks].push_back(
          side == 0 ? p : Labels{p.expected, p.found});
    std::map<Vertex, Vertex> partner;
    for (const auto& part : world.exchange(std::move(outgoing)))
      for (const auto& [label, other] : part)
        if (const auto [at, fresh] = partner.try_emplace(label, other); !fresh && at->second != other && text.empty())
          text = fmt::format("{} label {} is {} labels of the {} ({} and {})", side == 0 ? "found" : "expected", label,
                             "two", side == 0 ? "expected" : "found", at->second, other);
  }
  return text.empty() ? std::nullopt : std::optional(text);
}

}  // namespace

GraphalyticsCase::GraphalyticsCase(const std::string& path)
    : stem_(stem_of(path)), name_(fs::path(stem_).filename().string()), file_(stem_ + ".properties") {
  const std::optional<std::string> properties = read_text_file(file_);
  if (!properties) throw IoError(fmt::format("{}: cannot be opened (it describes the case). Check the path.", file_));
  const std::string prefix = "graph." + name_ + ".";
  std::string_view rest = *properties, line;
  while (take_line(rest, line)) {
    const std::string text = trimmed(line);
    const auto equals = text.find('=');
    if (text.empty() || text[0] == '#' || equals == std::string::npos) continue;
    const std::string key = trimmed(std::string_view(text).substr(0, equals));
    if (key.starts_with(prefix))
      values_[key.substr(prefix.size())] = trimmed(std::string_view(text).substr(equals + 1));
  }
  check(values_.count("algorithms") == 1, "{}: {}algorithms is missing (it lists what to run). Correct the file.",
        file_, prefix);
}

std::vector<std::string> GraphalyticsCase::algorithms() const {
  std::vector<std::string> all;
  std::string_view rest = values_.at("algorithms");
  while (!rest.empty()) {
    const auto comma = rest.find(',');
    all.push_back(trimmed(rest.substr(0, comma)));
    rest = comma == std::string_view::npos ? std::string_view() : rest.substr(comma + 1);
  }
  return all;
}

std::string GraphalyticsCase::parameter(const std::string& key) const {
  const auto at = values_.find(key);
  check(at != values_.end(), "{}: graph.{}.{} is missing (the algorithm needs it). Add it.", file_, name_, key);
  return at->second;
}

double GraphalyticsCase::number(const std::string& key) const {
  double value = 0;
  check(parse(parameter(key), value), "{}: {} is '{}' (a number is needed). Correct it.", file_, key, parameter(key));
  return value;
}

Vertex GraphalyticsCase::vertex(const std::string& key) const {
  Vertex value = 0;
  check(parse(parameter(key), value), "{}: {} is '{}' (an id is needed). Correct it.", file_, key, parameter(key));
  return value;
}

std::optional<std::string> GraphalyticsCase::expected(const std::string& algorithm) const {
  std::string upper = algorithm;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](unsigned char c) { return std::toupper(c); });
  const std::string path = stem_ + "-" + upper;
  std::error_code ignored;
  return fs::exists(path, ignored) ? std::optional(path) : std::nullopt;
}

template <class T>
std::optional<std::string> difference(const Graph& graph, const std::string& file, const Array<T>& by_owned_index,
                                      Match match) {
  World& world = graph.world();
  const IdOrder order(world, graph.ids());
  const std::vector<T> values = order.arrange(std::span<const T>(by_owned_index.data(), by_owned_index.size()));
  std::string wrong;
  std::vector<Labels> labels;
  std::vector<bool> seen(values.size());
  Vertex rows = 0;
  world.collective_try([&] {
    const InputFile in(file);
    TextStream stream(in);
    TextLines lines(file, [&](char* into, std::size_t n) { return stream.read(into, n); });
    while (wrong.empty() && lines.next()) {
      const std::int64_t number = lines.number();
      const std::string text = trimmed(lines.line());
      if (text.empty()) continue;
      const auto space = text.find_first_of(" \t");
      Vertex id = 0;
      T expected{};
      if (space == std::string::npos || !parse(std::string_view(text).substr(0, space), id) ||
          !parse(std::string_view(trimmed(std::string_view(text).substr(space))), expected)) {
        wrong = fmt::format("{}:{}: '{}' is no id and value", file, number, text);
        break;
      }
      ++rows;
      const Vertex k = order.find_here(id);
      if (k < 0) continue;
      if (seen[k]) wrong = fmt::format("{}:{}: vertex {} has had a value before", file, number, id);
      seen[k] = true;
      const T value = values[k];
      if (!wrong.empty()) break;
      if constexpr (std::is_floating_point_v<T>) {
        if (!is_near(expected, value))
          wrong = fmt::format("{}:{}: {} has {} (expected {})", file, number, id, value, expected);
      } else if (match == Match::equivalence) {
        labels.push_back({value, expected});
      } else if (value != expected) {
        wrong = fmt::format("{}:{}: {} has {} (expected {})", file, number, id, value, expected);
      }
    }
  });
  if (const auto lacks = std::find(seen.begin(), seen.end(), false); wrong.empty() && lacks != seen.end())
    wrong = fmt::format("{}: vertex {} has no value (the file has {}, the graph {} vertices)", file,
                        order.id_at(lacks - seen.begin()), rows, graph.vertices());
  if (wrong.empty() && rows != graph.vertices())
    wrong = fmt::format("{}: has {} values (the graph has {} vertices)", file, rows, graph.vertices());
  if (match == Match::equivalence) {
    const bool complete = !world.any(!wrong.empty());
    if (complete)
      if (auto text = not_equivalent(world, std::move(labels))) wrong = file + ": " + *text;
  }
  // Every rank returns the sentence of the lowest rank.
  const std::vector<char> mine(wrong.begin(), wrong.end());
  std::vector<Edge> lengths;
  const std::vector<char> all = world.all_gather_varying(std::span<const char>(mine), &lengths);
  std::size_t at = 0;
  for (const Edge length : lengths) {
    if (length > 0)
      return std::string(all.begin() + static_cast<std::ptrdiff_t>(at),
                         all.begin() + static_cast<std::ptrdiff_t>(at) + length);
    at += static_cast<std::size_t>(length);
  }
  return std::nullopt;
}
template std::optional<std::string> difference(const Graph&, const std::string&, const Array<Vertex>&, Match);
template std::optional<std::string> difference(const Graph&, const std::string&, const Array<double>&, Match);

}  // namespace atl::cli
