// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/apsp/model/heat_map.hpp>
#include <atoll/base/error.hpp>

using namespace atl;

namespace {

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = 0; (at = text.find(part, at)) != std::string::npos; at += part.size()) ++count;
  return count;
}

}  // namespace

TEST_CASE("Figure 8: out of memory at the bottom right, hatched at the top left, fastest at the top right") {
  const std::vector<std::int64_t> vertices{16'384, 131'072, 1'048'576, 4'128'768, 8'257'536, 20'643'840};
  const std::vector<int> nodes{1, 64, 1024, 9216};
  const HeatMap map =
      apsp_heat_map(ApspMachine::frontier(), vertices, nodes, {.kernel = KernelRate::by_size, .overlap = 1});
  const auto cell = [&](std::size_t column, std::size_t row) { return map.cells[row * vertices.size() + column]; };
  CHECK(cell(0, 3).hatched);
  CHECK(cell(0, 3).value < cell(0, 2).value);  // strong scaling degrades
  CHECK_FALSE(cell(3, 3).hatched);
  CHECK(cell(3, 3).value == doctest::Approx(1.1e18).epsilon(0.01));
  CHECK(cell(4, 3).value == doctest::Approx(1.1e18).epsilon(0.01));
  for (std::size_t column = 2; column < vertices.size(); ++column) CHECK(cell(column, 0).value == 0);
  CHECK(cell(5, 2).value == 0);
  CHECK(cell(5, 3).value > 1e18);
  CHECK(cell(3, 3).label == "1.10 E");
  CHECK_FALSE(cell(0, 0).hatched);  // one node
}

TEST_CASE("the image has a box for every cell, and its texts are escaped") {
  HeatMap map;
  map.title = "a < b & c";
  map.columns = {"1", "2"};
  map.rows = {"x"};
  map.cells = {{1, "1", false, "one"}, {2, "2", true, "two"}};
  const std::string svg = svg_of(map);
  CHECK(svg.starts_with("<svg "));
  CHECK(svg.ends_with("</svg>\n"));
  CHECK(times(svg, "<g><title>") == 2);
  CHECK(times(svg, "url(#slower)") == 2);  // one cell and the legend
  CHECK(svg.find("a &lt; b &amp; c") != std::string::npos);
  map.cells.pop_back();
  CHECK_THROWS_AS(svg_of(map), InputError);
}

TEST_CASE("colours darken with the value; nothing is grey, however little it is") {
  HeatMap map;
  map.rows = {"1"};
  constexpr int kValues = 9;
  for (int i = 0; i < kValues; ++i) {
    map.columns.push_back(std::to_string(i));
    map.cells.push_back({i * 0.25, "", false, ""});
  }
  const std::string svg = svg_of(map);
  std::vector<int> lightness;
  const std::string box = "height=\"34\" fill=\"#";
  for (std::size_t at = 0; (at = svg.find(box, at)) != std::string::npos; ++at) {
    int sum = 0;
    for (int channel = 0; channel < 3; ++channel)
      sum += std::stoi(svg.substr(at + box.size() + 2 * static_cast<std::size_t>(channel), 2), nullptr, 16);
    lightness.push_back(sum);
  }
  REQUIRE(lightness.size() == kValues);
  CHECK(svg.find("fill=\"#e8e8e8\"") != std::string::npos);  // no value
  for (std::size_t i = 2; i < lightness.size(); ++i) CHECK(lightness[i] < lightness[i - 1]);
  CHECK(lightness[1] - lightness.back() > 300);
  CHECK(lightness.back() == 24 + 38 + 92);
  map.cells.assign(kValues, {});
  CHECK(times(svg_of(map), "fill=\"#e8e8e8\"") == kValues);
}

TEST_CASE("vertices are written short from 10,000 on") {
  const std::vector<std::int64_t> vertices{9'999, 10'000, 999'000, 4'200'000, 20'000'000};
  const std::vector<int> nodes{1};
  const HeatMap map = apsp_heat_map(ApspMachine::frontier(), vertices, nodes, {});
  CHECK(map.columns == std::vector<std::string>{"9999", "10k", "999k", "4.2M", "20M"});
}
