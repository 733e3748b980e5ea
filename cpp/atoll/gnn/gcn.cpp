// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/gnn/dense/products.hpp>
#include <atoll/gnn/gcn.hpp>
#include <atoll/gnn/sparse_features.hpp>
#include <bit>
#include <cmath>

namespace atl {
namespace {

std::vector<Vertex> own_ids(const Graph& graph) {
  std::vector<Vertex> ids(static_cast<std::size_t>(graph.owned()));
  for (std::size_t i = 0; i < ids.size(); ++i) ids[i] = graph.ids().id_of(static_cast<Vertex>(i));
  return ids;
}

constexpr AdjacencyOptions kNormalised{EdgeValues::gcn, Diagonal::add};
constexpr const char* kNoFeatures = "GCN: there are no features yet (outputs are computed from them). Set them first.";

template <class T>
std::uint64_t hash_of(Vertex id, std::int64_t column, T value) {
  const auto bits = std::bit_cast<std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>>(value);
  return random_at(random_at(static_cast<std::uint64_t>(id), static_cast<std::uint64_t>(column)), bits);
}

// Sums values that are not 0, so that dense and sparse features with the same values have the same.
template <class T>
std::uint64_t hash_of(const VertexFeatures<T>& features, const std::vector<Vertex>& ids) {
  std::uint64_t sum = 0;
  const auto add = [&](std::size_t i, std::int64_t j, T x) { sum += x != T{0} ? hash_of(ids[i], j, x) : 0; };
  if (const auto* dense = std::get_if<Matrix<T>>(&features)) {
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::int64_t j = 0; j < dense->cols(); ++j) add(i, j, (*dense)(static_cast<std::int64_t>(i), j));
    return sum;
  }
  const auto& sparse = std::get<1>(features);
  for (std::size_t i = 0; i < ids.size(); ++i)
    for (auto e = static_cast<std::size_t>(sparse.offsets[i]); e < static_cast<std::size_t>(sparse.offsets[i + 1]); ++e)
      add(i, sparse.column_indices[e], sparse.values.empty() ? T{1} : sparse.values[e]);
  return sum;
}

// Each rank adds its slice of all ranks' values, in the order of ranks, and tells the others.
template <class T>
void sum_over_ranks(World& world, std::span<T> values) {
  if (world.size() == 1) return;
  const Blocks slices = Blocks::even(static_cast<Vertex>(values.size()), world.size());
  std::vector<std::vector<T>> outgoing(static_cast<std::size_t>(world.size()));
  for (Rank r = 0; r < world.size(); ++r)
    outgoing[r].assign(values.begin() + slices.begin(r), values.begin() + slices.end(r));
  const auto incoming = world.exchange(std::move(outgoing));
  std::vector<T> sums = incoming[0];
  for (std::size_t r = 1; r < incoming.size(); ++r)
    for (std::size_t i = 0; i < sums.size(); ++i) sums[i] += incoming[r][i];
  std::ranges::copy(world.all_gather_varying(std::span<const T>(sums)), values.begin());
}

// Returns the width of the products by which the strategy is chosen.
std::int64_t widest(const GcnOptions& options) { return options.widths.empty() ? 1 : std::ranges::max(options.widths); }

template <class T>
SpmmProduct<T> product_of(World& world, MatrixRows<T>&& rows, const GcnOptions& options, SpmmChoice& choice) {
  choice = choose_spmm_strategy(world, rows, widest(options), options.strategy);
  return SpmmProduct<T>(world, std::move(rows), choice.strategy);
}

}  // namespace

template <class T>
Gcn<T>::Matrices::Matrices(const Graph& graph, const GcnOptions& options) : rows(rows_of<T>(graph, kNormalised)) {
  order = choose_row_order(graph.world(), rows, widest(options), options.order, options.strategy);
  if (graph.directed()) transposed = atl::transposed(graph.world(), rows);
}

template <class T>
Gcn<T>::Gcn(const Graph& graph, std::int64_t features, std::int64_t classes, const GcnOptions& options)
    : Gcn(graph, features, classes, options, Matrices(graph, options)) {}

template <class T>
Gcn<T>::Gcn(const Graph& graph, std::int64_t features, std::int64_t classes, const GcnOptions& options,
            Matrices&& matrices)
    : world_(graph.world()),
      options_(options),
      order_(std::move(matrices.order)),
      rows_(matrices.rows.rows()),
      ids_(order_.order ? order_.order->to_new(std::span<const Vertex>(own_ids(graph))) : own_ids(graph)),
      choice_{},
      aggregate_(product_of(world_, std::move(matrices.rows), options, choice_)) {
  const auto widest_width = std::int64_t{1} << 24;
  world_.collective_try([&] {
    check(features > 0 && classes > 0,
          "GCN: {} features and {} classes (at least one of each is needed). Correct the input.", features, classes);
    for (const std::int64_t width : options_.widths)
      check(width > 0 && width <= widest_width, "GCN: a layer of width {} (1 to {} are possible). Correct the widths.",
            width, widest_width);
    check(options_.dropout >= 0 && options_.dropout < 1,
          "GCN: dropout is {} (a part of the values must stay). Give at least 0 and less than 1.", options_.dropout);
    check(options_.learning_rate > 0 && std::isfinite(options_.learning_rate),
          "GCN: the learning rate is {} (steps must go downhill). Give a positive one.", options_.learning_rate);
    check(options_.weight_decay >= 0 && std::isfinite(options_.weight_decay),
          "GCN: the weight decay is {} (weights would grow). Give 0 or more.", options_.weight_decay);
  });
  if (matrices.transposed) aggregate_back_.emplace(world_, std::move(*matrices.transposed), choice_.strategy);
  std::vector<std::int64_t> widths{features};
  widths.insert(widths.end(), options_.widths.begin(), options_.widths.end());
  widths.push_back(classes);
  std::size_t at = 0;
  std::int64_t most = 0;  // columns
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    Layer layer{.in = widths[l], .out = widths[l + 1], .weights = at, .bias = 0};
    at += static_cast<std::size_t>(layer.in * layer.out);
    layer.bias = at;
    at += static_cast<std::size_t>(layer.out);
    if (l > 0) {
      layer.aggregates_first = layer.in < layer.out;
      layer.input = Matrix<T>(rows_, layer.in);
      if (layer.aggregates_first) layer.aggregated = Matrix<T>(rows_, layer.in);
      most = std::max(most, layer.in);
    }
    most = std::max(most, layer.out);
    layers_.push_back(std::move(layer));
  }
  parameters_.resize(at);
  gradients_.resize(at);
  first_moments_.assign(at, T{0});
  second_moments_.assign(at, T{0});
  outputs_ = Matrix<T>(rows_, classes);
  if (order_.order) given_outputs_ = Matrix<T>(rows(), classes);
  first_ = Matrix<T>(rows_, most);
  second_ = Matrix<T>(rows_, most);
  make_parameters();
  for (Vertex i = 0; i < graph.owned(); ++i)
    graph_hash_ += hash_of(graph.ids().id_of(i), 0, static_cast<double>(graph.in().degree(graph.local_of(i))));
}

// Glorot and Bengio's uniform distribution for weights, 0 for biases.
template <class T>
void Gcn<T>::make_parameters() {
  std::ranges::fill(parameters_, T{0});
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Layer& layer = layers_[l];
    const std::uint64_t stream = random_at(random_at(options_.seed, 0), l);
    const double limit = std::sqrt(6.0 / static_cast<double>(layer.in + layer.out));
    for (std::size_t i = 0; i < layer.bias - layer.weights; ++i) {
      const double unit = static_cast<double>(random_at(stream, i) >> 11) * 0x1p-53;
      parameters_[layer.weights + i] = static_cast<T>(limit * (2 * unit - 1));
    }
  }
}

template <class T>
void Gcn<T>::set_features(VertexFeatures<T>&& features) {
  const bool dense = std::holds_alternative<Matrix<T>>(features);
  world_.agree(world_.all(dense) || !world_.any(dense),
               "GCN: some ranks give dense features, others sparse ones (layers are computed alike on all ranks). Give "
               "one kind.");
  world_.collective_try([&] {
    const auto [rows, columns] = dense ? std::pair(std::get<0>(features).rows(), std::get<0>(features).cols())
                                       : std::pair(std::get<1>(features).rows, std::get<1>(features).columns);
    check(rows == this->rows() && columns == layers_[0].in,
          "GCN: rank {} has features of {} x {} ({} x {} are needed: a row for each of its vertices). Pass a matrix of "
          "that shape.",
          world_.rank(), rows, columns, this->rows(), layers_[0].in);
    if (!dense) check_sparse(std::get<1>(features).view(), "the features");
  });
  const auto finite = [](std::span<const T> values) {
    return std::ranges::all_of(values, [](T x) { return std::isfinite(x); });
  };
  bool fine = true;
  if (dense) {
    const MatrixView<const T> x = std::as_const(std::get<0>(features)).view();
    for (std::int64_t i = 0; i < x.rows && fine; ++i) fine = finite(x.row(i));
  } else {
    const Array<T>& values = std::get<1>(features).values;
    fine = finite({values.data(), values.size()});
  }
  world_.agree(fine,
               fmt::format("GCN: a feature of rank {} is not finite (sums with it would not be either). Replace it.",
                           world_.rank()));
  if (order_.order && dense) {
    Matrix<T> moved(rows_, layers_[0].in);
    order_.order->to_new(std::as_const(std::get<0>(features)).view(), moved.view());
    features = std::move(moved);
  } else if (order_.order) {
    features = order_.order->to_new(std::get<1>(features));
  }
  features_hash_ = hash_of(features, ids_);
  Layer& layer = layers_[0];
  const bool drops = Dropout::drops(options_.dropout);
  dense_ = {};
  sparse_.reset();
  layer.input = {};
  layer.aggregated = {};
  aggregated_once_ = false;
  layer.aggregates_first = dense && (!drops || layer.in < 2 * layer.out);
  if (!dense) {
    sparse_ = std::make_shared<SparseFeatures>(world_.team(), std::move(std::get<1>(features)));
  } else {
    dense_ = std::move(std::get<0>(features));
    if (drops) layer.input = Matrix<T>(rows_, layer.in);
    if (layer.aggregates_first) layer.aggregated = Matrix<T>(rows_, layer.in);
    if (!drops) {
      aggregate(std::as_const(dense_).view(), layer.aggregated.view(), false);
      aggregated_once_ = true;
      dense_ = {};
    }
  }
  has_features_ = true;
}

template <class T>
void Gcn<T>::set_targets(VertexTargets targets) {
  const auto classes = static_cast<std::int32_t>(layers_.back().out);
  std::int64_t mine = 0;
  world_.agree(
      static_cast<std::int64_t>(targets.labels.size()) == rows() && targets.roles.size() == targets.labels.size(),
      fmt::format("GCN: rank {} has labels of {} vertices and roles of {} ({} vertices are its own). Pass one of each "
                  "for each.",
                  world_.rank(), targets.labels.size(), targets.roles.size(), rows()));
  if (order_.order) {
    targets.labels = order_.order->to_new(std::span<const std::int32_t>(targets.labels));
    targets.roles = order_.order->to_new(std::span<const VertexRole>(targets.roles));
  }
  world_.collective_try([&] {
    for (std::size_t i = 0; i < targets.labels.size(); ++i) {
      const std::int32_t label = targets.labels[i];
      check(label >= -1 && label < classes,
            "GCN: the label of vertex {} is {} (there are {} classes, from 0; -1 is none). Correct it.", ids_[i], label,
            classes);
      check(label >= 0 || targets.roles[i] == VertexRole::none,
            "GCN: vertex {} has no label (it is for training, validation or test). Take it out, or label it.", ids_[i]);
      mine += targets.roles[i] == VertexRole::train;
    }
  });
  training_vertices_ = world_.sum(mine);
  world_.agree(training_vertices_ > 0, "GCN: no vertex is for training (nothing can be learned). Name some.");
  targets_ = std::move(targets);
  targets_hash_ = 0;
  for (std::size_t i = 0; i < ids_.size(); ++i)
    targets_hash_ +=
        hash_of(ids_[i], static_cast<std::int64_t>(targets_.roles[i]), static_cast<double>(targets_.labels[i]));
}

template <class T>
std::uint64_t Gcn<T>::fingerprint() {
  return world_.sum(graph_hash_ + 3 * features_hash_ + 5 * targets_hash_);
}

template <class T>
double Gcn<T>::find_gradients() {
  world_.agree(has_features_ && training_vertices_ > 0,
               "GCN: there are no features or targets yet (training needs both). Set them first.");
  forward(Mode::training);
  const double loss =
      scores_of<T>(world_, std::as_const(outputs_).view(), targets_)[static_cast<std::size_t>(VertexRole::train)].loss;
  replace_by_gradient<T>(world_.team(), outputs_.view(), targets_, training_vertices_);
  // Softmax reads an output twice for the loss and once for the gradient, which is written: five operations each time.
  compute(15 * values_of(classes()), 4 * values_of(classes()));
  backward();
  sum_over_ranks<T>(world_, gradients_);
  return loss;
}

template <class T>
double Gcn<T>::train() {
  const double loss = find_gradients();
  step();
  return loss;
}

template <class T>
void Gcn<T>::step() {
  constexpr double kMean = 0.9, kSquare = 0.999, kEpsilon = 1e-8;  // as in [3]
  const auto parameters = static_cast<double>(parameters_.size());
  compute(13 * parameters, 7 * parameters);  // four values are read and three written
  ++epoch_;
  const auto t = static_cast<double>(epoch_);
  const double rate = options_.learning_rate / (1 - std::pow(kMean, t)), square = 1 / (1 - std::pow(kSquare, t));
  for (const Layer& layer : layers_)
    for (std::size_t i = layer.weights; i < layer.bias + static_cast<std::size_t>(layer.out); ++i) {
      const bool decays = i < layer.bias && (layer.weights == 0 || options_.decay_all_layers);
      double g = static_cast<double>(gradients_[i]);
      if (decays) g += options_.weight_decay * static_cast<double>(parameters_[i]);
      const double m = kMean * static_cast<double>(first_moments_[i]) + (1 - kMean) * g,
                   v = kSquare * static_cast<double>(second_moments_[i]) + (1 - kSquare) * g * g;
      first_moments_[i] = static_cast<T>(m);
      second_moments_[i] = static_cast<T>(v);
      parameters_[i] -= static_cast<T>(rate * m / (std::sqrt(v * square) + kEpsilon));
    }
}

template <class T>
MatrixView<const T> Gcn<T>::predict() {
  world_.agree(has_features_, kNoFeatures);
  forward(Mode::inference);
  if (!order_.order) return std::as_const(outputs_).view();
  order_.order->to_old(std::as_const(outputs_).view(), given_outputs_.view());
  return std::as_const(given_outputs_).view();
}

template <class T>
std::array<Scores, kRoles> Gcn<T>::scores() {
  world_.agree(training_vertices_ > 0, "GCN: there are no targets yet (scores compare with them). Set them first.");
  world_.agree(has_features_, kNoFeatures);
  forward(Mode::inference);
  return scores_of<T>(world_, std::as_const(outputs_).view(), targets_);
}

template <class T>
std::size_t Gcn<T>::memory_bytes() const {
  std::size_t bytes = aggregate_.memory_bytes() + ids_.size() * sizeof(Vertex) + 4 * parameters_.size() * sizeof(T) +
                      dense_.memory_bytes() + outputs_.memory_bytes() + given_outputs_.memory_bytes() +
                      first_.memory_bytes() + second_.memory_bytes() + targets_.labels.size() * sizeof(std::int32_t) +
                      targets_.roles.size();
  if (aggregate_back_) bytes += aggregate_back_->memory_bytes();
  if (sparse_) bytes += sparse_->memory_bytes();
  if (order_.order) bytes += order_.order->memory_bytes();
  for (const Layer& layer : layers_) bytes += layer.input.memory_bytes() + layer.aggregated.memory_bytes();
  return bytes;
}

template class Gcn<float>;
template class Gcn<double>;

}  // namespace atl
