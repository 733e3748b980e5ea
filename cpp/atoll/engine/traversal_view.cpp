// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/combine.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/engine/traversal_view.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {

template <class Id>
TraversalView<Id>::TraversalView(const Graph& graph)
    : graph_(graph),
      cut_(graph.vertex_cut_if_any(CutRows::sources)),
      first_mirror_(cut_ ? cut_->first_mirror() : graph.mirrors().begin[0]),
      locals_(cut_ ? cut_->locals() : graph.locals()) {
  if (!cut_) {
    out_ = &graph.out();
    in_ = &graph.in();
    ids_ = &std::get<Array<Id>>(graph.id_column());
    begin_ = graph.mirrors().begin;
    count_ = graph.mirrors().count;
    known_ = known_masters(graph.mirrors());
    return;
  }
  transposed_ = cut_->transposed(VertexCut::WithWeights::no);
  out_ = &cut_->rows();
  in_ = &transposed_;
  for (const VertexCut::Kind kind : {VertexCut::only_read, VertexCut::both, VertexCut::only_written}) {
    const Mirrors& mirrors = cut_->mirrors(kind);
    const auto masters = known_masters(mirrors);
    if (begin_.empty()) {
      begin_ = mirrors.begin;
      count_.resize(begin_.size());
      known_.resize(begin_.size());
    }
    for (std::size_t r = 0; r < begin_.size(); ++r) {
      count_[r] += mirrors.count[r];
      known_[r].insert(known_[r].end(), masters[r].begin(), masters[r].end());
    }
  }
  Array<Vertex> ids(static_cast<std::size_t>(locals_), 0);
  for (Local v = 0; v < graph.owned(); ++v) ids[v] = graph.id_of(v);
  MirrorExchange<Vertex, MinOf>(GraphView::all_of(*cut_)).broadcast_all({ids.data(), ids.size()});
  ids_of_cut_ = Array<Id>(ids.size());
  for (std::size_t v = 0; v < ids.size(); ++v) ids_of_cut_[v] = static_cast<Id>(ids[v]);
  ids_ = &ids_of_cut_;
}

template <class Id>
MirrorBits TraversalView<Id>::mirror_bits() const {
  if (!cut_) return MirrorBits(graph_);
  return MirrorBits(std::make_shared<const HaloPlan>(GraphView::all_of(*cut_)));
}

template <class Id>
std::size_t TraversalView<Id>::memory_bytes() const {
  std::size_t bytes = transposed_.memory_bytes() + ids_of_cut_.size() * sizeof(Id);
  for (const auto& masters : known_) bytes += masters.size() * sizeof(Local);
  return bytes;
}

template class TraversalView<std::uint32_t>;
template class TraversalView<Vertex>;

}  // namespace atl
