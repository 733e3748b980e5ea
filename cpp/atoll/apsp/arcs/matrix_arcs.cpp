// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/arcs/matrix_arcs.hpp>
#include <atoll/base/error.hpp>
#include <atomic>
#include <numeric>

namespace atl {
namespace {

/// Whole numbers up to here are exact as float64, in which lengths may be added up.
constexpr double kLargestWhole = 0x1p53;

/// Which entries are arcs. An infinity says that there is none, unless it is the best value of all.
template <class S>
class ArcTest {
 public:
  explicit ArcTest(const MatrixWeights<S>& m) : no_edge_(m.no_edge.value_or(S{})), has_no_edge_(m.no_edge.has_value()) {
    if constexpr (std::is_floating_point_v<S>)
      none_ = m.semiring == Semiring::max_plus || m.semiring == Semiring::max_min ? -kNoPath<S> : kNoPath<S>;
  }
  bool operator()(S x) const {
    if constexpr (std::is_floating_point_v<S>)
      return (x != none_) & !(has_no_edge_ & (x == no_edge_));  // without a branch, for the compiler's vectors
    return !(has_no_edge_ & (x == no_edge_));
  }

 private:
  S no_edge_, none_{};
  bool has_no_edge_;
};

/// The weights of the arcs of some rows.
struct ArcRange {
  double least = std::numeric_limits<double>::infinity(), greatest = -std::numeric_limits<double>::infinity();
  bool fits_int32 = true, is_valid = true;

  void add(const ArcRange& other) {
    least = std::min(least, other.least);
    greatest = std::max(greatest, other.greatest);
    fits_int32 = fits_int32 && other.fits_int32;
    is_valid = is_valid && other.is_valid;
  }
};

/// Why the entry is refused, and what to do; empty if it is not.
template <class S>
std::string refusal_of_entry(const MatrixWeights<S>& m, bool is_arc, bool on_diagonal, S x) {
  const auto w = static_cast<double>(x);
  if (std::isnan(w)) return "(not a number). Put infinity where there is no edge";
  if (!is_arc) return {};
  if (std::isinf(w)) return "(a weight is finite). Give one, or the infinity that stands for no path";
  if (std::is_integral_v<S> && std::abs(w) > kLargestWhole)
    return "(beyond 2^53). Say by no_edge that it is none, or give a smaller weight";
  if (on_diagonal && m.weights == ArcWeights::as_given) {
    if (m.semiring == Semiring::min_plus && w < 0)
      return "(a negative cycle, around which paths get ever shorter). Put 0 there";
    if (m.semiring == Semiring::max_plus && w > 0)
      return "(a positive cycle, around which paths get ever longer). Put 0 there";
  }
  return {};
}

template <class S>
[[noreturn]] void refuse_first_entry(const MatrixWeights<S>& m) {
  const ArcTest<S> is_arc(m);
  for (std::int64_t i = 0; i < m.view.rows; ++i)
    for (std::int64_t j = 0; j < m.view.cols; ++j) {
      const S x = m.view(i, j);
      const std::string why = refusal_of_entry(m, is_arc(x), i == j, x);
      if (!why.empty()) throw InputError(fmt::format("{}[{}, {}] is {} {}.", m.name, i, j, x, why));
    }
  throw InputError(fmt::format("{}: an entry changed while it was read. Give a matrix that nobody writes to.", m.name));
}

/// Counts the arcs of row i into `count`.
template <class S>
ArcRange summary_of_row(const MatrixWeights<S>& m, const ArcTest<S>& is_arc, std::int64_t i, Edge& count) {
  constexpr auto kBound = static_cast<S>(kNoPath<std::int32_t>);  // as float32 2^30, with no number between them
  const auto row = m.view.row(i);
  S least = std::numeric_limits<S>::max(), greatest = std::numeric_limits<S>::lowest();
  std::int64_t arcs = 0, strange = 0, broken = 0;
  for (const S x : row) {
    const bool arc = is_arc(x);
    const S low = arc ? x : std::numeric_limits<S>::max(), high = arc ? x : std::numeric_limits<S>::lowest();
    arcs += arc;
    least = low < least ? low : least;
    greatest = high > greatest ? high : greatest;
    if constexpr (std::is_floating_point_v<S>) {
      const bool small = arc & (x > -kBound) & (x < kBound);
      const S held = small ? x : S{};
      broken += arc & (!small | (static_cast<S>(static_cast<std::int32_t>(held)) != held));
      strange += !(x - x == S{}) & arc;  // an infinity, or not a number
    } else {
      broken += arc & ((x >= kBound) | (x <= -kBound));
    }
  }
  const bool on_diagonal = is_arc(row[static_cast<std::size_t>(i)]);
  ArcRange range{.fits_int32 = broken == 0, .is_valid = strange == 0};
  if (arcs > 0) {
    range.least = static_cast<double>(least);
    range.greatest = static_cast<double>(greatest);
    if (std::is_integral_v<S>)
      range.is_valid = range.is_valid && range.least >= -kLargestWhole && range.greatest <= kLargestWhole;
  }
  range.is_valid = range.is_valid && refusal_of_entry(m, on_diagonal, true, row[static_cast<std::size_t>(i)]).empty();
  count = arcs - on_diagonal;
  return range;
}

/// Whether the matrix is its own transpose, compared in blocks that fit the first cache; ends at the first difference.
template <class S>
bool is_symmetric(Team& team, MatrixView<const S> d) {
  constexpr std::int64_t kSide = 64;
  const auto blocks = static_cast<std::size_t>((d.rows + kSide - 1) / kSide);
  std::atomic<bool> same{true};
  team.for_range(blocks, 1, [&](int, std::size_t first, std::size_t last) {
    for (auto block = static_cast<std::int64_t>(first); block < static_cast<std::int64_t>(last); ++block) {
      const std::int64_t i0 = block * kSide, i1 = std::min(d.rows, i0 + kSide);
      for (std::int64_t j0 = i0; j0 < d.cols && same.load(std::memory_order_relaxed); j0 += kSide) {
        const std::int64_t j1 = std::min(d.cols, j0 + kSide);
        bool equal = true;
        for (std::int64_t i = i0; i < i1; ++i)
          for (std::int64_t j = j0; j < j1; ++j) equal &= d(i, j) == d(j, i);
        if (!equal) same.store(false, std::memory_order_relaxed);
      }
    }
  });
  return same;
}

template <class W, class S>
ReplicatedCsr<W> arcs_in(Team& team, const MatrixWeights<S>& m, const ArcTest<S>& is_arc, Array<Edge> offsets) {
  ReplicatedCsr<W> arcs;
  arcs.name = m.name;
  arcs.ids.resize(static_cast<std::size_t>(m.view.rows));
  std::iota(arcs.ids.begin(), arcs.ids.end(), Vertex{0});
  const auto size = static_cast<std::size_t>(offsets[offsets.size() - 1]);
  arcs.offsets = std::move(offsets);
  arcs.heads = Array<Local>(size);
  arcs.weights = Array<W>(size);
  arcs.from_float32 = std::is_same_v<S, float>;
  std::vector<std::pair<W, W>> ranges(static_cast<std::size_t>(team.size()),
                                      {std::numeric_limits<W>::max(), std::numeric_limits<W>::lowest()});
  const bool ones = m.weights == ArcWeights::ones;
  team.for_range(static_cast<std::size_t>(m.view.rows), 16, [&](int thread, std::size_t first, std::size_t last) {
    auto [least, greatest] = ranges[static_cast<std::size_t>(thread)];
    for (; first < last; ++first) {
      const auto i = static_cast<Vertex>(first);
      const auto row = m.view.row(i);
      auto at = static_cast<std::size_t>(arcs.begin(i));
      const auto end = static_cast<std::size_t>(arcs.end(i));
      // Each entry is written, and the next one over it if it is no arc: at a density of a quarter a branch would be
      // taken at random.
      for (std::size_t j = 0; at < end; ++j) {
        const bool arc = is_arc(row[j]) & (j != first);
        arcs.heads[at] = static_cast<Local>(j);
        arcs.weights[at] = ones ? W{1} : static_cast<W>(arc ? row[j] : S{}) + W{};  // -0 + 0 is 0
        at += arc;
      }
      for (const W w : arcs.weights_of(i)) {
        least = std::min(least, w);
        greatest = std::max(greatest, w);
      }
    }
    ranges[static_cast<std::size_t>(thread)] = {least, greatest};
  });
  if (size > 0) {
    arcs.least = std::ranges::min_element(ranges)->first;
    arcs.greatest = std::ranges::max_element(ranges, {}, [](const auto& r) { return r.second; })->second;
  }
  arcs.directed = !is_symmetric(team, m.view);
  return arcs;
}

}  // namespace

template <class S>
MatrixArcs arcs_of_matrix(Team& team, const MatrixWeights<S>& matrix) {
  ATOLL_ASSERT(matrix.view.rows == matrix.view.cols);
  const ArcTest<S> is_arc(matrix);
  const auto n = static_cast<std::size_t>(matrix.view.rows);
  Array<Edge> offsets(n + 1, 0);
  std::vector<ArcRange> ranges(static_cast<std::size_t>(team.size()));
  team.for_range(n, 16, [&](int thread, std::size_t first, std::size_t last) {
    for (; first < last; ++first)
      ranges[static_cast<std::size_t>(thread)].add(
          summary_of_row(matrix, is_arc, static_cast<std::int64_t>(first), offsets[first + 1]));
  });
  ArcRange all;
  for (const ArcRange& range : ranges) all.add(range);
  if (!all.is_valid) refuse_first_entry(matrix);
  for (std::size_t v = 0; v < n; ++v) offsets[v + 1] += offsets[v];
  if (all.fits_int32 || matrix.weights == ArcWeights::ones)
    return arcs_in<std::int32_t>(team, matrix, is_arc, std::move(offsets));
  if constexpr (std::is_same_v<S, float>) return arcs_in<float>(team, matrix, is_arc, std::move(offsets));
  return arcs_in<double>(team, matrix, is_arc, std::move(offsets));
}

template MatrixArcs arcs_of_matrix(Team&, const MatrixWeights<float>&);
template MatrixArcs arcs_of_matrix(Team&, const MatrixWeights<double>&);
template MatrixArcs arcs_of_matrix(Team&, const MatrixWeights<std::int32_t>&);
template MatrixArcs arcs_of_matrix(Team&, const MatrixWeights<std::int64_t>&);

}  // namespace atl
