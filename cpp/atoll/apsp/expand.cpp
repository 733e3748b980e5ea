// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/path_sum.hpp>
#include <atoll/apsp/peel.hpp>

// A tree that hangs from a core meets it at one vertex, its root. With up(u) the way from u to its root and down(v) the
// way from v's root to v,
//   D(u, v) = up(u) + D(root(u), root(v)) + down(v)
// unless u and v hang from the same root: then the path is the one of the tree. A row of D is made of one row of the
// core, whatever its vertex, so rows do not wait for each other.

namespace atl {
namespace {

constexpr std::size_t at(Local v) { return static_cast<std::size_t>(v); }

template <class T>
struct Member {
  Local vertex = 0;
  Local root = 0;  ///< its place in the core
  T down{};
};

/// What hangs, in the terms above.
template <class T>
struct Trees {
  std::vector<Local> root;                      // [vertex] itself in a core
  std::vector<T> up, down;                      // [vertex]
  std::vector<Local> twig;                      // [vertex] its place among the twigs, or -1
  std::vector<std::vector<Local>> hanging;      // [vertex] of a root: its twigs, anchors first
  std::vector<std::vector<Member<T>>> members;  // [component] ascending

  explicit Trees(const Peeling<T>& peeling) {
    const auto n = static_cast<std::size_t>(peeling.vertices());
    std::vector<Local> place(n, 0);
    for (const auto& core : peeling.cores)
      for (std::size_t k = 0; k < core.size(); ++k) place[at(core[k])] = static_cast<Local>(k);
    up.assign(n, T{});
    down.assign(n, T{});
    twig.assign(n, -1);
    hanging.resize(n);
    for (std::size_t v = 0; v < n; ++v) root.push_back(static_cast<Local>(v));
    for (std::size_t t = peeling.twigs.size(); t-- > 0;) {
      const Twig<T>& x = peeling.twigs[t];
      const Local r = root[at(x.anchor)];
      root[at(x.vertex)] = r;
      up[at(x.vertex)] = path_sum(x.back, up[at(x.anchor)]);
      down[at(x.vertex)] = path_sum(down[at(x.anchor)], x.there);
      twig[at(x.vertex)] = static_cast<Local>(t);
      hanging[at(r)].push_back(static_cast<Local>(t));
    }
    members.resize(peeling.cores.size());
    for (std::size_t v = 0; v < n; ++v)
      members[at(peeling.component[v])].push_back({static_cast<Local>(v), place[at(root[v])], down[v]});
  }
};

/// Rows of one thread.
template <class T>
class RowMaker {
 public:
  RowMaker(const Peeling<T>& peeling, const Trees<T>& trees, const std::vector<Matrix<T>>& cores)
      : peeling_(peeling), trees_(trees), cores_(cores), on_way_(trees.root.size(), -1) {}

  void make(Local u, std::span<T> row) {
    const auto c = at(peeling_.component[at(u)]);
    const Matrix<T>& core = cores_[c];
    const std::vector<Member<T>>& members = trees_.members[c];
    const auto& list = peeling_.cores[c];
    const Local root = trees_.root[at(u)];
    const auto place = std::lower_bound(list.begin(), list.end(), root) - list.begin();
    from_.resize(list.size());
    from_[0] = trees_.up[at(u)];  // of a core of one vertex
    if (list.size() > 1)
      for (std::size_t k = 0; k < list.size(); ++k)
        from_[k] = path_sum(trees_.up[at(u)], core(place, static_cast<std::int64_t>(k)));
    if (members.size() < row.size()) std::fill(row.begin(), row.end(), kNoPath<T>);
    for (const Member<T>& m : members) row[at(m.vertex)] = path_sum(from_[at(m.root)], m.down);
    if (root != u) walk_tree(u, root, row);
  }

 private:
  /// From u up to the root, then down to whatever is not on that way.
  void walk_tree(Local u, Local root, std::span<T> row) {
    T sum{};
    row[at(u)] = sum;
    on_way_[at(u)] = u;
    for (Local v = u; v != root;) {
      const Twig<T>& x = peeling_.twigs[at(trees_.twig[at(v)])];
      sum = path_sum(sum, x.back);
      v = x.anchor;
      row[at(v)] = sum;
      on_way_[at(v)] = u;
    }
    for (const Local t : trees_.hanging[at(root)]) {
      const Twig<T>& x = peeling_.twigs[at(t)];
      if (on_way_[at(x.vertex)] != u) row[at(x.vertex)] = path_sum(row[at(x.anchor)], x.there);
    }
  }

  const Peeling<T>& peeling_;
  const Trees<T>& trees_;
  const std::vector<Matrix<T>>& cores_;
  std::vector<Local> on_way_;  // [vertex] the u whose way up it is on
  std::vector<T> from_;        // [place in the core] from u
};

}  // namespace

template <class T>
Matrix<T> expand(Team& team, const Peeling<T>& peeling, std::vector<Matrix<T>> cores) {
  if (peeling.nothing_peeled() && peeling.vertices() > 1) return std::move(cores.front());
  const Trees<T> trees(peeling);
  Matrix<T> d(peeling.vertices(), peeling.vertices());
  std::vector<RowMaker<T>> makers(static_cast<std::size_t>(team.size()), RowMaker<T>(peeling, trees, cores));
  constexpr std::size_t kGrain = 16;
  team.for_range(static_cast<std::size_t>(d.rows()), kGrain, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t u = a; u < b; ++u)
      makers[static_cast<std::size_t>(thread)].make(static_cast<Local>(u), d.view().row(static_cast<std::int64_t>(u)));
  });
  return d;
}

template Matrix<float> expand(Team&, const Peeling<float>&, std::vector<Matrix<float>>);
template Matrix<double> expand(Team&, const Peeling<double>&, std::vector<Matrix<double>>);
template Matrix<std::int32_t> expand(Team&, const Peeling<std::int32_t>&, std::vector<Matrix<std::int32_t>>);
template Matrix<std::uint16_t> expand(Team&, const Peeling<std::uint16_t>&, std::vector<Matrix<std::uint16_t>>);
template Matrix<std::uint8_t> expand(Team&, const Peeling<std::uint8_t>&, std::vector<Matrix<std::uint8_t>>);

}  // namespace atl
