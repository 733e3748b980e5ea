// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithm.hpp"

/// The rows of the table, each in a file of its own.
namespace atl::catalog {

/// --device of the algorithms that have kernels on devices: "cpu", or what open_device() takes.
inline Option device_option() {
  return {.name = "device",
          .kind = Kind::word,
          .stage = Stage::prepare,
          .default_value = "cpu",
          .help = "where it runs, on one rank: cpu (default) or cuda",
          .choices = {"cpu", "cuda"}};
}

Algorithm bc_row();
Algorithm bcc_row();
Algorithm bellman_ford_row();
Algorithm bfs_row();
Algorithm cc_row();
Algorithm cdlp_row();
Algorithm closeness_row();
Algorithm coloring_row();
Algorithm eccentricity_row();
Algorithm eigenvector_row();
Algorithm hits_row();
Algorithm katz_row();
Algorithm kcore_row();
Algorithm ktruss_row();
Algorithm lcc_row();
Algorithm leiden_row();
Algorithm louvain_row();
Algorithm matching_row();
Algorithm mis_row();
Algorithm msf_row();
Algorithm pagerank_row();
Algorithm scc_row();
Algorithm sssp_row();
Algorithm topological_generations_row();
Algorithm triangles_row();

}  // namespace atl::catalog
