// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/remote_updates.hpp>
#include <atoll/runtime/routes/route.hpp>

namespace atl {
namespace {

// Targets of a delegate's row that are claimed at a time.
constexpr std::size_t kRowPiece = 4096;

constexpr MailboxOptions kHandling{.handling = Handling::parallel, .handler_sends = false};

}  // namespace

template <class Id>
RemoteUpdates<Id>::RemoteUpdates(const TraversalView<Id>& view, const BfsOptions& options,
                                 const BfsKernels<Id>& kernels, BfsState<Id>& state)
    : view_(view),
      kernels_(kernels),
      state_(state),
      agrees_apart_(options.direction != Direction::push || view.mirrors_have_rows()) {
  const Graph& graph = view.graph();
  World& world = view.world();
  if (world.route().is_direct()) {
    direct_.emplace(world, of_records<Visit>(Receive{this}), kHandling);
    if (atl::may_exchange_small_levels(graph, options)) {
      pending_.resize(static_cast<std::size_t>(world.size()));
      const std::vector<std::size_t> one_each(pending_.size(), 1);
      // Small levels fit the least capacity; by the queue any level is to fit one message.
      std::size_t most_mirrors = 0;
      for (std::size_t owner = 0; owner < pending_.size(); ++owner)
        most_mirrors = std::max(most_mirrors, static_cast<std::size_t>(view.count(owner)));
      const std::size_t bytes = exchanges_every_push() ? world.max(most_mirrors) * sizeof(Visit) : 0;
      part_capacity_ = NeighborAlltoallv::capacity_for(world, bytes * static_cast<std::size_t>(world.team().size()));
      alltoallv_.emplace(world, part_capacity_, one_each, one_each);
    }
  } else {
    owner_local_ = world.exchange(view.known());
    estimate_.emplace(view);
    forwarded_.emplace(world, of_records<ForwardedVisit>(ReceiveForwarded{this}, Merge{VertexOf{}, KeepFirst{}}),
                       kHandling);
  }
  if (options.fission == kNoFission || world.size() == 1) return;
  delegates_.emplace(graph, options.fission == kUsualFission ? Delegates::usual_degree(graph) : options.fission);
  for (int t = 0; t < world.team().size(); ++t) claimed_.emplace_back(kRowPiece + 16);
}

template <class Id>
void RemoteUpdates<Id>::expect(const BfsLevel& frontier) {
  if (forwarded_)
    forwarded_->expect(
        {.records = estimate_->records(frontier), .keys = estimate_->mean_active(), .agrees_apart = agrees_apart_});
}

template <class Id>
bool RemoteUpdates<Id>::expect_any() {
  Exchange least{.keys = estimate_->mean_active(), .agrees_apart = agrees_apart_}, most = least;
  most.records = estimate_->most();
  return forwarded_->expect_between(least, most);
}

// At most one for each mirror; which of them a frontier reaches is not known.
template <class Id>
void RemoteUpdates<Id>::expect_pulled() {
  if (forwarded_) forwarded_->expect({.records = estimate_->most(), .keys = estimate_->mean_active()});
}

template <class Id>
void RemoteUpdates<Id>::drain() {
  if (forwarded_) {
    forwarded_->drain();
  } else {
    direct_->drain();
  }
}

template <class Id>
BfsTotals RemoteUpdates<Id>::drain(const BfsTotals& mine) {
  const DrainSums sums =
      forwarded_->drain({{mine.level.vertices, mine.level.edges, mine.level.records, mine.loops_outside}});
  return {{.vertices = sums.values[0], .edges = sums.values[1], .records = sums.values[2]}, sums.values[3]};
}

template <class Id>
BfsLevel RemoteUpdates<Id>::exchange_small_level(const BfsLevel& mine) {
  std::atomic<Vertex> vertices{mine.vertices};
  std::atomic<Edge> edges{mine.edges};
  for (const auto& visits : pending_) view_.world().thread_state().counters.records += visits.size();
  alltoallv_->exchange(
      [&](int, NeighborAlltoallv::Writer& writer, Rank to, std::size_t) { write_part(writer, to, mine); },
      [&](Rank from, std::span<const std::byte> part) {
        while (!part.empty()) {
          PartHeader head;
          std::memcpy(&head, part.data(), sizeof head);
          vertices += head.vertices;
          edges += head.edges;
          receive(from, {reinterpret_cast<const Visit*>(part.data() + sizeof head), head.visits});
          part = part.subspan(sizeof head + head.visits * sizeof(Visit));
        }
      });
  return {.vertices = vertices, .edges = edges};
}

// Writes as many parts as the visits need; the header of the first has this rank's level.
template <class Id>
void RemoteUpdates<Id>::write_part(NeighborAlltoallv::Writer& writer, Rank to, const BfsLevel& mine) {
  const std::size_t most = (part_capacity_ - sizeof(PartHeader)) / sizeof(Visit);
  PartHeader head{mine.vertices, mine.edges, 0};
  const auto write = [&](std::span<const Visit> visits) {
    head.visits = static_cast<std::uint32_t>(visits.size());
    const std::size_t bytes = sizeof head + visits.size_bytes();
    std::byte* const into = writer.reserve(bytes);
    std::memcpy(into, &head, sizeof head);
    if (!visits.empty()) std::memcpy(into + sizeof head, visits.data(), visits.size_bytes());
    writer.commit(bytes);
    head = {};
  };
  auto& visits = pending_[to];
  std::size_t at = 0;
  do {
    const std::size_t n = std::min(most, visits.size() - at);
    write(std::span<const Visit>(visits).subspan(at, n));
    at += n;
  } while (at < visits.size());
  visits.clear();
}

template <class Id>
void RemoteUpdates<Id>::note_outcome() {
  if (forwarded_) forwarded_->note_outcome();
}

// Sends to the delegate on the rank that owns the mirror; returns the range of that rank's mirrors.
template <class Id>
std::pair<Local, Local> RemoteUpdates<Id>::send_to_delegate(std::span<const Delegates::Delegate> delegates,
                                                            Local mirror, Id id) {
  const std::size_t owner = view_.owner_of(mirror);
  const auto delegate = std::lower_bound(delegates.begin(), delegates.end(), static_cast<Rank>(owner),
                                         [](const Delegates::Delegate& p, Rank r) { return p.rank < r; });
  if (forwarded_) {
    forwarded_->send(delegate->rank, {-1 - static_cast<Local>(delegate->row), id});
  } else {
    direct_->send(delegate->rank, {kDelegateBit | delegate->row, id});
  }
  const Local begin = view_.begin(owner);
  return {begin, begin + view_.count(owner)};
}

template <class Id>
void RemoteUpdates<Id>::receive(Rank from, std::span<const Visit> records) {
  Thread& thread = state_.mine();
  const auto& known = view_.known()[from];
  for (const Visit& visit : records) {
    if (visit.mirror & kDelegateBit) {
      push_row(thread, visit.mirror ^ kDelegateBit, visit.parent);
    } else {
      claim_vertex(thread, known[visit.mirror], visit.parent);
    }
  }
}

template <class Id>
void RemoteUpdates<Id>::receive_forwarded(std::span<const ForwardedVisit> records) {
  Thread& thread = state_.mine();
  for (const ForwardedVisit& visit : records) {
    if (visit.vertex < 0) {
      push_row(thread, static_cast<std::uint32_t>(-1 - visit.vertex), visit.parent);
    } else {
      claim_vertex(thread, visit.vertex, visit.parent);
    }
  }
}

template <class Id>
void RemoteUpdates<Id>::claim_vertex(Thread& thread, Local v, Id parent) {
  Local claimed[17];
  if (kernels_.claim(state_.visited(), &v, 1, claimed)) state_.reach(thread, v, parent);
}

// Pushes along the edges from the row's vertex to masters of this rank.
template <class Id>
void RemoteUpdates<Id>::push_row(Thread& thread, std::uint32_t row, Id parent) {
  const auto targets = delegates_->targets(row);
  const Local mirror = delegates_->mirror(row);
  Array<Local>& claimed = claimed_[Team::this_thread()];
  kernels_.claim(state_.visited(), &mirror, 1, claimed.data());  // so that no vertex here sends a record to its owner
  for (std::size_t at = 0; at < targets.size(); at += kRowPiece) {
    const std::size_t n = std::min(kRowPiece, targets.size() - at);
    const std::size_t count = kernels_.claim(state_.visited(), targets.data() + at, n, claimed.data());
    for (std::size_t i = 0; i < count; ++i) state_.reach(thread, claimed[i], parent);
  }
}

template class RemoteUpdates<std::uint32_t>;
template class RemoteUpdates<Vertex>;

}  // namespace atl
