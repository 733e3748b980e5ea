// SPDX-License-Identifier: Apache-2.0
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

struct Algorithm {
  const char* name;
  const char* about;
  int (*run)(const Words&);
};

constexpr Algorithm kAlgorithms[] = {
    {"apsp", "shortest paths between all pairs: a matrix of distances", run_apsp},
    {"bc", "betweenness, from some or all sources", run_bc},
    {"bfs", "breadth-first search: parents and depths from a source", run_bfs},
    {"cc", "connected components", run_cc},
    {"cdlp", "communities by label propagation", run_cdlp},
    {"kcore", "core numbers", run_kcore},
    {"lcc", "local clustering coefficients", run_lcc},
    {"pagerank", "how often a random walk comes by", run_pagerank},
    {"sssp", "shortest paths by weight from a source", run_sssp},
    {"triangles", "triangles of each vertex, and all", run_triangles},
};

}  // namespace

int verb_run(const Words& words) {
  std::vector<std::pair<std::string, std::string>> rows;
  for (const Algorithm& a : kAlgorithms) rows.emplace_back(std::string("  ") + a.name, a.about);
  const std::string help = "usage: atoll run ALGORITHM INPUT [--option VALUE]\n\n" + table_of(rows);
  if (words.empty()) {
    say("atoll: error: no algorithm is named (run needs one). Choose from below.\n{}", help);
    return 2;
  }
  if (words[0] == "--help" || words[0] == "-h") {
    print_result(help);
    return 0;
  }
  for (const Algorithm& a : kAlgorithms)
    if (words[0] == a.name) return a.run(Words(words.begin() + 1, words.end()));
  say("atoll: error: algorithm '{}' is unknown (run does those below). Choose one.\n{}", words[0], help);
  return 2;
}

}  // namespace atl::cli
