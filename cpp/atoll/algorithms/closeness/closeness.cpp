// SPDX-License-Identifier: Apache-2.0
// Closeness and harmonic centrality from searches of many sources at once. The forms:
//
//   ranks     form
//   one       kernel.cpp: each thread takes batches of sources of its own, as long as that takes little memory
//   any       batch.cpp: all ranks and threads search from one batch
#include <algorithm>
#include <atoll/algorithms/closeness/batch.hpp>
#include <atoll/algorithms/closeness/closeness.hpp>
#include <atoll/algorithms/closeness/kernel.hpp>
#include <atoll/algorithms/closeness/source_order.hpp>
#include <atomic>
#include <limits>
#include <variant>

namespace atl {
namespace {

constexpr std::size_t kResultGrain = 4096;

// The words of a batch that a number of sources fills.
int words_for(std::size_t sources) { return sources <= 64 ? 1 : sources <= 256 ? 4 : 8; }

// Calls f(std::integral_constant<int, words>).
template <class F>
void with_words(int words, F&& f) {
  if (words == 1) return f(std::integral_constant<int, 1>());
  if (words == 4) return f(std::integral_constant<int, 4>());
  f(std::integral_constant<int, 8>());
}

}  // namespace

class Closeness::Searches {
 public:
  explicit Searches(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        taken_(index(graph.owned())),
        sums_(index(graph.owned())),
        most_words_(world_.max(GraphView::of(graph, CutRows::sources).locals) <= std::numeric_limits<Local>::max() / 8
                        ? 8
                        : 1) {}

  void run(const ClosenessOptions& options, ClosenessResult& result);
  std::size_t memory_bytes() const;

 private:
  template <template <int> class Form>
  using OfWords = std::variant<std::monostate, Form<1>, Form<4>, Form<8>>;
  template <int kWords>
  using Kernels = std::vector<std::unique_ptr<ClosenessKernel<kWords>>>;
  template <int kWords>
  using Batch = std::unique_ptr<ClosenessBatch<kWords>>;

  void take(const ClosenessOptions& options);
  int words_of_kernels(std::size_t sources) const;
  template <int kWords>
  void search_by_kernels(const std::vector<Local>& sources, const Progress& progress);
  template <int kWords>
  void search_together(const std::vector<Local>& sources, const Progress& progress);
  void finish(ClosenessResult& result) const;

  const Graph& graph_;
  World& world_;
  Team& team_;
  VertexBits taken_;          // [local master] it is a source
  Vertex sources_ = 0;        // on all ranks
  Array<DistanceSums> sums_;  // [local master]
  const int most_words_;      // words of all local vertices have Local positions, on all ranks
  OfWords<Kernels> kernels_;
  OfWords<Batch> batch_;
};

void Closeness::Searches::take(const ClosenessOptions& options) {
  taken_.clear();
  if (!options.sources) {
    for (Local v = 0; v < graph_.owned(); ++v) taken_.set_unsynchronized(index(v));
    sources_ = graph_.vertices();
    return;
  }
  Vertex named = 0, distinct = 0;
  for (const Vertex id : *options.sources) {
    const Vertex k = graph_.ids().find_here(id);
    if (k < 0) continue;
    ++named;
    distinct += taken_.set(index(graph_.local_of(k)));
  }
  if (world_.sum(named) != static_cast<Vertex>(options.sources->size()))
    for (const Vertex id : *options.sources) graph_.find(id);  // throws
  sources_ = world_.sum(distinct);
}

// 0: kernels would take too much memory, or there are ranks to search with.
int Closeness::Searches::words_of_kernels(std::size_t sources) const {
  if (world_.size() > 1) return 0;
  const auto threads = static_cast<std::size_t>(team_.size());
  const std::size_t most = (std::size_t{256} << 20) + 4 * graph_.memory_bytes();
  for (int words = words_for((sources + threads - 1) / threads); words > 0; words = words == 8   ? 4
                                                                                    : words == 4 ? 1
                                                                                                 : 0) {
    std::size_t bytes = 0;
    with_words(words, [&](auto k) { bytes = threads * ClosenessKernel<k()>::memory_bytes(graph_); });
    if (bytes <= most) return words;
  }
  return 0;
}

void Closeness::Searches::run(const ClosenessOptions& options, ClosenessResult& result) {
  take(options);
  std::fill(sums_.begin(), sums_.end(), DistanceSums{});
  VertexBits wanted(index(graph_.active()));
  std::size_t searched = 0;
  for (Local v = 0; v < graph_.active(); ++v)
    if (taken_.test(index(v)) && graph_.out().degree(v) > 0) {
      wanted.set_unsynchronized(index(v));
      ++searched;
    }
  const int words = words_of_kernels(searched);
  const int together = words > 0 ? words : std::min(most_words_, words_for(world_.sum(searched)));
  const std::vector<Local> sources = order_sources(graph_, wanted, 64 * static_cast<std::size_t>(together));
  with_words(together, [&](auto k) {
    words > 0 ? search_by_kernels<k()>(sources, options.progress) : search_together<k()>(sources, options.progress);
  });
  finish(result);
}

template <int kWords>
void Closeness::Searches::search_by_kernels(const std::vector<Local>& sources, const Progress& progress) {
  if (!std::holds_alternative<Kernels<kWords>>(kernels_))
    kernels_ = Kernels<kWords>(static_cast<std::size_t>(team_.size()));
  auto& kernels = std::get<Kernels<kWords>>(kernels_);
  const std::size_t threads = kernels.size(), most = 64 * kWords, n = sources.size();
  std::size_t batches = (n + most - 1) / most;
  if (batches < 4 * threads) batches = (batches + threads - 1) / threads * threads;  // so that none is idle at the end
  std::atomic<std::size_t> done{0};
  for (auto& kernel : kernels)
    if (kernel) kernel->clear();
  team_.for_range(batches, 1, [&](int thread, std::size_t i, std::size_t) {
    auto& kernel = kernels[static_cast<std::size_t>(thread)];
    if (!kernel) {
      kernel = std::make_unique<ClosenessKernel<kWords>>(graph_);
      kernel->clear();
    }
    const std::size_t begin = n * i / batches, end = n * (i + 1) / batches;
    kernel->add(std::span(sources).subspan(begin, end - begin));
    const std::size_t all_done = done.fetch_add(end - begin) + end - begin;
    if (thread == 0) report_progress(progress, static_cast<std::int64_t>(all_done), static_cast<std::int64_t>(n));
  });
  report_progress(progress, static_cast<std::int64_t>(n), static_cast<std::int64_t>(n));
  team_.for_range(index(graph_.active()), kResultGrain, [&](int, std::size_t a, std::size_t b) {
    for (const auto& kernel : kernels)
      for (std::size_t v = a; kernel && v < b; ++v) sums_[v].add(kernel->sums()[v]);
  });
}

// Positions of sources count over all ranks. They are divided into as many parts as there are ranks, or words, and a
// batch takes some from each part: these are near each other, and all ranks begin with some.
template <int kWords>
void Closeness::Searches::search_together(const std::vector<Local>& sources, const Progress& progress) {
  using SearchBatch = ClosenessBatch<kWords>;
  if (!std::holds_alternative<Batch<kWords>>(batch_)) batch_ = std::make_unique<SearchBatch>(graph_);
  SearchBatch& batch = *std::get<Batch<kWords>>(batch_);
  batch.clear();
  const auto here = world_.all_gather(sources.size());
  std::size_t first = 0, all = 0;  // position of the first source of this rank
  for (std::size_t r = 0; r < here.size(); ++r) {
    if (r == static_cast<std::size_t>(world_.rank())) first = all;
    all += here[r];
  }
  std::size_t parts = 1;
  while (2 * parts <= std::min<std::size_t>(kWords, here.size())) parts *= 2;
  const std::size_t part = (all + parts - 1) / parts, taken = 64 * kWords / parts;
  std::vector<typename SearchBatch::Source> mine;
  for (std::size_t begin = 0; begin < part; begin += taken) {
    mine.clear();
    typename SearchBatch::Bits bits;
    for (std::size_t p = 0; p < parts; ++p)
      for (std::size_t i = 0; i < std::min(taken, part - begin); ++i) {
        const std::size_t position = p * part + begin + i, bit = p * taken + i;
        if (position >= all) break;
        bits.word[bit / 64] |= std::uint64_t{1} << (bit % 64);
        if (position >= first && position - first < sources.size())
          mine.push_back({.master = sources[position - first], .bit = bit});
      }
    batch.add(mine, bits);
    report_progress(progress, static_cast<std::int64_t>(std::min(part, begin + taken) * all / part),
                    static_cast<std::int64_t>(all));
  }
  for (std::size_t v = 0; v < sums_.size(); ++v) sums_[v] = batch.sums()[v];
}

void Closeness::Searches::finish(ClosenessResult& result) const {
  const auto owned = index(graph_.owned());
  for (Array<double>* values : {&result.closeness, &result.harmonic})
    if (values->size() != owned) *values = Array<double>(owned);
  for (Array<Vertex>* values : {&result.farness, &result.reached})
    if (values->size() != owned) *values = Array<Vertex>(owned);
  result.sources = sources_;
  const auto others_of_all = static_cast<double>(graph_.vertices() - 1);
  team_.for_range(owned, kResultGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t k = a; k < b; ++k) {
      const Local v = graph_.local_of(static_cast<Vertex>(k));
      const DistanceSums& sums = sums_[v];
      const auto others = static_cast<double>(sources_ - (taken_.test(index(v)) ? 1 : 0));
      const auto reached = static_cast<double>(sums.reached);
      const bool none = sums.reached == 0;
      result.reached[k] = sums.reached;
      result.farness[k] = sums.farness;
      result.closeness[k] = none ? 0 : reached / static_cast<double>(sums.farness) * (reached / others);
      result.harmonic[k] = none ? 0 : sums.harmonic_sum() * (others_of_all / others);
    }
  });
}

std::size_t Closeness::Searches::memory_bytes() const {
  std::size_t bytes = taken_.words() * sizeof(std::uint64_t) + sums_.size() * sizeof(DistanceSums);
  std::visit(
      [&](const auto& form) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(form)>, std::monostate>)
          for (const auto& kernel : form) bytes += kernel ? kernel->memory_bytes() : 0;
      },
      kernels_);
  std::visit(
      [&](const auto& form) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(form)>, std::monostate>)
          bytes += form ? form->memory_bytes() : 0;
      },
      batch_);
  return bytes;
}

Closeness::Closeness(const Graph& graph) : searches_(std::make_unique<Searches>(graph)) {}
Closeness::~Closeness() = default;
void Closeness::run(const ClosenessOptions& options, ClosenessResult& result) { searches_->run(options, result); }
std::size_t Closeness::memory_bytes() const { return searches_->memory_bytes(); }

}  // namespace atl
