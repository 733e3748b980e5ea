// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/graph/generate/kronecker.hpp>
#include <string>
#include <string_view>

/// Graphs from a text.
///
///     EdgeList edges = generate(world, "kron:20");                       // Graph500: 2^20 vertices, 16 tuples each
///     EdgeList roads = generate(world, "grid:1000x1000", {.weights = Weights::uniform});
///
///     text                                         directed  vertices  tuples
///     kron:SCALE[:EDGEFACTOR[:SEED]]               no        2^SCALE   2^SCALE * EDGEFACTOR  (16; A,B,C = .57,.19,.19)
///     rmat:SCALE:A,B,C[:EDGEFACTOR[:SEED]]         yes       2^SCALE   2^SCALE * EDGEFACTOR  (16)
///     uniform:SCALE[:DEGREE[:SEED]]                no        2^SCALE   2^SCALE * DEGREE      (16; both ends uniform)
///     communities:SCALE[:DEGREE[:MIXING[:SEED]]]   no        2^SCALE   2^SCALE * DEGREE / 2  (24; .1; communities.hpp)
///     grid:AxB[xC]                                 no        A*B*C     neighbours along each axis; id (a*B + b)*C + c
///     ring:N                                       no        N >= 3    N
///     star:N                                       no        N         N - 1, all with vertex 0
///     path:N                                       no        N         N - 1
///     complete:N                                   no        N         N (N-1) / 2
///
/// The seed is 1 if not given. A tuple of `communities` leaves its community with probability MIXING. Self-loops and
/// multi-edges stay in kron, rmat, uniform and communities; labels are permuted in all of these but uniform. Each rank
/// makes its contiguous slice of the list (sizes differ by at most one) with its threads; tuple i is a pure function of
/// the text, so the graph is the same whatever the number of ranks and threads.
namespace atl {

class World;

/// Whether tuples get weights: none, or float32 uniform in [0, 1), one a tuple.
enum class Weights { none, uniform };

struct GenerateOptions {
  Weights weights = Weights::none;
};

/// The graph that a text stands for; enough to make any part of it.
struct GeneratorText {
  enum class Kind { kron, rmat, uniform, communities, grid, ring, star, path, complete };

  Kind kind = Kind::path;
  Vertex vertices = 0;
  Edge tuples = 0;
  bool directed = false;
  int scale = 0;                   ///< kron, rmat, uniform, communities
  Kronecker::Quadrants quadrants;  ///< kron, rmat
  double mixing = 0;               ///< communities
  std::uint64_t seed = 1;
  Vertex sides[3] = {1, 1, 1};  ///< grid, path

  /// Throws InputError that shows the right form, also when ids would need more than 48 bits. Costs nothing.
  static GeneratorText parse(std::string_view text);
};

/// True if the text starts with one of the names above and a colon: it is meant for generate(), not a file.
bool is_generator(std::string_view text);

/// Collective: the same text and options on every rank. Throws InputError on every rank if the text is wrong or the
/// memory of a machine cannot hold its ranks' slices.
EdgeList generate(World& world, std::string_view text, const GenerateOptions& options = {});

}  // namespace atl
