// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/searches/row_searches.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/matrix/gemm/lane_kernels.hpp>
#include <cmath>
#include <memory>

// Delta-stepping [1] from many sources at once: a vertex has a distance for each source, its lanes, and an arc is
// relaxed for all of them by a few vector instructions.
//
//   in the paper    here        meaning
//   tent(v)         lanes_[v]   best distances known, one per source
//   B[i]            near_       vertices with a lane that improved to below limit_ since they were last relaxed
//   later buckets   far_        vertices whose smallest improved lane is beyond limit_
//   delta           delta       distance of limit_ from the smallest key in far_
//
// A vertex's key is a lower bound of its changed lanes. Any order gives the same distances; the limit only avoids
// propagating lanes before they are final, so light and heavy arcs are not distinguished.
//
// [1] U. Meyer, P. Sanders. "Delta-stepping: a parallelizable shortest path algorithm." J. Algorithms 49(1), 2003.

namespace atl {
namespace {

template <class T>
class LaneSearch {
 public:
  LaneSearch(const NearArcs<T>& near, LaneKernels<T> kernels)
      : near_arcs_(near), kernels_(kernels), lanes_(near.place.size() * kLanes<T>) {
    const std::size_t n = near.place.size();
    key_.assign(n, kNoPath<T>);
    where_.assign(n, Where::nowhere);
    Edge most = 0;
    for (Vertex v = 0; v < near.arcs.vertices(); ++v) most = std::max(most, near.arcs.end(v) - near.arcs.begin(v));
    improved_.resize(static_cast<std::size_t>(most) + 1);
  }

  void run(std::span<const SourceRow> sources, double delta, MatrixView<T> rows) {
    std::fill(lanes_.begin(), lanes_.end(), kNoPath<T>);
    limit_ = T{};
    for (std::size_t l = 0; l < sources.size(); ++l) {
      lanes_[index(sources[l].source) * kLanes<T> + l] = T{};
      key_[sources[l].source] = T{};
      enter(sources[l].source, T{});
    }
    while (!next_.empty() || refill(delta)) {
      near_.swap(next_);
      next_.clear();
      for (const Local v : near_) relax(v);
    }
    write(sources, rows);
  }

 private:
  enum class Where : std::uint8_t { nowhere, near, far };

  void enter(Local v, T key) {
    Where& where = where_[v];
    if (where == Where::near) return;
    if (key <= limit_) {
      where = Where::near;  // a possible entry in far_ is skipped later
      next_.push_back(v);
    } else if (where == Where::nowhere) {
      where = Where::far;
      far_.push_back(v);
    }
  }

  void relax(Local v) {
    const ReplicatedCsr<T>& arcs = near_arcs_.arcs;
    const T key = std::exchange(key_[v], kNoPath<T>);
    where_[v] = Where::nowhere;
    const Local* heads = arcs.heads.data() + arcs.begin(v);
    const T* weights = arcs.weights.data() + arcs.begin(v);
    const std::int64_t found = kernels_.relax(lanes_.data() + index(v) * kLanes<T>, lanes_.data(), heads, weights,
                                              arcs.end(v) - arcs.begin(v), improved_.data());
    for (std::int64_t i = 0; i < found; ++i) {
      const Local e = improved_[i], head = heads[e];
      const T bound = path_sum(key, weights[e]);
      if (bound < key_[head]) key_[head] = bound;
      enter(head, key_[head]);
    }
  }

  /// Advances the limit; false if no vertices are left.
  bool refill(double delta) {
    T least = kNoPath<T>;
    std::size_t kept = 0;
    for (const Local v : far_)
      if (where_[v] == Where::far) {
        far_[kept++] = v;
        least = std::min(least, key_[v]);
      }
    far_.resize(kept);
    if (kept == 0) return false;
    const double limit = static_cast<double>(least) + delta;
    limit_ = limit < static_cast<double>(kNoPath<T>) ? static_cast<T>(limit) : kNoPath<T>;
    limit_ = std::max(limit_, least);  // it was rounded down
    kept = 0;
    for (const Local v : far_) {
      if (where_[v] != Where::far) continue;  // a duplicate
      if (key_[v] <= limit_) {
        where_[v] = Where::near;
        next_.push_back(v);
      } else {
        far_[kept++] = v;
      }
    }
    far_.resize(kept);
    return true;
  }

  /// Copies lanes to rows, in blocks of vertices that stay in the first-level cache.
  void write(std::span<const SourceRow> sources, MatrixView<T> rows) const {
    constexpr std::int64_t kBlock = 64;
    for (std::int64_t begin = 0; begin < rows.cols; begin += kBlock) {
      const std::int64_t end = std::min(rows.cols, begin + kBlock);
      const T* from[kBlock];
      for (std::int64_t v = begin; v < end; ++v)
        from[v - begin] = lanes_.data() + index(near_arcs_.place[v]) * kLanes<T>;
      for (std::size_t l = 0; l < sources.size(); ++l) {
        T* row = rows.row(sources[l].row).data() + begin;
        for (std::int64_t k = 0; k < end - begin; ++k) row[k] = from[k][l];
      }
    }
  }

  const NearArcs<T>& near_arcs_;
  const LaneKernels<T> kernels_;
  Array<T> lanes_;
  std::vector<T> key_;
  std::vector<Where> where_;
  std::vector<Local> near_, next_, far_, improved_;
  T limit_{};
};

}  // namespace

template <class T>
double delta_rows(Team& team, const NearArcs<T>& near, std::span<const SourceRow> sources, MatrixView<T> rows,
                  double delta) {
  const auto threads = static_cast<std::size_t>(team.size());
  std::vector<std::unique_ptr<LaneSearch<T>>> searches(threads);
  const std::size_t batches = (sources.size() + kLanes<T> - 1) / kLanes<T>;
  const LaneKernels<T> kernels = lane_kernels<T>(chosen_isa());
  const auto run = [&](std::size_t first, std::size_t last, double step) {
    team.for_range(last - first, 1, [&](int thread, std::size_t k, std::size_t) {
      auto& search = searches[thread];
      if (!search) search = std::make_unique<LaneSearch<T>>(near, kernels);
      const std::size_t begin = (first + k) * kLanes<T>;
      search->run(sources.subspan(begin, std::min(kLanes<T>, sources.size() - begin)), step, rows);
    });
  };
  std::size_t done = 0;
  if (delta <= 0) {
    // The first batches try bucket widths by factors of two, starting at the greatest weight, as long as one is faster.
    delta = std::max(static_cast<double>(near.arcs.greatest), 1e-30);
    double best = HUGE_VAL;
    const auto seconds = [&](double step) {
      const Timer timer;
      run(done, done + threads, step);
      done += threads;
      return timer.seconds();
    };
    const auto can_try = [&] { return done + 8 * threads <= batches; };
    if (can_try()) run(done, done + threads, delta), done += threads;  // first touch of its memory
    if (can_try()) best = seconds(delta);
    for (const double factor : {0.5, 2.0}) {
      bool any = false;
      while (can_try()) {
        const double time = seconds(delta * factor);
        if (time >= best) break;
        best = time;
        delta *= factor;
        any = true;
      }
      if (any) break;
    }
  }
  run(done, batches, delta);
  return delta;
}

template double delta_rows(Team&, const NearArcs<float>&, std::span<const SourceRow>, MatrixView<float>, double);
template double delta_rows(Team&, const NearArcs<double>&, std::span<const SourceRow>, MatrixView<double>, double);
template double delta_rows(Team&, const NearArcs<std::int32_t>&, std::span<const SourceRow>, MatrixView<std::int32_t>,
                           double);
template double delta_rows(Team&, const NearArcs<std::uint16_t>&, std::span<const SourceRow>, MatrixView<std::uint16_t>,
                           double);
template double delta_rows(Team&, const NearArcs<std::uint8_t>&, std::span<const SourceRow>, MatrixView<std::uint8_t>,
                           double);

}  // namespace atl
