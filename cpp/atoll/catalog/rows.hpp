// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "algorithm.hpp"

/// The rows of the table, each in a file of its own.
namespace atl::catalog {

Algorithm bc_row();
Algorithm bfs_row();
Algorithm cc_row();
Algorithm cdlp_row();
Algorithm eccentricity_row();
Algorithm kcore_row();
Algorithm lcc_row();
Algorithm pagerank_row();
Algorithm sssp_row();
Algorithm triangles_row();

}  // namespace atl::catalog
