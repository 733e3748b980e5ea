// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <set>

#include "files.hpp"
#include "skip.hpp"

using namespace files;

// The counts of the data folder's README, determined by other programs.
TEST_CASE("real files have the vertices and edges that other programs find" * doctest::test_suite("real files")) {
  const struct {
    const char* name;
    std::size_t vertices, edges;
    bool directed, weighted;
  } graphs[] = {
      {"real/4elt.graph.zst", 15606, 45878, false, false},
      {"real/PGPgiantcompo.graph.zst", 10680, 24316, false, false},
      {"real/airfoil1.graph", 4253, 12289, false, false},
      {"real/as-caida20071105.csv.zst", 26475, 53381, false, false},
      {"real/as20graph.txt.zst", 6474, 26467, true, false},
      {"real/astro-ph.graph.zst", 16706, 121251, false, false},
      {"real/ca-AstroPh-cc1.csv.zst", 17903, 197031, false, false},
      {"real/ca-AstroPh-shuffled.txt.zst", 18772, 198110, true, false},
      {"real/ca-CondMat.txt.zst", 21363, 91286, true, false},
      {"real/celegans_metabolic.graph", 453, 2025, false, false},
      {"real/cit-HepTh.csv.zst", 27770, 352807, true, false},
      {"real/commanche_dual.txt", 7920, 19800, true, false},
      {"real/delaunay_n15.graph.zst", 32768, 98274, false, false},
      {"real/email-Enron.txt.zst", 36692, 367662, true, false},
      {"real/email-Eu-core.csv.zst", 1005, 25571, true, true},
      {"real/facebook_combined.txt.zst", 4039, 88234, true, false},
      {"real/gemsec-deezer-RO.csv.zst", 41773, 125826, true, false},
      {"real/gemsec-new-sites.csv.zst", 27917, 206259, true, false},
      {"real/hep-th.graph", 8361, 15751, false, false},
      {"real/hibench-small-pagerank.tsv.zst", 5000, 197610, true, false},
      {"real/jazz.graph", 198, 2742, false, false},
      {"real/karate.graph", 34, 78, false, false},
      {"real/lesmis.graph", 77, 254, false, true},
      {"real/monaco.wel", 1590, 4263, true, true},
      {"real/musae-facebook.csv.zst", 22470, 171002, true, false},
      {"real/musae-github.csv.zst", 37700, 289003, true, false},
      {"real/netscience.csv", 1461, 5484, true, true},
      {"real/p2p-Gnutella08.txt.zst", 6301, 20777, true, false},
      {"real/p2p-Gnutella24.txt.zst", 26518, 65369, true, false},
      {"real/polblogs.graph", 1490, 16715, false, false},
      {"real/power.graph", 4941, 6594, false, false},
      {"real/rgg_n_2_15_s0.graph.zst", 32768, 160240, false, false},
      {"real/rome99-full.txt", 3353, 8870, true, true},
      {"real/sx-askubuntu-static.txt.zst", 159316, 596933, true, false},
      {"real/web-Stanford.txt.zst", 281903, 2312496, true, false},
      {"real/web-indochina-2004.txt.zst", 11358, 47606, true, false},
      {"real/web-spam.txt.zst", 4767, 37375, true, false},
      {"real/wiki-Vote.txt.zst", 7115, 103689, true, false},
      {"real/wiktionary-en-V-syn.elist", 7339, 8293, true, false},
      {"real/wing.graph.zst", 62032, 121544, false, false},
      {"matrices/bcsstk13.mtx.zst", 2003, 42943, false, true},
      {"matrices/bcsstk16.triplets.zst", 4884, 147631, true, true},
      {"matrices/cover.mtx", 7, 12, true, true},
      {"matrices/cryg2500.mtx.zst", 2500, 12349, true, true},
      {"matrices/dolphins.mtx", 62, 159, false, false},
      {"matrices/jagmesh7.mtx", 1138, 4294, false, false},
      {"matrices/karate.mtx", 34, 78, false, false},
      {"matrices/pushpull.mtx.zst", 4000, 99208, false, false},
      {"matrices/sample2.mtx", 8, 28, true, false},
      {"matrices/west0067.mtx", 67, 294, true, true},
      {"matrices/zenios.mtx", 2873, 15032, false, true},
      {"gapbs/4.el", 13, 256, true, false},
      {"gapbs/4.wel", 13, 256, true, true},
      {"gapbs/4.gr", 14, 256, true, true},
      {"gapbs/4.mtx", 14, 256, true, false},
      {"gapbs/4w.mtx", 14, 256, true, true},
      {"gapbs/4.graph", 14, 53, true, false},
      {"gapbs/4w.graph", 14, 53, true, true},
      {"golden-p2p-31/p2p-31.e.zst", 62586, 147892, true, true},
      {"golden-cugraph/karate.csv", 34, 156, true, true},
      {"graphchallenge-sbp/sbm_20000_emerging_all.tsv.zst", 20000, 408778, true, true},
      {"graphalytics/example-directed", 10, 17, true, true},
      {"graphalytics/example-undirected/example-undirected.properties", 9, 12, false, true},
      {"graphalytics/test-bfs-directed/test-bfs-directed", 10, 17, true, false},
      {"graphalytics/test-pr-directed/test-pr-directed.e", 50, 246, true, false},
      {"graphalytics/test-sssp-directed/test-sssp-directed.v", 10, 13, true, true},
      {"graphalytics/test-wcc-undirected", 8, 7, false, false},
  };
  std::size_t missing = 0;
  for (const auto& graph : graphs) {
    CAPTURE(graph.name);
    // A Graphalytics graph may be named by the common prefix of its files.
    std::string path = real(graph.name);
    if (path.empty()) path = real(std::string(graph.name) + ".v");
    if (path.empty()) {
      ++missing;
      continue;
    }
    for (const Rank ranks : {1, 3}) {
      const Gathered got = read(path, ranks);
      CHECK(got.edges.size() == graph.edges);
      CHECK(got.directed == graph.directed);
      CHECK(got.weighted == graph.weighted);
      CHECK_FALSE(got.wide);
      if (ranks > 1) continue;
      std::set<Vertex> ids(got.vertices.begin(), got.vertices.end());
      for (const auto& [s, t, w] : got.edges) ids.insert({s, t});
      CHECK((got.range ? static_cast<std::size_t>(got.range->count) : ids.size()) == graph.vertices);
    }
  }
  if (missing == std::size(graphs)) return skip("none of the files is there (ATOLL_DATA names their folder)");
  if (missing > 0) MESSAGE("left out: " << missing << " files that are not there (ATOLL_DATA names their folder)");
}

TEST_CASE("files that resemble edge lists are rejected" * doctest::test_suite("real files")) {
  const struct {
    const char *name, *reason;
  } graphs[] = {
      {"real/WormNet.v3.benchmark.txt.zst", ":1: source is 'C41D11.8'"},
      {"real/blogcatalog-adjlist.txt.zst", ":1: lines differ in their number of columns"},
      {"real/california-cal.cedge.zst", ":1: the first of 4 columns counts the lines"},
      {"matrices/lp_afiro.mtx", ":65: the matrix has 27 rows and 51 columns"},
  };
  std::size_t missing = 0;
  for (const auto& graph : graphs) {
    const std::string path = real(graph.name);
    if (path.empty()) {
      ++missing;
      continue;
    }
    CHECK(refusal(path, 2).starts_with(path + graph.reason));
  }
  if (missing == std::size(graphs)) return skip("none of the files is there (ATOLL_DATA names their folder)");
  if (missing > 0) MESSAGE("left out: " << missing << " files that are not there (ATOLL_DATA names their folder)");
}

TEST_CASE("selected columns are read from a file whose first column is the line number" *
          doctest::test_suite("real files")) {
  const std::string path = real("real/california-cal.cedge.zst");
  if (path.empty()) return skip("no real/california-cal.cedge.zst (ATOLL_DATA names its folder)");
  const Gathered got = read(path, 2, {.source_column = "2", .target_column = "3", .weight_column = "4"});
  CHECK(got.edges.size() == 21693);
  CHECK(got.edges[0] == EdgeTuple{0, 1, 0.002025});
}
