// SPDX-License-Identifier: Apache-2.0
// A peer for `bench/figures.py allpairs --boost PROGRAM`: Boost's floyd_warshall_all_pairs_shortest_paths on float32.
//
//     c++ -O3 -march=native -DNDEBUG bench/boost_all_pairs.cpp -o boost_all_pairs
//     boost_all_pairs EDGES.wel DIRECTED
//
// Prints the seconds of the algorithm alone, and the sum of the distances that are finite.
#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/floyd_warshall_shortest.hpp>
#include <chrono>
#include <fstream>
#include <iostream>
#include <limits>
#include <string>
#include <vector>

namespace {

template <class Directed>
int run(std::istream& file) {
  using Graph = boost::adjacency_list<boost::vecS, boost::vecS, Directed, boost::no_property,
                                      boost::property<boost::edge_weight_t, float>>;
  Graph graph;
  std::size_t u = 0, v = 0;
  for (float weight = 0; file >> u >> v >> weight;) boost::add_edge(u, v, weight, graph);  // grows by itself
  const std::size_t n = boost::num_vertices(graph);
  constexpr float kNone = std::numeric_limits<float>::infinity();
  std::vector<std::vector<float>> d(n, std::vector<float>(n));
  const auto start = std::chrono::steady_clock::now();
  const bool done = boost::floyd_warshall_all_pairs_shortest_paths(graph, d, boost::distance_inf(kNone));
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
  double sum = 0;
  for (const auto& row : d)
    for (const float value : row) sum += value < kNone ? value : 0;
  std::cout.precision(17);
  std::cout << "trial " << took.count() << "\nsum " << sum << '\n';
  return done ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::cerr << "usage: boost_all_pairs EDGES.wel 0|1 (whether edges are directed)\n";
    return 2;
  }
  std::ifstream file(argv[1]);
  if (!file) {
    std::cerr << argv[1] << ": cannot be opened\n";
    return 1;
  }
  return std::string(argv[2]) == "1" ? run<boost::directedS>(file) : run<boost::undirectedS>(file);
}
