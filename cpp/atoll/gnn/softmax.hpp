// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/matrix/matrix.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <vector>

namespace atl {

/// The use of a vertex: training, validation or test.
enum class VertexRole : std::uint8_t { none, train, validation, test };
inline constexpr std::size_t kRoles = 4;

/// Classes and uses of this rank's vertices, by owned index.
struct VertexTargets {
  std::vector<std::int32_t> labels;  ///< class, from 0; -1: not known
  std::vector<VertexRole> roles;     ///< train, validation and test vertices have labels
};

/// Mean cross entropy, and the fraction of vertices whose greatest output is their label's, over the vertices of a role.
struct Scores {
  double loss = 0, accuracy = 0;
  std::int64_t vertices = 0;
};

/// The scores of outputs Z (own rows x classes) by role: the cross entropy of a vertex is
/// log(sum_j exp z_j) - z_label. The first of equal outputs counts as the greatest. The same for any number of threads;
/// parts of ranks are added in their order. Collective.
template <class T>
std::array<Scores, kRoles> scores_of(World& world, MatrixView<const T> z, const VertexTargets& targets);

/// Overwrites outputs Z with the gradient of the mean cross entropy over the `count` training vertices of all ranks:
/// (softmax(z) - [j = label]) / count in their rows, 0 in others.
template <class T>
void replace_by_gradient(Team& team, MatrixView<T> z, const VertexTargets& targets, std::int64_t count);

}  // namespace atl
