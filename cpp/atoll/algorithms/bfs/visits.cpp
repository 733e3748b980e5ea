// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/visits.hpp>

namespace atl {
namespace {

// Targets of a sibling's row that are claimed at a time.
constexpr std::size_t kRowPiece = 4096;

constexpr MailboxOptions kHandling{.handling = Handling::parallel, .handler_sends = false};

}  // namespace

template <class Id>
BfsVisits<Id>::BfsVisits(const Graph& graph, const BfsOptions& options, const std::vector<std::vector<Local>>& known,
                         const BfsKernels<Id>& kernels, BfsState<Id>& state)
    : graph_(graph), known_(known), kernels_(kernels), state_(state) {
  World& world = graph.world();
  if (world.route().is_direct()) {
    direct_.emplace(world, of_records<Visit>(Receive{this}), kHandling);
    if (atl::may_post(graph, options)) {
      posted_.resize(static_cast<std::size_t>(world.size()));
      const std::vector<std::size_t> one_each(posted_.size(), 1);
      posts_.emplace(world, post_room_ = NeighborAlltoallv::room_for(world, 0), one_each,
                     one_each);  // levels are narrow
    }
  } else {
    named_ = world.exchange(known);
    claims_.emplace(graph);
    passing_.emplace(world, of_records<Passing>(Arrive{this}, Merge{VertexOf{}, KeepFirst{}}), kHandling);
  }
  if (options.fission == kNoFission || world.size() == 1) return;
  siblings_.emplace(graph, options.fission == kUsualFission ? Delegates::usual_degree(graph) : options.fission);
  for (int t = 0; t < world.team().size(); ++t) claimed_.emplace_back(kRowPiece + 16);
}

template <class Id>
void BfsVisits<Id>::expect(const BfsLevel& frontier) {
  if (passing_) passing_->expect({.records = claims_->records(frontier), .keys = claims_->mean_active()});
}

template <class Id>
void BfsVisits<Id>::drain() {
  if (passing_) {
    passing_->drain();
  } else {
    direct_->drain();
  }
}

template <class Id>
BfsLevel BfsVisits<Id>::post(const BfsLevel& mine) {
  std::atomic<Vertex> vertices{mine.vertices};
  std::atomic<Edge> edges{mine.edges};
  for (const auto& visits : posted_) graph_.world().thread_state().counters.records += visits.size();
  posts_->exchange([&](int, NeighborAlltoallv::Writer& pen, Rank to, std::size_t) { write_post(pen, to, mine); },
                   [&](Rank from, std::span<const std::byte> part) {
                     while (!part.empty()) {
                       PostHead head;
                       std::memcpy(&head, part.data(), sizeof head);
                       vertices += head.vertices;
                       edges += head.edges;
                       receive(from, {reinterpret_cast<const Visit*>(part.data() + sizeof head), head.visits});
                       part = part.subspan(sizeof head + head.visits * sizeof(Visit));
                     }
                   });
  return {.vertices = vertices, .edges = edges};
}

// In as many rooms as it takes; the first says what this rank brings along.
template <class Id>
void BfsVisits<Id>::write_post(NeighborAlltoallv::Writer& pen, Rank to, const BfsLevel& mine) {
  const std::size_t most = (post_room_ - sizeof(PostHead)) / sizeof(Visit);
  PostHead head{mine.vertices, mine.edges, 0};
  const auto write = [&](std::span<const Visit> visits) {
    head.visits = static_cast<std::uint32_t>(visits.size());
    const std::size_t bytes = sizeof head + visits.size_bytes();
    std::byte* const into = pen.room(bytes);
    std::memcpy(into, &head, sizeof head);
    if (!visits.empty()) std::memcpy(into + sizeof head, visits.data(), visits.size_bytes());
    pen.wrote(bytes);
    head = {};
  };
  auto& visits = posted_[static_cast<std::size_t>(to)];
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(most, visits.size() - at);
    write(std::span<const Visit>(visits).subspan(at, n));
    at += n;
  } while (at < visits.size());
  visits.clear();
}

template <class Id>
void BfsVisits<Id>::note_outcome() {
  if (passing_) passing_->note_outcome();
}

// Tells the sibling on the rank that owns the mirror; returns from where to where that rank's mirrors lie.
template <class Id>
std::pair<Local, Local> BfsVisits<Id>::tell_sibling(std::span<const Delegates::Place> places, Local mirror, Id id) {
  const std::size_t owner = owner_of(mirror);
  const auto place = std::lower_bound(places.begin(), places.end(), static_cast<Rank>(owner),
                                      [](const Delegates::Place& p, Rank r) { return p.rank < r; });
  if (passing_) {
    passing_->send(place->rank, {-1 - static_cast<Local>(place->row), id});
  } else {
    direct_->send(place->rank, {kSiblingBit | place->row, id});
  }
  const Local begin = graph_.mirrors().begin[owner];
  return {begin, begin + graph_.mirrors().count[owner]};
}

template <class Id>
void BfsVisits<Id>::receive(Rank from, std::span<const Visit> records) {
  Thread& thread = state_.mine();
  const auto& known = known_[static_cast<std::size_t>(from)];
  for (const Visit& visit : records) {
    if (visit.mirror & kSiblingBit) {
      push_row(thread, visit.mirror ^ kSiblingBit, visit.parent);
    } else {
      take(thread, known[visit.mirror], visit.parent);
    }
  }
}

template <class Id>
void BfsVisits<Id>::arrive(std::span<const Passing> records) {
  Thread& thread = state_.mine();
  for (const Passing& visit : records) {
    if (visit.vertex < 0) {
      push_row(thread, static_cast<std::uint32_t>(-1 - visit.vertex), visit.parent);
    } else {
      take(thread, visit.vertex, visit.parent);
    }
  }
}

template <class Id>
void BfsVisits<Id>::take(Thread& thread, Local v, Id parent) {
  Local claimed[17];
  if (kernels_.claim(state_.visited(), &v, 1, claimed)) state_.reach(thread, v, parent);
}

// What the owner of the row's vertex would have sent along each of its edges to this rank.
template <class Id>
void BfsVisits<Id>::push_row(Thread& thread, std::uint32_t row, Id parent) {
  const auto targets = siblings_->targets(row);
  const Local mirror = siblings_->mirror(row);
  Array<Local>& claimed = claimed_[static_cast<std::size_t>(Team::this_thread())];
  kernels_.claim(state_.visited(), &mirror, 1, claimed.data());  // nobody here need tell its owner
  for (std::size_t at = 0; at < targets.size(); at += kRowPiece) {
    const std::size_t n = std::min(kRowPiece, targets.size() - at);
    const std::size_t count = kernels_.claim(state_.visited(), targets.data() + at, n, claimed.data());
    for (std::size_t i = 0; i < count; ++i) state_.reach(thread, claimed[i], parent);
  }
}

template class BfsVisits<std::uint32_t>;
template class BfsVisits<Vertex>;

}  // namespace atl
