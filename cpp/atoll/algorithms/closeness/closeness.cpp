// SPDX-License-Identifier: Apache-2.0
// Closeness and harmonic centrality from searches of sources. The forms:
//
//   memory                    form
//   each rank can search      thread_searches.hpp: every thread of every rank takes batches of sources of its own
//   else                      batch.cpp: all ranks and threads search from one batch
#include <algorithm>
#include <atoll/algorithms/closeness/batch.hpp>
#include <atoll/algorithms/closeness/closeness.hpp>
#include <atoll/algorithms/closeness/source_order.hpp>
#include <atoll/algorithms/closeness/thread_searches.hpp>
#include <atoll/engine/rows_over_ranks.hpp>
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
  using ByThreads = std::vector<std::unique_ptr<ThreadSearches<kWords>>>;
  template <int kWords>
  using Batch = std::unique_ptr<ClosenessBatch<kWords>>;
  // The lists of all ranks; on one rank the graph's own.
  struct Whole {
    std::optional<RowsOverRanks> rows;
    Csr out, in;
    SearchLists lists;
  };

  void take(const ClosenessOptions& options);
  void make_whole();
  int words_of_threads(std::size_t sources) const;
  VertexBits wanted_of_all(const VertexBits& wanted) const;
  template <int kWords>
  void search_by_threads(const std::vector<Local>& sources, const Progress& progress);
  template <int kWords>
  void search_together(const std::vector<Local>& sources, const Progress& progress);
  void add_sums(const Array<DistanceSums>& sums);
  void finish(ClosenessResult& result) const;

  const Graph& graph_;
  World& world_;
  Team& team_;
  VertexBits taken_;          // [local master] it is a source
  Vertex sources_ = 0;        // on all ranks
  Array<DistanceSums> sums_;  // [local master]
  const int most_words_;      // words of all local vertices have Local positions, on all ranks
  std::unique_ptr<Whole> whole_;
  OfWords<ByThreads> threads_;
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

void Closeness::Searches::make_whole() {
  if (whole_) return;
  auto whole = std::make_unique<Whole>();
  whole->lists = {&graph_.out(), &graph_.in(), index(graph_.active())};
  if (world_.size() > 1) {
    whole->rows.emplace(graph_);
    whole->out = whole->rows->replicate(graph_.out());
    if (graph_.directed()) whole->in = whole->rows->replicate(graph_.in());
    whole->lists = {&whole->out, graph_.directed() ? &whole->in : &whole->out,
                    index(static_cast<Local>(whole->rows->blocks().count()))};
  }
  whole_ = std::move(whole);
}

// 0: that would take too much memory, or leave threads without a source. Over ranks, which may be on one machine, all
// copies of the lists and what searches of them take are together to take no more than a rank may have of a copy.
int Closeness::Searches::words_of_threads(std::size_t sources) const {
  const auto ranks = static_cast<std::size_t>(world_.size()), threads = static_cast<std::size_t>(team_.size());
  const auto vertices = static_cast<std::size_t>(world_.sum(static_cast<Vertex>(graph_.active())));
  const auto edges = static_cast<std::size_t>(world_.sum(graph_.out().size()));
  // Offsets and targets, which are copied once more while they come; sums of all ranks, and those of others.
  const std::size_t directions = graph_.directed() ? 2 : 1;
  const std::size_t lists = ranks == 1 ? 0 : directions * (8 * vertices + 4 * edges) + 4 * edges + 64 * vertices;
  if (ranks > 1 && world_.sum(sources < ranks * threads ? 1 : 0) > 0) return 0;
  const std::size_t most =
      ranks == 1 ? (std::size_t{256} << 20) + 4 * graph_.memory_bytes() : world_.plan().replicated_bytes / ranks;
  int words = words_for((sources + ranks * threads - 1) / (ranks * threads));
  for (; words > 0; words = words == 8 ? 4 : words == 4 ? 1 : 0) {
    std::size_t bytes = 0;
    with_words(words, [&](auto k) { bytes = lists + threads * ThreadSearches<k()>::memory_bytes(vertices); });
    if (bytes <= most) break;
  }
  return world_.min(words);
}

// The same of all rows. Collective.
VertexBits Closeness::Searches::wanted_of_all(const VertexBits& wanted) const {
  std::vector<Local> rows;
  for (Local v = 0; v < graph_.active(); ++v)
    if (wanted.test(index(v))) rows.push_back(whole_->rows->begin() + v);
  VertexBits all(whole_->lists.vertices);
  for (const Local row : world_.all_gather_varying(std::span<const Local>(rows))) all.set_unsynchronized(index(row));
  return all;
}

void Closeness::Searches::run(const ClosenessOptions& options, ClosenessResult& result) {
  take(options);
  std::fill(sums_.begin(), sums_.end(), DistanceSums{});
  VertexBits wanted(index(graph_.active()));
  std::size_t mine = 0;
  for (Local v = 0; v < graph_.active(); ++v)
    if (taken_.test(index(v)) && graph_.out().degree(v) > 0) {
      wanted.set_unsynchronized(index(v));
      ++mine;
    }
  const std::size_t searched = world_.sum(mine);
  if (const int words = words_of_threads(searched); words > 0) {
    make_whole();
    if (world_.size() > 1) wanted = wanted_of_all(wanted);
    const SearchLists& lists = whole_->lists;
    const std::vector<Local> sources =
        order_sources(*lists.out, static_cast<Local>(lists.vertices), wanted, 64 * static_cast<std::size_t>(words));
    with_words(words, [&](auto k) { search_by_threads<k()>(sources, options.progress); });
  } else {
    const int together = std::min(most_words_, words_for(searched));
    const std::vector<Local> sources =
        order_sources(graph_.out(), graph_.active(), wanted, 64 * static_cast<std::size_t>(together));
    with_words(together, [&](auto k) { search_together<k()>(sources, options.progress); });
  }
  finish(result);
}

// Each rank takes one of as many successive batches as there are ranks: these take alike.
template <int kWords>
void Closeness::Searches::search_by_threads(const std::vector<Local>& sources, const Progress& progress) {
  if (!std::holds_alternative<ByThreads<kWords>>(threads_))
    threads_ = ByThreads<kWords>(static_cast<std::size_t>(team_.size()));
  auto& threads = std::get<ByThreads<kWords>>(threads_);
  const std::size_t n = sources.size(), most = 64 * kWords;
  const auto ranks = static_cast<std::size_t>(world_.size()), rank = static_cast<std::size_t>(world_.rank());
  const auto workers = static_cast<std::size_t>(world_.sum(team_.size()));
  std::size_t batches = (n + most - 1) / most;
  // None is idle at the end.
  if (batches < 4 * workers) batches = std::min(n, (batches + workers - 1) / workers * workers);
  const std::size_t here = batches > rank ? (batches - rank - 1) / ranks + 1 : 0;
  std::atomic<std::size_t> done{0};
  for (auto& searches : threads)
    if (searches) searches->clear();
  team_.for_range(here, 1, [&](int thread, std::size_t k, std::size_t) {
    auto& searches = threads[static_cast<std::size_t>(thread)];
    if (!searches) {
      searches = std::make_unique<ThreadSearches<kWords>>(team_, thread, whole_->lists, graph_.directed());
      searches->clear();
    }
    const std::size_t i = k * ranks + rank, begin = n * i / batches, end = n * (i + 1) / batches;
    searches->add(std::span(sources).subspan(begin, end - begin));
    const std::size_t all_done = (done.fetch_add(end - begin) + end - begin) * ranks;
    if (thread == 0)
      report_progress(progress, static_cast<std::int64_t>(std::min(all_done, n)), static_cast<std::int64_t>(n));
  });
  team_.for_range(threads.size(), 1, [&](int, std::size_t k, std::size_t) {
    if (threads[k]) threads[k]->finish();
  });
  report_progress(progress, static_cast<std::int64_t>(n), static_cast<std::int64_t>(n));
  Array<DistanceSums> sums(whole_->lists.vertices);
  team_.for_range(sums.size(), kResultGrain, [&](int, std::size_t a, std::size_t b) {
    std::fill(sums.begin() + a, sums.begin() + b, DistanceSums{});
    for (const auto& searches : threads)
      for (std::size_t v = a; searches && v < b; ++v) sums[v].add(searches->sums()[v]);
  });
  add_sums(sums);
}

// Adds sums of all rows to those of this rank's vertices, from all ranks. Collective.
void Closeness::Searches::add_sums(const Array<DistanceSums>& sums) {
  if (world_.size() == 1) {
    std::ranges::copy(sums, sums_.begin());
    return;
  }
  const Blocks& blocks = whole_->rows->blocks();
  const auto own = index(graph_.active());
  std::vector<std::span<const std::byte>> outgoing;
  std::vector<std::span<std::byte>> incoming;
  Array<DistanceSums> parts(own * static_cast<std::size_t>(world_.size()));
  for (Rank r = 0; r < world_.size(); ++r) {
    outgoing.push_back(std::as_bytes(std::span(sums.data() + blocks.begin(r), index(blocks.size(r)))));
    incoming.push_back(std::as_writable_bytes(std::span(parts.data() + own * static_cast<std::size_t>(r), own)));
  }
  world_.exchange_bytes(outgoing, incoming);
  team_.for_range(own, kResultGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t first = 0; first < parts.size(); first += own)
      for (std::size_t v = a; v < b; ++v) sums_[v].add(parts[first + v]);
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
  if (whole_ && whole_->rows)
    bytes += whole_->rows->memory_bytes() + whole_->out.memory_bytes() + whole_->in.memory_bytes();
  std::visit(
      [&](const auto& form) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(form)>, std::monostate>)
          for (const auto& searches : form) bytes += searches ? searches->memory_bytes() : 0;
      },
      threads_);
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
