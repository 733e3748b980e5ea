// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/path_sum.hpp>
#include <atoll/apsp/peel.hpp>
#include <atoll/apsp/spread.hpp>

// A tree that hangs from a core meets it at one vertex, its root. With up(u) the way from u to its root, and v hanging
// from its anchor a by the weight w,
//   D(u, v) = up(u) + D(root(u), v)    for v in a core
//   D(u, v) = D(u, a) + w              for others, anchors first
// unless u and v hang from the same root: then the path is the one of the tree. A row of D is made of one row of the
// core, whatever its vertex, so rows do not wait for each other. The core's values are spread over the row by a vector
// instruction; what costs is each vertex that was peeled.

namespace atl {
namespace {

constexpr std::size_t at(Local v) { return static_cast<std::size_t>(v); }

/// What hangs, in the terms above.
template <class T>
struct Trees {
  std::vector<Local> root, place;                  // [vertex] itself in a core; the root's place there
  std::vector<T> up;                               // [vertex]
  std::vector<Local> twig;                         // [vertex] its place among the twigs, or -1
  std::vector<std::vector<Local>> of_root;         // [vertex] of a root: its twigs, anchors first
  std::vector<std::vector<Twig<T>>> of_component;  // [component] anchors first

  explicit Trees(const Peeling<T>& peeling) {
    const auto n = static_cast<std::size_t>(peeling.vertices());
    const std::size_t components = peeling.cores.size();
    place.assign(n, 0);
    for (const auto& core : peeling.cores)
      for (std::size_t k = 0; k < core.size(); ++k) place[at(core[k])] = static_cast<Local>(k);
    up.assign(n, T{});
    std::vector<Local> depth(n, 0);
    twig.assign(n, -1);
    of_root.resize(n);
    of_component.resize(components);
    for (std::size_t v = 0; v < n; ++v) root.push_back(static_cast<Local>(v));
    for (std::size_t t = peeling.twigs.size(); t-- > 0;) {
      const Twig<T>& x = peeling.twigs[t];
      const Local r = root[at(x.anchor)];
      root[at(x.vertex)] = r;
      place[at(x.vertex)] = place[at(r)];
      up[at(x.vertex)] = path_sum(x.back, up[at(x.anchor)]);
      twig[at(x.vertex)] = static_cast<Local>(t);
      of_root[at(r)].push_back(static_cast<Local>(t));
      depth[at(x.vertex)] = depth[at(x.anchor)] + 1;
      of_component[at(peeling.component[at(x.vertex)])].push_back(x);
    }
    // By depth, then by vertex: they do not wait for each other, and go through the row in its order.
    for (auto& twigs : of_component)
      std::sort(twigs.begin(), twigs.end(), [&](const Twig<T>& a, const Twig<T>& b) {
        return std::pair(depth[at(a.vertex)], a.vertex) < std::pair(depth[at(b.vertex)], b.vertex);
      });
  }
};

/// Rows of one thread.
template <class T>
class RowMaker {
 public:
  RowMaker(const Peeling<T>& peeling, const Trees<T>& trees, const std::vector<Matrix<T>>& cores)
      : peeling_(peeling),
        trees_(trees),
        cores_(cores),
        on_way_(trees.root.size(), -1),
        in_core_((trees.root.size() + 63) / 64),
        spread_(spread_kernel<T>(chosen_isa())) {}

  void make(Local u, std::span<T> row) {
    const auto c = at(peeling_.component[at(u)]);
    enter(c);
    const std::size_t size = peeling_.cores[c].size();
    const T up = trees_.up[at(u)];
    from_[0] = up;  // of a core of one vertex
    if (size > 1) {
      const T* core = cores_[c].view().row(trees_.place[at(u)]).data();
      for (std::size_t k = 0; k < size; ++k) from_[k] = path_sum(up, core[k]);
    }
    spread_(from_.data(), in_core_.data(), kNoPath<T>, row);
    for (const Twig<T>& x : trees_.of_component[c]) row[at(x.vertex)] = path_sum(row[at(x.anchor)], x.there);
    if (const Local root = trees_.root[at(u)]; root != u) walk_tree(u, root, row);
  }

 private:
  /// The vertices of a core as bits.
  void enter(std::size_t component) {
    if (component == component_) return;
    component_ = component;
    std::fill(in_core_.begin(), in_core_.end(), 0);
    for (const Local v : peeling_.cores[component]) in_core_[at(v) / 64] |= std::uint64_t{1} << at(v) % 64;
    from_.resize(peeling_.cores[component].size() + 64 / sizeof(T));
  }

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
    for (const Local t : trees_.of_root[at(root)]) {
      const Twig<T>& x = peeling_.twigs[at(t)];
      if (on_way_[at(x.vertex)] != u) row[at(x.vertex)] = path_sum(row[at(x.anchor)], x.there);
    }
  }

  const Peeling<T>& peeling_;
  const Trees<T>& trees_;
  const std::vector<Matrix<T>>& cores_;
  std::vector<Local> on_way_;  // [vertex] the u whose way up it is on
  std::vector<T> from_;        // [place in the core] from u
  std::size_t component_ = SIZE_MAX;
  std::vector<std::uint64_t> in_core_;  // of component_, a bit for each vertex
  const Spread<T> spread_;
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
