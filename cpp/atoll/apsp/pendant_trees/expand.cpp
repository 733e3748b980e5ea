// SPDX-License-Identifier: Apache-2.0
// Expands the distances within cores to all pairs, in place. A pendant tree is attached to its core at one vertex, its
// root. With down(v) the length from v's root to v, and w the length from u to its anchor a,
//   D(u, v) = D(u, root(v)) + down(v)    for u in a core:  one row of the core gives the whole row
//   D(u, v) = w + D(a, v)                for u removed, unless v is below u in its tree: then down from u to v
// So each row is computed from one row that exists already: the rows of cores move to their final places in an order
// that overwrites no row still needed, then the rows of trees follow, anchors first. Every value is written once, by
// vector instructions.
#include <algorithm>
#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/pendant_trees/pendant_trees.hpp>
#include <atoll/matrix/gemm/row_kernels.hpp>
#include <cstring>

namespace atl {
namespace {

/// The pendant trees, in the terms above.
template <class T>
struct Trees {
  std::vector<Local> slot;                 // [vertex] current row of its core's distances, or -1
  std::vector<PendantVertex<T>> pendants;  // in preorder: each followed by its descendants
  std::vector<Local> below;                // [pendant] size of its subtree
  std::vector<Local> by_depth;             // indices of pendants by depth, in arcs from the root
  std::vector<std::size_t> depth_begin{0};
  // Per component, in vertex order: tree vertices, the position of their root in the core, and down(v).
  std::vector<std::size_t> begin;
  std::vector<Local> vertex, position;
  std::vector<T> down;

  explicit Trees(const PendantTrees<T>& trees) {
    const auto n = static_cast<std::size_t>(trees.vertices());
    slot.assign(n, -1);
    std::vector<Local> of_root(n, 0), depth(n, 0), size(n, 1), next(n, 0);
    std::vector<T> length(n, T{});
    for (std::size_t c = 0; c < trees.cores.size(); ++c)
      for (std::size_t k = 0; k < trees.cores[c].size(); ++k) {
        const std::size_t v = index(trees.cores[c][k]);
        of_root[v] = static_cast<Local>(k);
        if (trees.cores[c].size() > 1) slot[v] = static_cast<Local>(trees.first_row[c] + static_cast<Vertex>(k));
      }
    std::vector<char> removed(n, 0);
    for (const PendantVertex<T>& x : trees.pendants) {
      size[x.anchor] += size[x.vertex];
      removed[x.vertex] = 1;
    }
    Local roots = 0;  // where the next root's tree begins
    for (std::size_t v = 0; v < n; ++v)
      if (!removed[v]) next[v] = roots, roots += size[v] - 1;
    pendants.resize(trees.pendants.size());
    below.resize(pendants.size());
    Local deepest = 0;
    for (std::size_t t = trees.pendants.size(); t-- > 0;) {
      const PendantVertex<T>& x = trees.pendants[t];
      const std::size_t v = index(x.vertex), a = index(x.anchor);
      const Local here = next[a];
      next[a] += size[v];
      next[v] = here + 1;
      pendants[here] = x;
      below[here] = size[v];
      of_root[v] = of_root[a];
      length[v] = path_sum(length[a], x.there);
      depth[v] = depth[a] + 1;
      deepest = std::max(deepest, depth[v]);
    }
    depth_begin.resize(static_cast<std::size_t>(deepest) + 1);
    for (const PendantVertex<T>& x : pendants) ++depth_begin[depth[x.vertex]];
    for (std::size_t d = 1; d < depth_begin.size(); ++d) depth_begin[d] += depth_begin[d - 1];
    by_depth.resize(pendants.size());
    std::vector<std::size_t> cursor(depth_begin);
    for (std::size_t t = 0; t < pendants.size(); ++t)
      by_depth[cursor[index(depth[pendants[t].vertex]) - 1]++] = static_cast<Local>(t);

    begin.assign(trees.cores.size() + 1, 0);
    for (const PendantVertex<T>& x : pendants) ++begin[index(trees.component[x.vertex]) + 1];
    for (std::size_t c = 1; c < begin.size(); ++c) begin[c] += begin[c - 1];
    vertex.resize(pendants.size());
    position.resize(pendants.size());
    down.resize(pendants.size());
    cursor.assign(begin.begin(), begin.end() - 1);
    for (std::size_t v = 0; v < n; ++v) {
      if (!removed[v]) continue;
      const std::size_t to = cursor[trees.component[v]]++;
      vertex[to] = static_cast<Local>(v);
      position[to] = of_root[v];
      down[to] = length[v];
    }
  }
};

/// Vertices as bit sets, for components that are not small compared to n; for small ones the entries are written one by
/// one.
class PositionBitmap {
 public:
  PositionBitmap(std::size_t n, std::span<const Local> core, std::span<const Local> hanging) {
    constexpr std::size_t kWord = 64;
    if ((core.size() + hanging.size()) * kWord < n) return;
    core_.assign((n + kWord - 1) / kWord, 0);
    hanging_ = core_;
    for (const Local v : core) core_[index(v) / kWord] |= std::uint64_t{1} << index(v) % kWord;
    for (const Local v : hanging) hanging_[index(v) / kWord] |= std::uint64_t{1} << index(v) % kWord;
  }
  bool empty() const { return core_.empty(); }
  const std::uint64_t* core() const { return core_.data(); }
  const std::uint64_t* hanging() const { return hanging_.data(); }

 private:
  std::vector<std::uint64_t> core_, hanging_;
};

/// A chain of moving rows: each moves to the place that the one before it has left.
struct MoveChain {
  std::size_t begin = 0, end = 0;  // range in order_
  std::int64_t kept = -1;          // copy of the last row, made before any chain began, or -1
  bool closed = false;             // a cycle: the last row lies where the first one goes
};

template <class T>
class Expansion {
 public:
  Expansion(Team& team, const PendantTrees<T>& trees, MatrixView<T> d)
      : team_(team), pendant_(trees), trees_(trees), d_(d), kernels_(row_kernels<T>(chosen_isa())) {
    std::size_t largest = 0;
    for (std::size_t c = 0; c < trees.cores.size(); ++c) {
      const std::size_t hanging = trees_.begin[c + 1] - trees_.begin[c];
      bits_.emplace_back(static_cast<std::size_t>(d.rows), trees.cores[c],
                         std::span(trees_.vertex).subspan(trees_.begin[c], hanging));
      largest = std::max(largest, std::max(hanging, trees.cores[c].size()));
    }
    for (int t = 0; t < team.size(); ++t) scratch_.push_back({Array<T>(largest + 64), Array<T>(largest + 64), {}});
  }

  void run() {
    move_cores();
    for (std::size_t c = 0; c < pendant_.cores.size(); ++c)
      if (pendant_.cores[c].size() == 1) single_.push_back(pendant_.cores[c].front());
    team_.for_range(single_.size(), 8, [&](int thread, std::size_t a, std::size_t b) {
      constexpr T kHere{};
      for (; a < b; ++a) make_row(single_[a], &kHere, thread);
    });
    for (std::size_t depth = 1; depth < trees_.depth_begin.size(); ++depth) {
      const std::size_t first = trees_.depth_begin[depth - 1];
      team_.for_range(trees_.depth_begin[depth] - first, 8, [&](int, std::size_t a, std::size_t b) {
        for (; a < b; ++a) expand_pendant(index(trees_.by_depth[first + a]));
      });
    }
  }

 private:
  struct Scratch {
    Array<T> core, hanging, kept;
  };
  static constexpr std::size_t kLongChain = 64, kChains = 64;

  /// Chains through all vertices whose core's row has to move or to be expanded in place.
  std::vector<MoveChain> chains() {
    std::vector<MoveChain> list;
    const std::size_t n = trees_.slot.size();
    std::vector<char> seen(n, 0);
    const std::size_t longest = std::max(kLongChain, n / kChains);
    std::size_t slots = 0;
    for (const Local s : trees_.slot) slots += s >= 0;
    const auto follow = [&](std::size_t start) {
      const std::size_t first = order_.size();
      Local v = static_cast<Local>(start);
      for (; trees_.slot[v] >= 0 && !seen[v]; v = trees_.slot[v]) {
        seen[v] = 1;
        order_.push_back(v);
      }
      const bool ring = index(v) == start;
      for (std::size_t begin = first; begin < order_.size(); begin += longest) {
        MoveChain chain{.begin = begin, .end = std::min(order_.size(), begin + longest)};
        const bool last = chain.end == order_.size();
        if (last && ring && begin == first) {
          chain.closed = chain.end - begin > 1;
        } else if (!last || ring) {
          chain.kept = kept_++;
        }
        list.push_back(chain);
      }
    };
    // Positions from `slots` on are free: a chain starts there and continues at the place that it vacates.
    for (std::size_t v = slots; v < n; ++v)
      if (trees_.slot[v] >= 0) follow(v);
    for (std::size_t v = 0; v < slots; ++v)
      if (trees_.slot[v] >= 0 && !seen[v]) follow(v);
    return list;
  }

  void move_cores() {
    const std::vector<MoveChain> list = chains();
    if (kept_ > 0) kept_rows_ = Matrix<T>(kept_, d_.cols);
    team_.for_range(list.size(), 1, [&](int, std::size_t t, std::size_t) {
      if (list[t].kept >= 0) keep(order_[list[t].end - 1], kept_rows_.view().row(list[t].kept).data());
    });
    team_.for_range(list.size(), 1, [&](int thread, std::size_t t, std::size_t) {
      const MoveChain& chain = list[t];
      Array<T>& kept = scratch_[thread].kept;
      if (chain.closed) {
        if (kept.empty()) kept = Array<T>(static_cast<std::size_t>(d_.cols));
        keep(order_[chain.end - 1], kept.data());
      }
      for (std::size_t i = chain.begin; i < chain.end; ++i) {
        const Local u = order_[i];
        const bool last = i + 1 == chain.end;
        make_row(u,
                 last && chain.closed      ? kept.data()
                 : last && chain.kept >= 0 ? &kept_rows_(chain.kept, 0)
                                           : row_at(u),
                 thread);
      }
    });
  }

  const T* row_at(Local u) const { return d_.row(trees_.slot[u]).data(); }
  void keep(Local u, T* to) const {
    const auto& core = pendant_.cores[pendant_.component[u]];
    std::copy_n(row_at(u), core.size(), to);
  }

  /// Expands the row of u from its row within the core, which may lie where row u goes.
  void make_row(Local u, const T* core_row, int thread) {
    const std::size_t c = index(pendant_.component[u]);
    const std::vector<Local>& core = pendant_.cores[c];
    Scratch& scratch = scratch_[thread];
    std::copy_n(core_row, core.size(), scratch.core.data());
    const std::size_t first = trees_.begin[c], hanging = trees_.begin[c + 1] - first;
    kernels_.gather(scratch.core.data(), trees_.position.data() + first, {trees_.down.data() + first, hanging},
                    scratch.hanging.data());
    const std::span<T> row = d_.row(u);
    if (!bits_[c].empty()) {
      kernels_.spread({scratch.core.data(), bits_[c].core()}, {scratch.hanging.data(), bits_[c].hanging()}, row);
      return;
    }
    std::ranges::fill(row, kNoPath<T>);
    for (std::size_t k = 0; k < core.size(); ++k) row[core[k]] = scratch.core[k];
    for (std::size_t k = 0; k < hanging; ++k) row[trees_.vertex[first + k]] = scratch.hanging[k];
  }

  /// Computes the row of a pendant vertex from its anchor's.
  void expand_pendant(std::size_t t) const {
    const PendantVertex<T>& x = trees_.pendants[t];
    const std::span<T> row = d_.row(x.vertex);
    kernels_.lengthen(x.back, d_.row(x.anchor), row.data());
    row[x.vertex] = T{};
    for (std::size_t b = t + 1; b < t + index(trees_.below[t]); ++b) {
      const PendantVertex<T>& y = trees_.pendants[b];
      row[y.vertex] = path_sum(row[y.anchor], y.there);
    }
  }

  Team& team_;
  const PendantTrees<T>& pendant_;
  const Trees<T> trees_;
  const MatrixView<T> d_;
  const RowKernels<T> kernels_;
  std::vector<PositionBitmap> bits_;  // [component]
  std::vector<Scratch> scratch_;      // [thread]
  std::vector<Local> order_, single_;
  std::int64_t kept_ = 0;
  Matrix<T> kept_rows_;
};

}  // namespace

template <class T>
void expand(Team& team, const PendantTrees<T>& trees, MatrixView<T> d) {
  if (trees.nothing_peeled() && trees.vertices() > 1) return;
  Expansion<T>(team, trees, d).run();
}

template void expand(Team&, const PendantTrees<float>&, MatrixView<float>);
template void expand(Team&, const PendantTrees<double>&, MatrixView<double>);
template void expand(Team&, const PendantTrees<std::int32_t>&, MatrixView<std::int32_t>);
template void expand(Team&, const PendantTrees<std::uint16_t>&, MatrixView<std::uint16_t>);
template void expand(Team&, const PendantTrees<std::uint8_t>&, MatrixView<std::uint8_t>);

}  // namespace atl
