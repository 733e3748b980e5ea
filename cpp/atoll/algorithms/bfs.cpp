// SPDX-License-Identifier: Apache-2.0
// Direction-optimising breadth-first search [1] over ranks: one level at a time, from the frontier outwards (push) while
// it is small, from the unvisited vertices back (pull) while it is large.
//
//   in the paper            here               meaning
//   frontier, next          queue_ / frontier_ the last level's vertices, as a list or as bits
//   parents                 parent_            original ids of the parents, by local number of the masters
//   top-down-step           push()             claim the neighbours of the frontier; another rank's go to it as records
//   bottom-up-step          pull()             look for a parent in the frontier's bits
//   m_f, m_u                frontier_edges,    edges of the frontier; edges that no frontier has had yet
//                           fresh_edges
//   alpha                   BfsOptions::alpha
//
// Deviations: the way back from pull to push compares costs (a vertex of the frontier against an unvisited one) instead
// of the paper's n / beta, which returned too early on Kronecker graphs. Over ranks, mirrors have bits like masters: a
// pull step needs one exchange of bits before it and no messages while it runs.
//
// [1] S. Beamer, K. Asanovic, D. Patterson. "Direction-optimizing breadth-first search." SC 2012.
#include <algorithm>
#include <atoll/algorithms/bfs.hpp>
#include <atoll/algorithms/bfs_local.hpp>
#include <atoll/graph/siblings.hpp>
#include <atoll/runtime/mailbox.hpp>
#include <bit>
#include <cmath>
#include <optional>

namespace atl {
namespace {

// Edges of a vertex that one thread takes at a time; longer lists are shared out.
constexpr Edge kPiece = 4096;
// Below this much work waking the team costs more than it brings (a region is about a microsecond).
constexpr Edge kAloneEdges = 4096;
constexpr std::size_t kAloneVertices = 256;
// Frontier vertices and bitmap words that a thread takes at a time.
constexpr std::size_t kQueueGrain = 64, kWordGrain = 32, kStreamGrain = 512;
// Measured: a vertex of the frontier costs a push about as much as two unvisited ones cost a pull, and a round of
// pulling with its conversion as much as 250 vertices.
constexpr Vertex kPullRound = 250;

std::size_t words_of(Local vertices) { return (static_cast<std::size_t>(vertices) + 63) / 64; }

// What a level found, on one rank and then on all.
struct Level {
  Vertex vertices = 0;
  Edge edges = 0;      // out-edges of those vertices
  Vertex records = 0;  // sent to find them
  Level& operator+=(const Level& other) {
    vertices += other.vertices;
    edges += other.edges;
    records += other.records;
    return *this;
  }
};

}  // namespace

class Bfs::Search {
 public:
  virtual ~Search() = default;
  virtual void run(Vertex source, BfsResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class Id>
class Bfs::Typed final : public Search {
 public:
  Typed(const Graph& graph, const BfsOptions& options)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        options_(options),
        ids_(std::get<Array<Id>>(graph.id_column())),
        kernels_(bfs_kernels<Id>(chosen_isa())),
        heads_(team_, graph, graph.in(), ids_),
        natural_(team_, graph),
        words_(words_of(graph.active())),
        visited_(words_of(graph.locals()) + 1),
        frontier_(visited_.size(), 0),
        next_(visited_.size(), 0),
        parent_(words_ * 64 + 16),
        queue_(static_cast<std::size_t>(graph.active()) + 1),
        next_queue_(static_cast<std::size_t>(graph.active()) + 1),
        big_(static_cast<std::size_t>(graph.active()) + 1),
        threads_(static_cast<std::size_t>(team_.size())),
        visits_(world_, of_records<Visit>(Receive{this}), {.handling = Handling::parallel, .handler_sends = false}) {
    if (options.depths == Depths::yes) depth_ = Array<Local>(static_cast<std::size_t>(graph.active()) + 1);
    // Vertices are sorted by degree within the hubs, where they are: those whose lists are shared out stand in front.
    while (big_end_ < graph.hubs() && graph.out().degree(big_end_) > kPiece) ++big_end_;
    const auto ranks = static_cast<std::size_t>(world_.size());
    known_.resize(ranks);
    packed_.resize(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      const Array<std::uint64_t>& bits = graph.mirrors().known_by[r];
      for (std::size_t w = 0; w < bits.size(); ++w)
        for (std::uint64_t b = bits[w]; b; b &= b - 1)
          known_[r].push_back(static_cast<Local>(w * 64) + std::countr_zero(b));
      packed_[r].resize(words_of(static_cast<Local>(known_[r].size())) + 1);
    }
    if (!world_.route().is_direct()) {
      // Who forwards records of many senders must see which of them mean the same vertex: the owner's own number.
      named_ = world_.exchange(known_);
      passing_.emplace(world_, of_records<Passing>(Arrive{this}, Merge{VertexOf{}, KeepFirst{}}),
                       MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
      std::vector<Edge> begins;
      for (const Local begin : graph.mirrors().begin) begins.push_back(begin / 64);
      begins.resize(ranks);
      places_ = world_.exchange_lengths(begins);
      Vertex words = 0;
      for (const auto& known : known_) words += static_cast<Vertex>(words_of(static_cast<Local>(known.size())));
      all_words_ = static_cast<double>(world_.sum(words));
      words_of_bits_.emplace(world_, of_records<Word>(Put{this}),
                             MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
    }
    if (options.fission != kNoFission && world_.size() > 1) {
      siblings_.emplace(graph, options.fission == kUsualFission ? Siblings::usual_degree(graph) : options.fission);
      for (Thread& t : threads_) t.rows_claimed = Array<Local>(kPiece + 16);
    }
    all_edges_ = world_.sum(graph.out().size());
    if (!graph.directed() && 2 * graph.edges() > all_edges_) find_loops();
    all_active_ = world_.sum(static_cast<Vertex>(graph.active()));
    if (passing_) count_mirrors();
  }

  void run(Vertex source, BfsResult& result) override {
    const auto [owner, natural] = graph_.find(source);
    start();
    Level frontier = enter(source, owner, natural);
    Edge fresh_edges = all_edges_;
    Vertex unvisited = all_active_ - frontier.vertices;
    result.reached = 1;
    result.levels = 1;
    result.pulls = 0;
    result.rounds.clear();
    RankTimer timer(world_);
    double waited = world_.waited_seconds();
    bool pulling = false;
    for (level_ = 1; frontier.vertices > 0; ++level_) {
      const bool pull_now = choose(pulling, frontier, fresh_edges, unvisited);
      fresh_edges -= frontier.edges;
      if (pull_now && !pulling) queue_to_bits(frontier.vertices);
      if (!pull_now && pulling) bits_to_queue();
      pulling = pull_now;
      if (!pulling) expect(frontier);
      frontier = pulling ? pull() : push();
      note_claims(frontier, unvisited);
      unvisited -= frontier.vertices;
      result.reached += frontier.vertices;
      result.levels += frontier.vertices > 0;
      result.pulls += pulling;
      const double waited_now = world_.waited_seconds();
      result.rounds.push_back({frontier.vertices, pulling, timer.lap(), waited_now - waited});
      waited = waited_now;
    }
    finish(source, owner, natural, result);
  }

  // What expect() goes by.
  void count_mirrors() {
    Edge edges = 0;
    for (Local v = 0; v < graph_.active(); ++v) {
      const auto list = graph_.out().neighbours(v);
      edges += list.end() - std::lower_bound(list.begin(), list.end(), graph_.active());
    }
    Vertex mirrors = 0;
    for (const Local count : graph_.mirrors().count) mirrors += count;
    all_mirrors_ = static_cast<double>(world_.sum(mirrors));
    mirror_edges_ = static_cast<double>(world_.sum(edges)) / static_cast<double>(std::max<Edge>(1, all_edges_));
    mean_active_ = static_cast<double>(all_active_) / static_cast<double>(world_.sum(Vertex{1}));
  }

  std::size_t memory_bytes() const override {
    return heads_.memory_bytes() + natural_.memory_bytes() + 3 * visited_.size() * 8 + parent_.size() * sizeof(Id) +
           (queue_.size() + next_queue_.size() + big_.size() + depth_.size()) * sizeof(Local) +
           (siblings_ ? siblings_->memory_bytes() : 0);
  }

 private:
  // "Vertex k of those that I mirror of you": the owner looks up which that is. With kSiblingBit: "my sibling in your row
  // k is in the frontier".
  static constexpr std::uint32_t kSiblingBit = std::uint32_t{1} << 31;
  struct [[gnu::packed]] Visit {
    std::uint32_t mirror;
    Id parent;
  };
  struct Receive {
    Typed* search;
    void operator()(Rank from, std::span<const Visit> visits) { search->receive(from, visits); }
  };
  // The same where records have several hops: "your local vertex"; -1 - k for the sibling in row k.
  struct [[gnu::packed]] Passing {
    Local vertex;
    Id parent;
  };
  struct Arrive {
    Typed* search;
    void operator()(std::span<const Passing> visits) { search->arrive(visits); }
  };
  struct VertexOf {
    std::uint32_t operator()(const Passing& p) const { return static_cast<std::uint32_t>(p.vertex); }
  };
  // A word of the frontier's bits, at its place among the receiver's mirrors.
  struct [[gnu::packed]] Word {
    std::uint32_t place;
    std::uint64_t bits;
  };
  struct Put {
    Typed* search;
    void operator()(std::span<const Word> words) {
      for (const Word& w : words) search->frontier_[w.place] = w.bits;
    }
  };
  struct KeepFirst {
    void operator()(Passing&, const Passing&) const {}  // any parent on the level before will do
  };
  struct alignas(128) Thread {
    Level found;
    std::size_t pending = 0;
    Local claimed[kPiece + 16];
    Local fresh[1024];          // claimed masters on their way into next_queue_
    Array<Local> rows_claimed;  // a handler's: it may run while `claimed` is being sent
  };

  Thread& mine() { return threads_[static_cast<std::size_t>(Team::this_thread())]; }

  bool choose(bool pulling, const Level& frontier, Edge fresh_edges, Vertex unvisited) const {
    if (options_.direction != Direction::automatic) return options_.direction == Direction::pull;
    if (pulling) return 2 * frontier.vertices > 2 * kPullRound + unvisited;
    return static_cast<double>(frontier.edges) * options_.alpha > static_cast<double>(fresh_edges);
  }

  void start() {
    team_.run([&](int thread) {
      const auto [a, b] = team_.share(thread, visited_.size());
      std::fill(visited_.begin() + a, visited_.begin() + b, 0);
      threads_[static_cast<std::size_t>(thread)].found = {};
    });
    // Bits behind the last active vertex belong to nobody: visited, so that no pull looks at them.
    if (const auto tail = static_cast<std::size_t>(graph_.active()) % 64; tail > 0)
      visited_[words_ - 1] = ~std::uint64_t{0} << tail;
    unclaimed_ = all_mirrors_;
    queue_size_ = 0;
    next_size_.store(0, std::memory_order_relaxed);
  }

  Level enter(Vertex source, Rank owner, Vertex natural) {
    Level first;
    if (owner == world_.rank()) {
      const Local v = graph_.local_of(natural);
      first.vertices = 1;
      if (v < graph_.active()) {
        first.edges = graph_.out().degree(v);
        const auto at = static_cast<std::size_t>(v);
        visited_[at / 64] |= std::uint64_t{1} << (at % 64);
        parent_[at] = static_cast<Id>(source);
        if (!depth_.empty()) depth_[at] = 0;
        queue_[queue_size_++] = v;
      }
    }
    return together(first);
  }

  Level together(const Level& mine) {
    return world_.fold(mine, [](Level a, const Level& b) { return a += b; });
  }

  // ---- push ---------------------------------------------------------------------------------------------------------

  // Tells the mailbox how many records the frontier will send: one for each mirror that one of its edges is the first to
  // reach, as if edges fell on mirrors at random.
  void expect(const Level& frontier) {
    if (!passing_) return;
    const double edges = static_cast<double>(frontier.edges) * mirror_edges_;
    const double records = unclaimed_ > 0 ? -unclaimed_ * std::expm1(-edges / unclaimed_) : 0;
    passing_->expect({.records = records, .keys = mean_active_});
  }

  void note_claims(const Level& found, Vertex unvisited) {
    unclaimed_ -= static_cast<double>(found.records);
    if (found.records == 0 && unvisited > 0)  // pulled: the mirrors of what was found are known by bits
      unclaimed_ *= 1 - static_cast<double>(found.vertices) / static_cast<double>(unvisited);
  }

  Level push() {
    if (options_.degree_order)
      std::sort(queue_.begin(), queue_.begin() + queue_size_,
                [&](Local a, Local b) { return graph_.out().degree(a) > graph_.out().degree(b); });
    Edge edges = 0;
    for (std::size_t i = 0; i < queue_size_ && edges <= kAloneEdges; ++i) edges += graph_.out().degree(queue_[i]);
    if (edges <= kAloneEdges && queue_size_ <= kAloneVertices) {
      for (std::size_t i = 0; i < queue_size_; ++i) push_from(queue_[i]);
    } else {
      push_with_team();
    }
    if (passing_) {
      passing_->drain();
    } else {
      visits_.drain();
    }
    Level found;
    for (Thread& t : threads_) {
      pass_on(t);
      found += std::exchange(t.found, {});
    }
    queue_.swap(next_queue_);
    queue_size_ = next_size_.exchange(0, std::memory_order_relaxed);
    found = together(found);
    if (passing_) passing_->note_outcome();
    return found;
  }

  void push_with_team() {
    std::atomic<std::size_t> next{0}, bigs{0}, pieces{0};
    team_.run([&](int) {
      constexpr std::size_t kAheadOffsets = 24, kAheadLists = 12;
      for (std::size_t a; (a = next.fetch_add(kQueueGrain, std::memory_order_relaxed)) < queue_size_;) {
        for (std::size_t i = a; i < std::min(queue_size_, a + kQueueGrain); ++i) {
          if (i + kAheadOffsets < queue_size_)
            __builtin_prefetch(&graph_.out().offsets[static_cast<std::size_t>(queue_[i + kAheadOffsets])]);
          if (i + kAheadLists < queue_size_)
            __builtin_prefetch(graph_.out().targets.data() +
                               graph_.out().offsets[static_cast<std::size_t>(queue_[i + kAheadLists])]);
          if (queue_[i] < big_end_) {
            big_[bigs.fetch_add(1, std::memory_order_relaxed)] = queue_[i];
          } else {
            push_from(queue_[i]);
          }
        }
      }
      team_.barrier();
      // Pieces of the long lists, counted through: piece p of vertex k is number first(k) + p.
      const std::size_t count = bigs.load(std::memory_order_relaxed);
      std::size_t first = 0, piece = pieces.fetch_add(1, std::memory_order_relaxed);
      for (std::size_t k = 0; k < count; ++k) {
        const Edge begin = graph_.out().offsets[static_cast<std::size_t>(big_[k])],
                   degree = graph_.out().degree(big_[k]);
        const auto all = static_cast<std::size_t>((degree + kPiece - 1) / kPiece);
        for (; piece < first + all; piece = pieces.fetch_add(1, std::memory_order_relaxed)) {
          const Edge at = static_cast<Edge>(piece - first) * kPiece;
          push_edges(big_[k], begin + at, std::min(kPiece, degree - at));
        }
        first += all;
      }
    });
  }

  void push_from(Local u) {
    const Edge begin = graph_.out().offsets[static_cast<std::size_t>(u)], degree = graph_.out().degree(u);
    for (Edge at = 0; at < degree; at += kPiece) push_edges(u, begin + at, std::min(kPiece, degree - at));
  }

  void push_edges(Local u, Edge begin, Edge n) {
    Thread& t = mine();
    const std::size_t count =
        kernels_.claim(visited_.data(), graph_.out().targets.data() + begin, static_cast<std::size_t>(n), t.claimed);
    const Id id = ids_[static_cast<std::size_t>(u)];
    std::span<const Siblings::Place> places;
    if (siblings_) places = siblings_->of(u);
    std::pair<Local, Local> told{0, 0};  // the mirrors whose owner's sibling has been told last
    for (std::size_t i = 0; i < count; ++i) {
      const Local v = t.claimed[i];
      if (v < graph_.active()) {
        reach(t, v, id);
      } else if (!places.empty()) {
        // Mirrors are grouped by owner: one record for each group with a vertex that is new.
        if (v < told.first || v >= told.second) told = tell_sibling(places, v, id);
      } else {
        // Empty groups begin where the next one does: the last of equal beginnings is the group.
        const auto& begins = graph_.mirrors().begin;
        const auto owner = std::upper_bound(begins.begin(), begins.end(), v) - begins.begin() - 1;
        const auto mirror = static_cast<std::size_t>(v - begins[static_cast<std::size_t>(owner)]);
        ++t.found.records;
        if (passing_) {
          passing_->send(static_cast<Rank>(owner), {named_[static_cast<std::size_t>(owner)][mirror], id});
        } else {
          visits_.send(static_cast<Rank>(owner), {static_cast<std::uint32_t>(mirror), id});
        }
      }
    }
  }

  // Tells the sibling on the rank that owns mirror v; returns from where to where that rank's mirrors lie.
  std::pair<Local, Local> tell_sibling(std::span<const Siblings::Place> places, Local v, Id id) {
    const Mirrors& mirrors = graph_.mirrors();
    const auto owner = std::upper_bound(mirrors.begin.begin(), mirrors.begin.end(), v) - mirrors.begin.begin() - 1;
    const auto place = std::lower_bound(places.begin(), places.end(), static_cast<Rank>(owner),
                                        [](const Siblings::Place& p, Rank r) { return p.rank < r; });
    if (passing_) {
      passing_->send(place->rank, {-1 - static_cast<Local>(place->row), id});
    } else {
      visits_.send(place->rank, {kSiblingBit | place->row, id});
    }
    const Local begin = mirrors.begin[static_cast<std::size_t>(owner)];
    return {begin, begin + mirrors.count[static_cast<std::size_t>(owner)]};
  }

  // What the owner of the row's vertex would have sent along each of its edges to this rank.
  void push_row(Thread& t, std::uint32_t row, Id id) {
    const auto targets = siblings_->targets(row);
    const Local mirror = siblings_->mirror(row);  // visited: nobody here need tell its owner
    kernels_.claim(visited_.data(), &mirror, 1, t.rows_claimed.data());
    for (std::size_t at = 0; at < targets.size(); at += kPiece) {
      const std::size_t n = std::min(static_cast<std::size_t>(kPiece), targets.size() - at);
      const std::size_t count = kernels_.claim(visited_.data(), targets.data() + at, n, t.rows_claimed.data());
      for (std::size_t i = 0; i < count; ++i) reach(t, t.rows_claimed[i], id);
    }
  }

  void receive(Rank from, std::span<const Visit> visits) {
    Thread& t = mine();
    const auto& known = known_[static_cast<std::size_t>(from)];
    for (const Visit& visit : visits) {
      if (visit.mirror & kSiblingBit) {
        push_row(t, visit.mirror ^ kSiblingBit, visit.parent);
        continue;
      }
      const Local v = known[visit.mirror];
      Local claimed[17];
      if (kernels_.claim(visited_.data(), &v, 1, claimed)) reach(t, v, visit.parent);
    }
  }

  void arrive(std::span<const Passing> visits) {
    Thread& t = mine();
    for (const Passing& visit : visits) {
      const Local v = visit.vertex;
      if (v < 0) {
        push_row(t, static_cast<std::uint32_t>(-1 - v), visit.parent);
        continue;
      }
      Local claimed[17];
      if (kernels_.claim(visited_.data(), &v, 1, claimed)) reach(t, v, visit.parent);
    }
  }

  // v's bit was set by this thread: nobody else writes about v.
  void reach(Thread& t, Local v, Id parent) {
    const auto at = static_cast<std::size_t>(v);
    parent_[at] = parent;
    if (!depth_.empty()) depth_[at] = level_;
    ++t.found.vertices;
    t.found.edges += graph_.out().degree(v);
    t.fresh[t.pending++] = v;
    if (t.pending == std::size(t.fresh)) pass_on(t);
  }

  void pass_on(Thread& t) {
    if (t.pending == 0) return;
    const std::size_t at = next_size_.fetch_add(t.pending, std::memory_order_relaxed);
    std::copy_n(t.fresh, t.pending, next_queue_.begin() + at);
    t.pending = 0;
  }

  // ---- pull ---------------------------------------------------------------------------------------------------------

  Level pull() {
    const PullView<Id> view{
        frontier_.data(),           visited_.data(), next_.data(),  &heads_, graph_.in().offsets.data(),
        graph_.in().targets.data(), ids_.data(),     parent_.data()};
    team_.for_range(words_, kWordGrain, [&](int thread, std::size_t a, std::size_t b) {
      threads_[static_cast<std::size_t>(thread)].found.vertices += static_cast<Vertex>(kernels_.pull(view, a, b));
    });
    frontier_.swap(next_);
    if (!depth_.empty()) note_depths();
    Level found;
    for (Thread& t : threads_) found += std::exchange(t.found, {});
    tell_mirrors(all_active_);  // nobody knows yet how many were found
    return together(found);
  }

  void note_depths() {
    team_.for_range(words_, kStreamGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t w = a; w < b; ++w)
        for (std::uint64_t bits = frontier_[w]; bits; bits &= bits - 1)
          depth_[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))] = level_;
    });
  }

  // The frontier's bits, and with them the visited ones, at the other ranks' mirrors of this rank's masters. `vertices` is
  // an upper bound of the frontier on all ranks.
  void tell_mirrors(Vertex vertices) {
    const Rank ranks = world_.size();
    if (ranks == 1) return;
    if (words_of_bits_) {
      send_words(vertices);
    } else {
      exchange_bits();
    }
    const auto first = static_cast<std::size_t>(graph_.mirrors().begin[0]) / 64;
    for (std::size_t w = first; w < visited_.size() - 1; ++w) visited_[w] |= frontier_[w];
  }

  // Each rank's bits for each other one, in one message.
  void exchange_bits() {
    const Rank ranks = world_.size();
    std::vector<std::span<const std::byte>> outgoing(static_cast<std::size_t>(ranks));
    std::vector<std::span<std::byte>> incoming(static_cast<std::size_t>(ranks));
    const Mirrors& mirrors = graph_.mirrors();
    for (std::size_t r = 0; r < outgoing.size(); ++r) {
      if (static_cast<Rank>(r) == world_.rank()) continue;
      if (!known_[r].empty()) {
        kernels_.compress(frontier_.data(), mirrors.known_by[r].data(), words_, packed_[r].data());
        outgoing[r] = std::as_bytes(std::span(packed_[r].data(), words_of(static_cast<Local>(known_[r].size()))));
      }
      incoming[r] =
          std::as_writable_bytes(std::span(frontier_.data() + mirrors.begin[r] / 64, words_of(mirrors.count[r])));
    }
    world_.exchange_bytes(outgoing, incoming);
  }

  // Where records have several hops, so have these bits: as records of a word each, without the words of no bits. Twice
  // the bytes where all have some, but not a message for each pair of ranks.
  void send_words(Vertex vertices) {
    const Mirrors& mirrors = graph_.mirrors();
    const auto first = static_cast<std::size_t>(mirrors.begin[0]) / 64;
    std::fill(frontier_.begin() + first, frontier_.end(), 0);
    const double share = static_cast<double>(vertices) / static_cast<double>(std::max<Vertex>(1, all_active_));
    words_of_bits_->expect({.records = -all_words_ * std::expm1(-64 * share)});
    for (std::size_t r = 0; r < known_.size(); ++r) {
      if (known_[r].empty() || static_cast<Rank>(r) == world_.rank()) continue;
      kernels_.compress(frontier_.data(), mirrors.known_by[r].data(), words_, packed_[r].data());
      for (std::size_t w = 0; w < words_of(static_cast<Local>(known_[r].size())); ++w)
        if (packed_[r][w] != 0)
          words_of_bits_->send(static_cast<Rank>(r),
                               {static_cast<std::uint32_t>(places_[r]) + static_cast<std::uint32_t>(w), packed_[r][w]});
    }
    words_of_bits_->drain();
  }

  void queue_to_bits(Vertex vertices) {
    team_.run([&](int thread) {
      const auto [a, b] = team_.share(thread, frontier_.size());
      std::fill(frontier_.begin() + a, frontier_.begin() + b, 0);
      team_.barrier();
      const auto [first, last] = team_.share(thread, queue_size_);
      for (std::size_t i = first; i < last; ++i) {
        const auto v = static_cast<std::size_t>(queue_[i]);
        std::atomic_ref(frontier_[v / 64]).fetch_or(std::uint64_t{1} << (v % 64), std::memory_order_relaxed);
      }
    });
    tell_mirrors(vertices);
  }

  void bits_to_queue() {
    team_.for_range(words_, kStreamGrain, [&](int thread, std::size_t a, std::size_t b) {
      Thread& t = threads_[static_cast<std::size_t>(thread)];
      for (std::size_t w = a; w < b; ++w)
        for (std::uint64_t bits = frontier_[w]; bits; bits &= bits - 1) {
          t.fresh[t.pending++] = static_cast<Local>(w * 64) + std::countr_zero(bits);
          if (t.pending == std::size(t.fresh)) pass_on(t);
        }
    });
    for (Thread& t : threads_) pass_on(t);
    queue_.swap(next_queue_);
    queue_size_ = next_size_.exchange(0, std::memory_order_relaxed);
  }

  // ---- the result ---------------------------------------------------------------------------------------------------

  void finish(Vertex source, Rank owner, Vertex natural, BfsResult& result) {
    const auto owned = static_cast<std::size_t>(graph_.owned());
    if (result.parent.size() != owned) result.parent = Array<Vertex>(owned);
    const NaturalView<Id> view{&natural_, parent_.data(), result.parent.data(), owned};
    std::atomic<Edge> outside{0};  // edges of the vertices that were not reached: mostly few
    team_.run([&](int thread) {
      const auto [a, b] = team_.share(thread, words_);
      Edge edges = 0;
      for (std::size_t w = a; w < b; ++w)
        for (std::uint64_t bits = ~visited_[w]; bits; bits &= bits - 1) {
          const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          parent_[v] = kNoId<Id>;
          edges += graph_.out().degree(static_cast<Local>(v));
        }
      outside.fetch_add(edges, std::memory_order_relaxed);
      team_.barrier();
      const auto [first, last] = team_.share(thread, (owned + 63) / 64);
      kernels_.to_natural(view, first, last);
    });
    if (owner == world_.rank()) result.parent[static_cast<std::size_t>(natural)] = source;
    if (graph_.directed()) {
      result.edges = all_edges_ - world_.sum(outside.load());
    } else {
      // Each edge is in two lists, but a self-loop in one.
      Edge loops_outside = 0;
      for (const Local v : loops_) loops_outside += !(visited_[static_cast<std::size_t>(v) / 64] >> (v % 64) & 1);
      result.edges = graph_.edges() - world_.sum(outside.load() + loops_outside) / 2;
    }
    if (!depth_.empty()) depths_to_natural(source, owner, natural, result);
  }

  void find_loops() {
    std::vector<std::vector<Local>> found(static_cast<std::size_t>(team_.size()));
    team_.for_range(static_cast<std::size_t>(graph_.active()), kStreamGrain * 8,
                    [&](int thread, std::size_t a, std::size_t b) {
                      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
                        const auto list = graph_.out().neighbours(v);
                        const auto [first, last] = std::equal_range(list.begin(), list.end(), v);
                        found[static_cast<std::size_t>(thread)].insert(found[static_cast<std::size_t>(thread)].end(),
                                                                       static_cast<std::size_t>(last - first), v);
                      }
                    });
    for (const auto& part : found) loops_.insert(loops_.end(), part.begin(), part.end());
  }

  void depths_to_natural(Vertex, Rank owner, Vertex natural, BfsResult& result) {
    const auto owned = static_cast<std::size_t>(graph_.owned());
    if (result.depth.size() != owned) result.depth = Array<Vertex>(owned);
    team_.for_range(owned, kStreamGrain * 8, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        const Local local = graph_.local_of(static_cast<Vertex>(v));
        const auto at = static_cast<std::size_t>(local);
        const bool reached = local < graph_.active() && (visited_[at / 64] >> (at % 64) & 1);
        result.depth[v] = reached ? depth_[at] : kUnreachable;
      }
    });
    if (owner == world_.rank()) result.depth[static_cast<std::size_t>(natural)] = 0;
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const BfsOptions options_;
  const Array<Id>& ids_;
  const BfsKernels<Id> kernels_;
  const HeadColumns<Id> heads_;
  const NaturalOrder natural_;
  const std::size_t words_;                         // of the active masters' bits
  Array<std::uint64_t> visited_, frontier_, next_;  // a bit per local vertex, and a spare word that stays 0
  Array<Id> parent_;
  Array<Local> depth_;
  Array<Local> queue_, next_queue_, big_;
  std::size_t queue_size_ = 0;
  std::atomic<std::size_t> next_size_{0};
  std::vector<Thread> threads_;
  Local big_end_ = 0;
  Local level_ = 0;
  std::vector<std::vector<Local>> known_;           // [rank][k] the k-th of the own masters that it mirrors
  std::vector<std::vector<std::uint64_t>> packed_;  // [rank] their bits, packed
  std::vector<Local> loops_;                        // undirected: the vertex of each self-loop
  double all_mirrors_ = 0, unclaimed_ = 0;          // of all ranks; those that no record has been sent for
  double mirror_edges_ = 0, mean_active_ = 0;  // share of the edges that lead to mirrors; active vertices of a rank
  Edge all_edges_ = 0;
  Vertex all_active_ = 0;
  Mailbox<Visit, Receive> visits_;
  std::optional<Siblings> siblings_;
  std::vector<std::vector<Local>> named_;  // [owner][mirror]: its own number there; empty on the direct route
  std::optional<Mailbox<Passing, Arrive, Merge<VertexOf, KeepFirst>>> passing_;
  std::vector<Edge> places_;  // [rank] the word at which its mirrors of this rank's masters begin there
  double all_words_ = 0;      // of bits that all ranks tell each other
  std::optional<Mailbox<Word, Put>> words_of_bits_;
};

Bfs::Bfs(const Graph& graph, const BfsOptions& options) {
  check(options.alpha > 0, "alpha is {} (a number above 0; 30 is usual). Change it.", options.alpha);
  if (std::holds_alternative<Array<std::uint32_t>>(graph.id_column())) {
    search_ = std::make_unique<Typed<std::uint32_t>>(graph, options);
  } else {
    search_ = std::make_unique<Typed<Vertex>>(graph, options);
  }
}

Bfs::~Bfs() = default;

void Bfs::run(Vertex source, BfsResult& result) { search_->run(source, result); }

std::size_t Bfs::memory_bytes() const { return search_->memory_bytes(); }

BfsResult bfs(const Graph& graph, Vertex source, const BfsOptions& options) {
  BfsResult result;
  Bfs(graph, options).run(source, result);
  return result;
}

}  // namespace atl
