// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/gnn/softmax.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/spmm/forecast.hpp>
#include <atoll/spmm/row_order.hpp>
#include <atoll/spmm/spmm_product.hpp>
#include <memory>
#include <optional>
#include <span>
#include <variant>
#include <vector>

/// A graph convolutional network [1] trained over all vertices at once (full batch) on the distributed SpMM [2, section
/// 6.6]: labels for the vertices of a graph from features of vertices and the labels of some.
///
///     Gcn<float> gcn(graph, features, classes, {.widths = {16}});     // collective; plans the products once
///     gcn.set_features(std::move(x));                                 // collective; own vertices x features
///     gcn.set_targets({labels, roles});                               // collective; of own vertices
///     for (int epoch = 0; epoch < 200; ++epoch) loss = gcn.train();   // collective
///     gcn.scores()[VertexRole::test].accuracy;   // collective
///
/// Layer l of L has widths f_l -> f_(l+1), f_0 features and f_L classes:
///
///     Z_l = A (drop(H_l) W_l) + b_l,   H_(l+1) = relu(Z_l),   A = D^-1/2 (A' + I) D^-1/2
///
/// H_0 are the features, drop() keeps a value with probability 1 - dropout and divides it by that, A' is the graph's
/// matrix with an edge from j to i in row i (with its weight, or 1) and D has the sums of the rows of A' + I. Training
/// minimises the mean of the cross entropy of softmax(Z_(L-1)) over training vertices, and weight_decay / 2 |W_0|^2, by
/// Adam [3]. Only the first layer's weights decay, as in [1]; biases never do.
///
/// A product of a layer is A (H W) or (A H) W, whichever has fewer columns to fetch. In the first layer (A H) W needs
/// no product in the way back; where nothing is dropped A H is computed once. Sparse features stay sparse.
///
/// Inside, vertices have the order of GcnOptions::order; what goes in and comes out is in the graph's.
///
/// The same options and graph give the same curve on any number of ranks but for the rounding of sums, bit for bit for
/// any number of threads where the order is (all are but Rabbit's, see new_numbers()): draws depend on seed, epoch,
/// layer, the vertex's original id and the column, and gradients are summed over ranks in their order.
///
/// On a virtual clock an epoch takes the time of the Machine's device: each dense product, activation, softmax and step
/// of Adam that of its roofline, as products with A do (DistributedSpmm).
///
/// Memory on a rank with n vertices: A and its plan (twice for a directed graph), the features, for each layer n rows
/// of its input (and of A H), and four times the weights.
///
/// [1] T. Kipf, M. Welling. "Semi-supervised classification with graph convolutional networks." ICLR 2017.
/// [2] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
/// on GPUs." ICS 2025.
/// [3] D. Kingma, J. Ba. "Adam: A method for stochastic optimization." ICLR 2015.
namespace atl {

struct GcnOptions {
  std::vector<std::int64_t> widths = {16};  ///< of the hidden layers, from the features on; empty: one layer
  double dropout = 0.5;                     ///< in [0, 1); of each layer's input
  double learning_rate = 0.01;
  double weight_decay = 5e-4;
  bool decay_all_layers = false;  ///< weights of all layers, not of the first alone
  std::uint64_t seed = 1;         ///< of the first weights and of what is dropped
  std::string strategy = "auto";  ///< of the products: a SpmmStrategy's name, or auto (choose_spmm_strategy())
  std::string order = "auto";     ///< of the vertices inside: one of row_order_names() (choose_row_order())
};

/// Features of this rank's vertices in owned order: a row a vertex, a column a feature.
template <class T>
using VertexFeatures = std::variant<Matrix<T>, SparseMatrix<T>>;

template <class T>
class Gcn {
 public:
  /// At least one feature and class. The graph is read here only; its World must outlive this. Collective; every rank throws InputError for options
  /// out of range.
  Gcn(const Graph& graph, std::int64_t features, std::int64_t classes, const GcnOptions& options);
  Gcn(const Gcn&) = delete;
  Gcn& operator=(const Gcn&) = delete;

  /// Collective; every rank throws InputError where a shape is wrong or a value is not finite.
  void set_features(VertexFeatures<T>&& features);
  /// Collective; every rank throws InputError where a label is no class, a vertex with a role has none, or no vertex is
  /// for training.
  void set_targets(VertexTargets targets);

  /// One epoch: gradients(), then a step of Adam. The loss before the step, over the training vertices, with what the
  /// epoch drops and without the decay. Collective.
  double train();
  /// The loss, and in gradients() its derivatives by parameters(), without the decay. Collective.
  double find_gradients();

  /// Outputs Z of the last layer for the own vertices, all features kept: own rows x classes. A view until the next
  /// call. Collective.
  MatrixView<const T> predict();
  /// Scores by role of what predict() gives. Collective.
  std::array<Scores, kRoles> scores();

  /// W_0 (by rows), b_0, W_1, ...: the same on all ranks, and to be kept so.
  std::span<T> parameters() { return parameters_; }
  std::span<const T> gradients() const { return gradients_; }
  /// Adam's means of gradients and of their squares.
  std::span<T> first_moments() { return first_moments_; }
  std::span<T> second_moments() { return second_moments_; }
  /// Epochs trained; set where parameters and moments are those of another run's.
  std::int64_t epoch() const { return epoch_; }
  void set_epoch(std::int64_t epoch) { epoch_ = epoch; }

  std::int64_t features() const { return layers_.front().in; }
  std::int64_t classes() const { return layers_.back().out; }
  std::int64_t rows() const { return order_.order ? order_.order->old_rows() : rows_; }  ///< own vertices
  const GcnOptions& options() const { return options_; }
  /// The strategy of products with A, and why it was chosen.
  const SpmmChoice& strategy() const { return choice_; }
  /// The order of the vertices inside, why it was chosen, and its cost.
  const RowOrderChoice& order() const { return order_; }
  /// A hash of the graph's degrees, the features and the targets that does not depend on the ranks. Collective.
  std::uint64_t fingerprint();
  /// This rank's seconds in products with A so far.
  double spmm_seconds() const { return spmm_seconds_; }
  std::size_t memory_bytes() const;

 private:
  struct Layer {
    std::int64_t in, out;
    std::size_t weights, bias;  // where they begin among the parameters
    bool aggregates_first = false;
    Matrix<T> input = {};       // drop(H); of the first layer only where its features are dense and dropped
    Matrix<T> aggregated = {};  // A drop(H), where that comes first
  };
  // A sparse matrix of features and its transpose, with the values of an epoch.
  struct SparseFeatures;
  enum class Mode : bool { training, inference };
  // A in the order of the vertices inside, and A^T of a directed graph.
  struct Matrices {
    RowOrderChoice order;
    MatrixRows<T> rows;
    std::optional<MatrixRows<T>> transposed;
    Matrices(const Graph& graph, const GcnOptions& options);
  };
  Gcn(const Graph& graph, std::int64_t features, std::int64_t classes, const GcnOptions& options, Matrices&& matrices);

  void make_parameters();
  void forward(Mode mode);
  void backward();
  MatrixView<const T> dropped_features(Mode mode);
  void drop_sparse();
  void rectify(MatrixView<const T> z, const Layer& layer, std::size_t next, Mode mode);
  void multiply_weights(const Layer& layer, MatrixView<const T> x, MatrixView<T> y);
  void aggregate(MatrixView<const T> b, MatrixView<T> c, bool backwards);
  void compute(double flops, double values);
  void compute_product(const Layer& layer);
  void compute_sparse_product();
  double values_of(std::int64_t columns) const { return static_cast<double>(rows_) * static_cast<double>(columns); }
  void sum_gradients();
  void step();
  MatrixView<T> scratch(Matrix<T>& matrix, std::int64_t columns) { return matrix.view().part(0, 0, rows_, columns); }
  MatrixView<T> weights_of(const Layer& layer) {
    return {parameters_.data() + layer.weights, layer.in, layer.out, layer.out};
  }

  World& world_;
  const GcnOptions options_;
  RowOrderChoice order_;
  const std::int64_t rows_;        // of this rank, inside
  const std::vector<Vertex> ids_;  // [own row] original ids
  SpmmChoice choice_;
  SpmmProduct<T> aggregate_;
  std::optional<SpmmProduct<T>> aggregate_back_;  // by A^T, of a directed graph
  std::vector<Layer> layers_;
  std::vector<T> parameters_, gradients_, first_moments_, second_moments_;
  std::int64_t epoch_ = 0;
  Matrix<T> dense_;                         // the features, where they are dense
  std::shared_ptr<SparseFeatures> sparse_;  // or these
  bool has_features_ = false, aggregated_once_ = false;
  VertexTargets targets_;
  std::int64_t training_vertices_ = 0;  // over all ranks
  Matrix<T> outputs_, first_, second_;  // Z of the last layer; as wide as the widest product
  Matrix<T> given_outputs_;             // in the graph's order, where that is another
  double spmm_seconds_ = 0;
  std::uint64_t graph_hash_ = 0, features_hash_ = 0, targets_hash_ = 0;  // sums over own vertices
};

}  // namespace atl
