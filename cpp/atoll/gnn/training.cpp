// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/json.hpp>
#include <atoll/gnn/training.hpp>
#include <atoll/io/named_arrays.hpp>
#include <atoll/runtime/aggregation/termination.hpp>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

// The values that must be the same for a run to resume. The number of epochs may differ.
template <class T>
nlohmann::json identity(Gcn<T>& gcn) {
  const GcnOptions& o = gcn.options();
  return {{"type", sizeof(T) == 4 ? "float32" : "float64"},
          {"features", gcn.features()},
          {"classes", gcn.classes()},
          {"widths", o.widths},
          {"dropout", o.dropout},
          {"learning_rate", o.learning_rate},
          {"weight_decay", o.weight_decay},
          {"decay_all_layers", o.decay_all_layers},
          {"seed", o.seed},
          {"input", fmt::format("{:016x}", gcn.fingerprint())}};
}

// Describes a key that differs, for the message.
std::string difference(const nlohmann::json& saved, const nlohmann::json& here) {
  for (const auto& [key, value] : here.items())
    if (!saved.contains(key) || saved[key] != value)
      return fmt::format("{} is {} there, {} here", key, saved.contains(key) ? dump_json(saved[key]) : "missing",
                         dump_json(value));
  return "it has more fields";
}

template <class T>
void save(World& world, Gcn<T>& gcn, const std::string& path, const nlohmann::json& run, const TrainingCurve& curve) {
  NamedArrays state{.text = dump_json(nlohmann::json{{"run", run}, {"epoch", gcn.epoch()}})};
  const auto add = [&]<class V>(const char* name, std::span<V> values) { state.add(name, std::as_bytes(values)); };
  add("parameters", gcn.parameters());
  add("first_moments", gcn.first_moments());
  add("second_moments", gcn.second_moments());
  add("losses", std::span(curve.losses));
  add("scored", std::span(curve.scored));
  add("train_accuracies", std::span(curve.train_accuracies));
  add("validation_losses", std::span(curve.validation_losses));
  add("validation_accuracies", std::span(curve.validation_accuracies));
  write_named_arrays(world, path, state);
}

template <class T>
void load(World& world, Gcn<T>& gcn, const std::string& path, const nlohmann::json& run, TrainingCurve& curve) {
  const auto saved = read_named_arrays(world, path);
  if (!saved) return;
  // All ranks have the same bytes, hence the same errors.
  std::int64_t epoch = 0;
  try {
    const nlohmann::json state = parse_json(saved->text);
    check(state.at("run") == run, "{}: is of another run ({}). Name another, or remove it.", path,
          difference(state.at("run"), run));
    epoch = state.at("epoch").get<std::int64_t>();
  } catch (const nlohmann::json::exception& e) {
    throw InputError(fmt::format("{}: is no checkpoint of a GCN ({}). Name another, or remove it.", path, e.what()));
  }
  const auto whole = [&]<class V>(const char* name, std::vector<V>& values) {
    for (const auto& item : saved->items)
      if (item.name == name) values.resize(item.bytes.size() / sizeof(V));
    saved->copy_to(name, std::as_writable_bytes(std::span(values)), path);
  };
  saved->copy_to("parameters", std::as_writable_bytes(gcn.parameters()), path);
  saved->copy_to("first_moments", std::as_writable_bytes(gcn.first_moments()), path);
  saved->copy_to("second_moments", std::as_writable_bytes(gcn.second_moments()), path);
  whole("losses", curve.losses);
  whole("scored", curve.scored);
  whole("train_accuracies", curve.train_accuracies);
  whole("validation_losses", curve.validation_losses);
  whole("validation_accuracies", curve.validation_accuracies);
  gcn.set_epoch(epoch);
  curve.resumed_from = epoch;
}

}  // namespace

template <class T>
TrainingCurve train(World& world, Gcn<T>& gcn, const TrainingOptions& options) {
  TrainingCurve curve;
  const bool saves = !options.checkpoint.empty();
  std::optional<TerminationNotice> terminate;
  nlohmann::json run;
  if (saves) {
    terminate.emplace();
    run = identity(gcn);
    load(world, gcn, options.checkpoint, run, curve);
  }
  while (gcn.epoch() < options.epochs) {
    const double spmm = gcn.spmm_seconds();
    world.barrier();
    const RankTimer timer(world);
    curve.losses.push_back(gcn.train());
    curve.seconds.push_back(world.max(timer.seconds()));
    curve.spmm_seconds.push_back(world.max(gcn.spmm_seconds() - spmm));
    const std::int64_t done = gcn.epoch();
    const bool last = done >= options.epochs;
    if (options.score_every > 0 && (last || done % options.score_every == 0)) {
      const auto scores = gcn.scores();
      const auto& validation = scores[static_cast<std::size_t>(VertexRole::validation)];
      curve.scored.push_back(done);
      curve.train_accuracies.push_back(scores[static_cast<std::size_t>(VertexRole::train)].accuracy);
      curve.validation_losses.push_back(validation.loss);
      curve.validation_accuracies.push_back(validation.accuracy);
    }
    if (saves) {
      const bool stop = !last && world.any(terminate->given());
      if (last || stop || (options.checkpoint_every > 0 && done % options.checkpoint_every == 0))
        save(world, gcn, options.checkpoint, run, curve);
      if (stop)
        stop_run(world,
                 fmt::format("ended by SIGTERM after {} of {} epochs (they are saved in {}). Give the same command "
                             "to go on, on any number of ranks.",
                             done, options.epochs, options.checkpoint));
    }
  }
  return curve;
}

template TrainingCurve train(World&, Gcn<float>&, const TrainingOptions&);
template TrainingCurve train(World&, Gcn<double>&, const TrainingOptions&);

}  // namespace atl
