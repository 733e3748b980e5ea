// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <atoll/base/json.hpp>
#include <atoll/base/random.hpp>
#include <atoll/gnn/graph_folder.hpp>
#include <atoll/gnn/training.hpp>
#include <cli/cli11.hpp>
#include <cmath>
#include <filesystem>

#include "cli/graph_input.hpp"
#include "cli/verbs.hpp"
#include "spmm_strategy.hpp"

namespace atl::cli {
namespace {

struct GcnRunOptions {
  GraphInput input;
  std::vector<std::int64_t> widths = {16};
  GcnOptions gcn;
  TrainingOptions training;
  std::int64_t features = 16, classes = 16;  // of a graph without any
  int seeds = 1;
  std::string type = "float32", rows = "normalised", checkpoint;
  std::string idle_for_folder, idle_for_graph;  // options given that say nothing about such an input
};

// The first of the options that was given.
std::string first_given(const CLI::App& app, std::initializer_list<const char*> options) {
  for (const char* option : options)
    if (app.count(option) > 0) return option;
  return {};
}

// Random features in [-0.5, 0.5), labels, and a split of a tenth, a tenth and a fifth: for timing.
template <class T>
Matrix<T> random_features(const Graph& graph, std::int64_t columns) {
  Matrix<T> out(graph.owned(), columns);
  for (Local i = 0; i < graph.owned(); ++i)
    for (std::int64_t j = 0; j < columns; ++j)
      out(i, j) = static_cast<T>(random_at(1, static_cast<std::uint64_t>(graph.ids().id_of(i) * columns + j)) >> 40) *
                      T(0x1p-24) -
                  T(0.5);
  return out;
}
VertexTargets random_targets(const Graph& graph, std::int64_t classes) {
  VertexTargets out;
  for (Local i = 0; i < graph.owned(); ++i) {
    const auto id = static_cast<std::uint64_t>(graph.ids().id_of(i)), tenth = random_at(2, id) % 10;
    out.labels.push_back(static_cast<std::int32_t>(random_at(3, id) % static_cast<std::uint64_t>(classes)));
    out.roles.push_back(tenth == 0   ? VertexRole::train
                        : tenth == 1 ? VertexRole::validation
                        : tenth <= 3 ? VertexRole::test
                                     : VertexRole::none);
  }
  return out;
}

double mean(const std::vector<double>& values) {
  double sum = 0;
  for (const double x : values) sum += x;
  return sum / static_cast<double>(values.size());
}
double deviation(const std::vector<double>& values) {
  if (values.size() < 2) return 0;
  double sum = 0;
  for (const double x : values) sum += (x - mean(values)) * (x - mean(values));
  return std::sqrt(sum / static_cast<double>(values.size() - 1));
}
double middle(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

// The results of a run of all seeds.
struct Found {
  std::vector<double> accuracies, losses, validation_accuracies;  // [seed] of test vertices, and of validation
  std::vector<double> seconds, spmm_seconds;                      // [epoch of this run]
  nlohmann::json runs = nlohmann::json::array();
};

template <class T>
void train_seed(World& world, const GcnRunOptions& o, const Graph& graph, GraphFolder* folder, std::uint64_t seed,
                Found& found, Outcome& out) {
  GcnOptions options = o.gcn;
  options.widths = o.widths;
  options.seed = seed;
  const RankTimer preparing(world);
  Gcn<T> gcn(graph, folder ? folder->feature_count() : o.features, folder ? folder->classes() : o.classes, options);
  if (folder) {
    gcn.set_features(
        folder->template features<T>(graph, o.rows == "normalised" ? Rows::normalised : Rows::as_they_are));
    gcn.set_targets(folder->targets(graph));
  } else {
    gcn.set_features(random_features<T>(graph, o.features));
    gcn.set_targets(random_targets(graph, o.classes));
  }
  if (!out.seconds.contains("prepare")) out.seconds["prepare"] = world.max(preparing.seconds());
  TrainingOptions training = o.training;
  if (!o.checkpoint.empty()) training.checkpoint = fmt::format("{}/seed-{}.checkpoint", o.checkpoint, seed);
  TrainingCurve curve = train(world, gcn, training);
  const auto scores = gcn.scores();
  const Scores& test = scores[static_cast<std::size_t>(VertexRole::test)];
  const Scores& validation = scores[static_cast<std::size_t>(VertexRole::validation)];
  found.accuracies.push_back(test.accuracy);
  found.losses.push_back(test.loss);
  found.validation_accuracies.push_back(validation.accuracy);
  found.seconds.insert(found.seconds.end(), curve.seconds.begin(), curve.seconds.end());
  found.spmm_seconds.insert(found.spmm_seconds.end(), curve.spmm_seconds.begin(), curve.spmm_seconds.end());
  found.runs.push_back({{"seed", seed},
                        {"accuracy", test.accuracy},
                        {"resumed_from", curve.resumed_from},
                        {"losses", curve.losses},
                        {"scored_epochs", curve.scored},
                        {"train_accuracies", curve.train_accuracies},
                        {"validation_losses", curve.validation_losses},
                        {"validation_accuracies", curve.validation_accuracies}});
  const std::int64_t vertices[] = {scores[1].vertices, validation.vertices, test.vertices};
  out.result["train_vertices"] = vertices[0];
  out.result["validation_vertices"] = vertices[1];
  out.result["test_vertices"] = vertices[2];
  out.result["features"] = gcn.features();
  out.result["classes"] = gcn.classes();
  out.result["parameters"] = gcn.parameters().size();
  out.result["strategy"] = gcn.strategy().strategy.name;
  out.result["why"] = gcn.strategy().why;
  if (!out.seconds.contains("order")) out.seconds["order"] = gcn.order().seconds;
  out.result["order"] = gcn.order().name;
  out.result["order_why"] = gcn.order().why;
  out.result["memory_bytes"] = world.max(static_cast<std::uint64_t>(gcn.memory_bytes()));
}

template <class T>
Outcome train_all(World& world, const GcnRunOptions& o) {
  Outcome out;
  if (!o.checkpoint.empty())
    world.collective_try([&] {
      std::error_code error;
      if (world.rank() == 0) std::filesystem::create_directory(o.checkpoint, error);
      if (world.rank() == 0 && !std::filesystem::is_directory(o.checkpoint))
        throw IoError(fmt::format("{}: cannot be made ({}). Check the path and the permissions of its folder.",
                                  o.checkpoint, error ? error.message() : "a file has that name"));
    });
  std::optional<GraphFolder> folder;
  if (GraphFolder::is_one(world, o.input.text())) folder.emplace(world, o.input.text());
  if (folder && !o.idle_for_folder.empty())
    throw UsageError(
        fmt::format("{} ({} is a folder that says that itself). Leave it out.", o.idle_for_folder, o.input.text()));
  if (!folder && !o.idle_for_graph.empty())
    throw UsageError(fmt::format("{} ({} is no folder of features, and gets random ones). Leave it out.",
                                 o.idle_for_graph, o.input.text()));
  const Graph graph = Graph::build(world, folder ? folder->edges(world) : o.input.load(world), o.input.options());
  out.input = describe(graph);
  Found found;
  for (int k = 0; k < o.seeds; ++k)
    train_seed<T>(world, o, graph, folder ? &*folder : nullptr, o.gcn.seed + static_cast<std::uint64_t>(k), found, out);

  const double epoch = middle(found.seconds), spmm = middle(found.spmm_seconds);
  out.seconds["run"] = epoch;
  out.seconds["trials"] = found.seconds;
  out.result["epoch_seconds"] = epoch;
  out.result["spmm_share"] = epoch > 0 ? spmm / epoch : 0;
  out.result["widths"] = o.widths;
  out.result["epochs"] = o.training.epochs;
  out.result["test_accuracy"] = mean(found.accuracies);
  out.result["test_accuracy_deviation"] = deviation(found.accuracies);
  out.result["test_loss"] = mean(found.losses);
  out.result["validation_accuracy"] = mean(found.validation_accuracies);
  out.result["runs"] = std::move(found.runs);
  out.counters = total_counters(world, world.counters());
  const double order_epochs = epoch > 0 ? out.seconds["order"].get<double>() / epoch : 0;
  out.result["order_cost_in_epochs"] = order_epochs;
  std::string order = out.result["order_why"];
  if (out.result["order"] != "none") order += fmt::format("; measured: {:.1f} epochs", order_epochs);
  const auto percent = [](double part) { return fmt::format("{:.2f} %", 100 * part); };
  out.text = table_of(
      {{"network",
        fmt::format("{} -> {} -> {}, {} weights, {}", dump_json(out.result["features"]), fmt::join(o.widths, " -> "),
                    dump_json(out.result["classes"]), dump_json(out.result["parameters"]), o.type)},
       {"vertices", fmt::format("{}: {} to train, {} to validate, {} to test", graph.vertices(),
                                dump_json(out.result["train_vertices"]), dump_json(out.result["validation_vertices"]),
                                dump_json(out.result["test_vertices"]))},
       {"products", out.result["why"].get<std::string>()},
       {"epoch", fmt::format("{:.6f} s, {} of it in products with the graph's matrix", epoch,
                             percent(out.result["spmm_share"].get<double>()))},
       {"order", order},
       {"validation", percent(out.result["validation_accuracy"].get<double>()) + " right"},
       {"test", fmt::format("{} right{}", percent(mean(found.accuracies)),
                            o.seeds > 1 ? fmt::format(" (mean of {} seeds, deviation {})", o.seeds,
                                                      percent(deviation(found.accuracies)))
                                        : "")}});
  return out;
}

}  // namespace

int run_gcn(const Words& words) {
  Command command(
      "run gcn",
      "Trains a graph convolutional network (Kipf and Welling) over all vertices at once, and tells how many "
      "test vertices it labels right. The input is a folder of edges.txt, features.txt, labels.txt and "
      "split.json (docs/gnn.md), or any graph, which gets random features and labels: for timing.");
  GcnRunOptions o;
  CLI::App& app = command.app();
  o.input.add_to(app);
  app.add_option("--widths", o.widths, "of the hidden layers, such as 16 (default) or 32,16")
      ->delimiter(',')
      ->check(CLI::Range(1, 1 << 20));
  app.add_option("--epochs", o.training.epochs, "steps of Adam over all vertices (default 200)")
      ->check(CLI::PositiveNumber);
  app.add_option("--seed", o.gcn.seed, "of the first weights and of what is dropped (default 1)");
  app.add_option("--seeds", o.seeds, "trainings, with seeds from --seed on; the accuracy is their mean (default 1)")
      ->check(CLI::PositiveNumber);
  app.add_option("--dropout", o.gcn.dropout, "fraction of each layer's input that an epoch drops (default 0.5)")
      ->check(CLI::Range(0.0, 0.99));
  app.add_option("--learning-rate", o.gcn.learning_rate, "of Adam (default 0.01)")->check(CLI::PositiveNumber);
  app.add_option("--weight-decay", o.gcn.weight_decay, "of the first layer's weights (default 5e-4)")
      ->check(CLI::NonNegativeNumber);
  app.add_flag("--decay-all-layers", o.gcn.decay_all_layers, "weights of all layers decay, not of the first alone");
  app.add_option("--rows", o.rows,
                 "features: normalised, divided by the sum of their vertex's (default), or as-they-are")
      ->check(CLI::IsMember({"normalised", "as-they-are"}));
  auto* features = app.add_option("--features", o.features, "random ones of a graph (default 16)");
  features->check(CLI::Range(1, 1 << 20));
  auto* classes = app.add_option("--classes", o.classes, "of a graph's random labels (default 16)");
  classes->check(CLI::Range(1, 1 << 20));
  app.add_option("--type", o.type, "float32 (default) or float64")->check(CLI::IsMember({"float32", "float64"}));
  add_spmm_strategy(app, o.gcn.strategy);
  add_row_order(app, o.gcn.order);
  command.add_workgroup();
  app.add_option("--score-every", o.training.score_every,
                 "epochs between scores of training and validation vertices (default 1; 0: none on the way)")
      ->check(CLI::NonNegativeNumber);
  auto* checkpoint = app.add_option("--checkpoint", o.checkpoint,
                                    "a folder: saved there at the end, on SIGTERM and now and then; gone on with from "
                                    "there, on any number of ranks");
  app.add_option("--checkpoint-every", o.training.checkpoint_every, "epochs between checkpoints")
      ->needs(checkpoint)
      ->check(CLI::PositiveNumber);
  if (const auto code = command.parse(words)) return *code;
  o.idle_for_folder = first_given(app, {"--directed", "--weighted", "--format", "--source-column", "--target-column",
                                        "--weight-column", "--features", "--classes"});
  o.idle_for_graph = first_given(app, {"--rows"});
  return command.run(
      [&](World& world) { return o.type == "float32" ? train_all<float>(world, o) : train_all<double>(world, o); });
}

}  // namespace atl::cli
