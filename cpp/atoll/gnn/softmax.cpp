// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/gnn/dense/products.hpp>
#include <atoll/gnn/softmax.hpp>
#include <cmath>

namespace atl {
namespace {

struct Sum {
  double loss = 0;
  std::int64_t right = 0, vertices = 0;
  Sum operator+(const Sum& other) const { return {loss + other.loss, right + other.right, vertices + other.vertices}; }
};
using Sums = std::array<Sum, kRoles>;

Sums added(const Sums& a, const Sums& b) {
  Sums out;
  for (std::size_t r = 0; r < kRoles; ++r) out[r] = a[r] + b[r];
  return out;
}

// The sum of exp(z_j - greatest), at least 1.
template <class T>
double exponentials(std::span<const T> z, double greatest) {
  double sum = 0;
  for (const T x : z) sum += std::exp(static_cast<double>(x) - greatest);
  return sum;
}

}  // namespace

template <class T>
std::array<Scores, kRoles> scores_of(World& world, MatrixView<const T> z, const VertexTargets& targets) {
  const RowChunks chunks(z.rows);
  std::vector<Sums> parts(chunks.count());
  world.team().for_range(chunks.count(), 1, [&](int, std::size_t k, std::size_t) {
    for (std::int64_t i = chunks.begin(k); i < chunks.end(k); ++i) {
      const auto at = static_cast<std::size_t>(i);
      if (targets.roles[at] == VertexRole::none) continue;
      const auto row = z.row(i);
      const auto greatest = std::ranges::max_element(row);
      const auto label = static_cast<std::size_t>(targets.labels[at]);
      const auto top = static_cast<double>(*greatest);
      Sum& sum = parts[k][static_cast<std::size_t>(targets.roles[at])];
      sum.loss += std::log(exponentials<T>(row, top)) - (static_cast<double>(row[label]) - top);
      sum.right += static_cast<std::size_t>(greatest - row.begin()) == label;
      ++sum.vertices;
    }
  });
  Sums all;
  for (const Sums& part : parts) all = added(all, part);
  all = world.fold(all, added);
  std::array<Scores, kRoles> out;
  for (std::size_t r = 0; r < kRoles; ++r)
    if (const auto n = static_cast<double>(all[r].vertices); n > 0)
      out[r] = {all[r].loss / n, static_cast<double>(all[r].right) / n, all[r].vertices};
  return out;
}

template <class T>
void replace_by_gradient(Team& team, MatrixView<T> z, const VertexTargets& targets, std::int64_t count) {
  team.for_range(static_cast<std::size_t>(z.rows), 1024, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto row = z.row(static_cast<std::int64_t>(i));
      if (targets.roles[i] != VertexRole::train) {
        std::ranges::fill(row, T{0});
        continue;
      }
      const auto top = static_cast<double>(*std::ranges::max_element(row));
      const double share = 1 / (exponentials<T>(row, top) * static_cast<double>(count));
      for (T& x : row) x = static_cast<T>(std::exp(static_cast<double>(x) - top) * share);
      row[targets.labels[i]] -= static_cast<T>(1 / static_cast<double>(count));
    }
  });
}

template std::array<Scores, kRoles> scores_of(World&, MatrixView<const float>, const VertexTargets&);
template std::array<Scores, kRoles> scores_of(World&, MatrixView<const double>, const VertexTargets&);
template void replace_by_gradient(Team&, MatrixView<float>, const VertexTargets&, std::int64_t);
template void replace_by_gradient(Team&, MatrixView<double>, const VertexTargets&, std::int64_t);

}  // namespace atl
