// SPDX-License-Identifier: Apache-2.0
// Label propagation over a vertex-cut. In a round, masters broadcast changed labels to their mirrors. Every rank finds
// the vertices that have a neighbour with a changed label here (reduce, then broadcast of one flag), counts the labels
// of the neighbours that these have here, and sends a record for each label to the master, which adds up and decides. In
// the first round all labels differ, so a master decides by its list in the edge-cut.
#include <algorithm>
#include <atoll/algorithms/label_propagation/vertex_cut.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 256;

GraphView counted_view(const VertexCut& cut, bool directed) {
  // Neighbours count in both directions of a directed edge, so both ends need the other's label.
  return directed ? GraphView::all_of(cut) : GraphView::along_edges(cut);
}

GraphView written_both_ways(GraphView view) {
  view.read = view.written;
  return view;
}

}  // namespace

template <class Id>
VertexCutRounds<Id>::VertexCutRounds(const Graph& graph, double records)
    : PropagationRounds<Id>(graph, graph.vertex_cut(CutRows::targets).locals()),
      cut_(graph.vertex_cut(CutRows::targets)),
      view_(counted_view(cut_, graph.directed())),
      leaving_(graph.directed() ? cut_.transposed(VertexCut::WithWeights::no) : Csr()),
      labels_(view_),
      flags_(written_both_ways(view_)),
      counts_(view_, Receive{this}),
      unaffected_(label_.size()),
      marked_(label_.size()),
      threads_(static_cast<std::size_t>(team_.size())) {
  const double entries =
      static_cast<double>(graph.out().size()) + (graph.directed() ? static_cast<double>(graph.in().size()) : 0);
  slices_ = static_cast<Local>(world_.max(entries) / records) + 1;
}

template <class Id>
void VertexCutRounds<Id>::start() {
  for (std::size_t v = 0; v < index(graph_.owned()); ++v)
    label_[v] = static_cast<Id>(graph_.id_of(static_cast<Local>(v)));
  labels_.broadcast_all({label_.data(), label_.size()});
}

template <class Id>
void VertexCutRounds<Id>::first_round() {
  std::visit(
      [&](const auto& ids) {
        team_.for_range(index(graph_.active()), kGrain, [&](int, std::size_t a, std::size_t b) {
          for (std::size_t v = a; v < b; ++v) {
            const auto out = graph_.out().neighbours(static_cast<Local>(v));
            const auto in =
                graph_.directed() ? graph_.in().neighbours(static_cast<Local>(v)) : std::span<const Local>();
            next_[v] = out.empty() && in.empty() ? label_[v] : static_cast<Id>(most_repeated(out, in, ids.data()));
          }
        });
      },
      graph_.id_column());
}

template <class Id>
void VertexCutRounds<Id>::round(double share) {
  labels_.broadcast({label_.data(), label_.size()}, changed_, share * labels_.mirrors());
  find_affected();
  for (Local slice = 0; slice < slices_; ++slice) {
    send_counts(slice);
    decide(slice);
  }
}

// Marks the vertices of which a neighbour has changed, on all ranks that have edges of them.
template <class Id>
void VertexCutRounds<Id>::find_affected() {
  std::fill(unaffected_.begin(), unaffected_.end(), 1);
  marked_.clear();
  const auto changed = [&](Local u) { return changed_.test(index(u)); };
  team_.for_range(unaffected_.size() / 64, kGrain / 64, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a * 64; v < b * 64; ++v) {
      const auto local = static_cast<Local>(v);
      if (std::ranges::none_of(sources_to(local), changed) && std::ranges::none_of(targets_of(local), changed))
        continue;
      unaffected_[v] = 0;
      marked_.set_unsynchronized(v);
    }
  });
  flags_.reduce({unaffected_.data(), unaffected_.size()}, marked_);
  flags_.broadcast({unaffected_.data(), unaffected_.size()}, marked_);
}

template <class Id>
void VertexCutRounds<Id>::send_counts(Local slice) {
  const std::size_t first = index(cut_.first_mirror());
  team_.for_range(label_.size() - first, kGrain, [&](int thread, std::size_t a, std::size_t b) {
    LabelTable<Id>& counts = threads_[thread].counts;
    auto buffers = counts_.send_buffers();
    for (std::size_t v = first + a; v < first + b; ++v) {
      const auto mirror = static_cast<Local>(v);
      if (!is_affected(v) || counts_.master_of(mirror) % slices_ != slice) continue;
      const auto sources = sources_to(mirror), targets = targets_of(mirror);
      if (sources.empty() && targets.empty()) continue;
      counts.open(sources.size() + targets.size());
      counts.add(sources, label_.data());
      counts.add(targets, label_.data());
      counts.for_each([&](Id label, std::uint32_t count) { buffers.send(mirror, {label, count}); });
    }
  });
  counts_.drain();
}

// Decides the labels of the slice's masters by what is counted here and elsewhere.
template <class Id>
void VertexCutRounds<Id>::decide(Local slice) {
  const std::size_t active = index(graph_.active()), slices = index(slices_);
  const std::size_t masters = active > index(slice) ? (active - index(slice) + slices - 1) / slices : 0;
  begin_.assign(masters + 1, 0);
  for (const Thread& t : threads_)
    for (const Received& r : t.received) ++begin_[index(r.master) / slices + 1];
  for (std::size_t m = 0; m < masters; ++m) begin_[m + 1] += begin_[m];
  grouped_.resize(begin_[masters]);
  std::vector<std::size_t> next(begin_.begin(), begin_.end() - 1);
  for (Thread& t : threads_) {
    for (const Received& r : t.received) grouped_[next[index(r.master) / slices]++] = r.count;
    t.received.clear();
  }
  team_.for_range(masters, kGrain, [&](int thread, std::size_t a, std::size_t b) {
    LabelTable<Id>& counts = threads_[thread].counts;
    for (std::size_t m = a; m < b; ++m) {
      const std::size_t v = m * slices + index(slice);
      next_[v] = label_[v];
      if (!is_affected(v)) continue;
      const auto sources = sources_to(static_cast<Local>(v)), targets = targets_of(static_cast<Local>(v));
      counts.open(sources.size() + targets.size() + begin_[m + 1] - begin_[m]);
      counts.add(sources, label_.data());
      counts.add(targets, label_.data());
      for (std::size_t i = begin_[m]; i < begin_[m + 1]; ++i) counts.add(grouped_[i].label, grouped_[i].count);
      next_[v] = counts.most_frequent();
    }
  });
}

template <class Id>
std::size_t VertexCutRounds<Id>::memory_bytes() const {
  std::size_t bytes = PropagationRounds<Id>::memory_bytes() + leaving_.memory_bytes() + labels_.memory_bytes() +
                      flags_.memory_bytes() + counts_.memory_bytes() + unaffected_.size() +
                      grouped_.capacity() * sizeof(LabelCount) + begin_.capacity() * sizeof(std::size_t);
  for (const Thread& t : threads_) bytes += t.received.capacity() * sizeof(Received);
  return bytes;
}

template class VertexCutRounds<Local>;
template class VertexCutRounds<Vertex>;

}  // namespace atl
