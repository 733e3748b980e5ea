// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/apsp/model/heat_map.hpp>
#include <atoll/base/error.hpp>
#include <cmath>

namespace atl {
namespace {

// In pixels.
constexpr int kCellWidth = 58, kCellHeight = 34, kLeft = 92, kTop = 44, kBottom = 92, kRight = 20;

struct Colour {
  double red, green, blue;
};
// From light to dark with decreasing lightness, so that it is also readable in grey.
constexpr std::array<Colour, 5> kScale{
    {{247, 246, 230}, {186, 220, 190}, {88, 176, 180}, {38, 106, 156}, {24, 38, 92}}};

Colour colour_at(double share) {
  const double at = std::clamp(share, 0.0, 1.0) * (kScale.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(at), kScale.size() - 2);
  const double t = at - static_cast<double>(i);
  const auto mix = [&](double a, double b) { return a + t * (b - a); };
  return {mix(kScale[i].red, kScale[i + 1].red), mix(kScale[i].green, kScale[i + 1].green),
          mix(kScale[i].blue, kScale[i + 1].blue)};
}

std::string hex(const Colour& c) {
  return fmt::format("#{:02x}{:02x}{:02x}", std::lround(c.red), std::lround(c.green), std::lround(c.blue));
}

std::string escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '&') {
      out += "&amp;";
    } else if (c == '<') {
      out += "&lt;";
    } else if (c == '>') {
      out += "&gt;";
    } else {
      out += c;
    }
  }
  return out;
}

std::string text_at(double x, double y, const std::string& text, const char* more = "") {
  return fmt::format("<text x=\"{:g}\" y=\"{:g}\"{}>{}</text>\n", x, y, more, escaped(text));
}

// 4096, 16k, 4.2M
std::string short_number(double x) {
  if (x < 10'000) return fmt::format("{:.0f}", x);
  if (x < 1e6) return fmt::format("{:.0f}k", x / 1e3);
  return x < 1e7 ? fmt::format("{:.1f}M", x / 1e6) : fmt::format("{:.0f}M", x / 1e6);
}

// Three digits and an SI prefix: 1.10 E, 381 P.
std::string with_prefix(double x) {
  constexpr std::string_view kPrefixes = " kMGTPE";
  std::size_t power = 0;
  while (power + 1 < kPrefixes.size() && x >= 999.5) x /= 1000, ++power;
  return fmt::format("{:.{}f} {}", x, x < 9.995 ? 2 : x < 99.95 ? 1 : 0, kPrefixes[power]);
}

}  // namespace

std::string svg_of(const HeatMap& map) {
  const std::size_t columns = map.columns.size(), rows = map.rows.size();
  check(columns > 0 && rows > 0 && map.cells.size() == columns * rows,
        "a heat map of {} columns, {} rows and {} cells (they do not fit). Give one cell for each.", columns, rows,
        map.cells.size());
  double largest = 0;
  for (const HeatMap::Cell& c : map.cells) largest = std::max(largest, c.value);

  const double right = kLeft + static_cast<double>(columns) * kCellWidth;
  const double foot = kTop + static_cast<double>(rows) * kCellHeight;
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:g} {1:g}\" width=\"{0:g}\" height=\"{1:g}\" "
      "font-family=\"sans-serif\" font-size=\"11\" text-anchor=\"middle\">\n"
      "<defs><pattern id=\"slower\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\" "
      "patternTransform=\"rotate(45)\"><path d=\"M0 0V6\" stroke=\"#b03030\" stroke-width=\"1.6\"/></pattern></defs>\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      right + kRight, foot + kBottom);
  out += text_at((kLeft + right) / 2, 24, map.title, " font-size=\"14\"");
  for (std::size_t row = 0; row < rows; ++row) {
    const double y = foot - static_cast<double>(row + 1) * kCellHeight;
    out += text_at(kLeft - 6, y + kCellHeight / 2.0 + 4, map.rows[row], " text-anchor=\"end\"");
    for (std::size_t column = 0; column < columns; ++column) {
      const HeatMap::Cell& c = map.cells[row * columns + column];
      const double x = kLeft + static_cast<double>(column) * kCellWidth;
      const double share = largest > 0 ? c.value / largest : 0;
      out += fmt::format("<g><title>{}</title>", escaped(c.note));
      const auto box = [&](const std::string& fill) {
        out += fmt::format("<rect x=\"{:g}\" y=\"{:g}\" width=\"{}\" height=\"{}\" fill=\"{}\" stroke=\"white\"/>", x,
                           y, kCellWidth, kCellHeight, fill);
      };
      box(c.value > 0 ? hex(colour_at(share)) : "#e8e8e8");
      if (c.hatched) box("url(#slower)");
      out += text_at(x + kCellWidth / 2.0, y + kCellHeight / 2.0 + 4, c.label, share > 0.5 ? " fill=\"white\"" : "");
      out += "</g>\n";
    }
  }
  for (std::size_t column = 0; column < columns; ++column)
    out += text_at(kLeft + (static_cast<double>(column) + 0.5) * kCellWidth, foot + 16, map.columns[column]);
  out += text_at((kLeft + right) / 2, foot + 36, map.column_title);
  out += text_at(0, 0, map.row_title,
                 fmt::format(" transform=\"translate(22 {:g}) rotate(-90)\"", (kTop + foot) / 2).c_str());

  constexpr int kSteps = 40, kStepWidth = 4;
  const double y = foot + 56;
  for (int i = 0; i < kSteps; ++i)
    out += fmt::format("<rect x=\"{}\" y=\"{:g}\" width=\"{}\" height=\"10\" fill=\"{}\"/>\n", kLeft + i * kStepWidth,
                       y, kStepWidth, hex(colour_at((i + 0.5) / kSteps)));
  out += text_at(kLeft, y + 24, "0", " text-anchor=\"start\"");
  out += text_at(kLeft + kSteps * kStepWidth, y + 24, with_prefix(largest) + "op/s", " text-anchor=\"end\"");
  out += fmt::format("<rect x=\"{}\" y=\"{:g}\" width=\"14\" height=\"10\" fill=\"url(#slower)\" stroke=\"#888\"/>\n",
                     kLeft + kSteps * kStepWidth + 24, y);
  out += text_at(kLeft + kSteps * kStepWidth + 44, y + 9, map.hatched_means + "; grey: out of memory",
                 " text-anchor=\"start\"");
  return out + "</svg>\n";
}

HeatMap apsp_heat_map(const ApspMachine& machine, std::span<const std::int64_t> vertices, std::span<const int> nodes,
                      ApspQuery query) {
  const auto fastest = std::max_element(
      machine.broadcasts.begin(), machine.broadcasts.end(),
      [](const BroadcastModel& a, const BroadcastModel& b) { return a.bytes_per_second.a < b.bytes_per_second.a; });
  HeatMap map;
  map.title = fmt::format("All-pairs shortest paths on {}: predicted operations a second", machine.name);
  map.column_title = "vertices";
  map.row_title = "nodes";
  map.hatched_means = "the broadcast of less bandwidth wins";
  for (const std::int64_t n : vertices) map.columns.push_back(short_number(static_cast<double>(n)));

  for (const int count : nodes) {
    map.rows.push_back(std::to_string(count));
    for (const std::int64_t n : vertices) {
      query.n = n;
      query.ranks = count * machine.ranks_per_node;
      const ApspPrediction best = predict_apsp(machine, query).front();
      HeatMap::Cell cell;
      if (best.memory_fits) {
        cell.value = best.rate;
        cell.label = with_prefix(best.rate);
        // On one node there are no broadcasts to choose from.
        cell.hatched = best.time.communicate_s() > 0 && fastest != machine.broadcasts.end() &&
                       best.plan.broadcast != fastest->name;
        cell.note = fmt::format("{} vertices, {} nodes: {:.4g} s, {}x{} ranks, block {}, {}", n, count, best.expected_s,
                                best.plan.grid.rows, best.plan.grid.cols, best.plan.block, best.plan.broadcast);
      } else {
        cell.label = "0";
        cell.note = fmt::format("{} vertices, {} nodes: {:.4g} GB a node ({:.4g} GB are there)", n, count,
                                best.node_bytes / 1e9, machine.memory_per_node / 1e9);
      }
      map.cells.push_back(std::move(cell));
    }
  }
  return map;
}

}  // namespace atl
