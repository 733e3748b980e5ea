// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/all_pairs.hpp>
#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/apsp/checks/row_check.hpp>
#include <atoll/apsp/device/on_device.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/out_of_core.hpp>
#include <atoll/apsp/store/distance_file.hpp>
#include <atoll/apsp/store/distance_row.hpp>
#include <atoll/apsp/store/graph_of_arcs.hpp>
#include <atoll/apsp/stored_rates.hpp>
#include <atoll/base/random.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/device/rank_device.hpp>
#include <cli/cli11.hpp>
#include <cmath>

#include "apsp_idle.hpp"
#include "cli/graph_input.hpp"
#include "cli/predict/model.hpp"
#include "cli/verbs.hpp"
#include "distance_summary.hpp"
#include "trials.hpp"

namespace atl::cli {
namespace {

// The number of rows checked if not all are: enough to find, almost surely, any fault that affects one row in twenty.
constexpr Vertex kCheckedRows = 128;
constexpr double kCheckAllUpTo = 1e9;  // n * m
constexpr std::int64_t kLargestChunkKib = std::int64_t{1} << 30;

struct ApspOptions {
  std::string method = "auto", semiring = "min_plus", type = "auto", output, output_type, grid = "auto",
              placement = "auto", variant, broadcast = "auto", look_ahead = "on", peel = "on", checkpoint,
              device = "cpu", device_panels = "staged";
  std::int64_t block = 0, steps = 0, chunk_kib = -1, checkpoint_steps = 0;
  double checkpoint_minutes = 30;
  int trials = 1, zstd = 0;
  double delta = 0;
  bool verify = false, no_verify = false, force = false, out_of_core = false;
};

/// Returns what is wrong with the rows, each of them row(s) on all ranks, by the weights as they were read.
template <class T, class Row>
std::optional<std::string> fault_of(World& world, const ReplicatedCsr<double>& arcs, Semiring semiring, Row&& row_of,
                                    Vertex& checked) {
  const Vertex n = arcs.vertices();
  const bool all = static_cast<double>(n) * static_cast<double>(arcs.size()) <= kCheckAllUpTo;
  checked = all ? n : std::min(n, kCheckedRows);
  const ReplicatedCsr<double> entering = arcs.reversed();
  std::optional<std::string> fault;
  for (Vertex k = 0; k < checked; ++k) {
    const Vertex s =
        all ? k : static_cast<Vertex>(random_at(7, static_cast<std::uint64_t>(k)) % static_cast<std::uint64_t>(n));
    const std::vector<T> row = row_of(s);
    // Every rank has the row: each rank checks its share of the rows.
    if (!fault && k % world.size() == world.rank()) fault = check_row<T>(arcs, entering, semiring, s, row);
  }
  const auto has = world.all_gather(static_cast<int>(fault.has_value()));
  for (Rank r = 0; r < world.size(); ++r) {
    if (!has[r]) continue;
    const std::string mine = r == world.rank() ? *fault : std::string();
    const auto gathered = world.all_gather_varying(std::span<const char>(mine));
    return std::string(gathered.begin(), gathered.end());
  }
  return {};
}

AllPairsOptions all_pairs_options(const ApspOptions& o) {
  AllPairsOptions out;
  out.semiring = semiring_named(o.semiring);
  out.method = pairs_method_named(o.method);
  out.delta = o.delta;
  out.pendant_trees = o.peel == "on" ? PendantTreeRemoval::yes : PendantTreeRemoval::no;
  out.block = o.block;
  out.on_grid = GridOptions::ablation(o.variant.empty() ? "coast" : o.variant);
  if (!o.variant.empty()) {  // broadcasts are a part of it
    out.grid.panels = out.on_grid.panels;
    out.grid.chunk_bytes = out.on_grid.chunk_bytes;
  }
  if (o.look_ahead == "off") out.on_grid.look_ahead = GridOptions::LookAhead::off;
  if (o.device_panels == "direct") out.on_grid.device_panels = GridOptions::DevicePanels::direct;
  if (o.broadcast != "auto") out.grid.panels = broadcast_named(o.broadcast);
  if (o.chunk_kib >= 0) out.grid.chunk_bytes = static_cast<std::size_t>(o.chunk_kib) << 10;
  if (o.grid != "auto") out.grid.shape = grid_shape_of("--grid", o.grid);
  if (o.placement != "auto") out.grid.placement = grid_shape_of("--placement", o.placement);
  out.on_grid.steps = o.steps;
  out.checkpoint = {
      .folder = o.checkpoint, .every_steps = o.checkpoint_steps, .every_seconds = 60 * o.checkpoint_minutes, .run = {}};
  return out;
}

DistanceFileOptions file_options(const ApspOptions& o) {
  DistanceFileOptions file{.semiring = semiring_named(o.semiring),
                           .zstd_level = o.zstd,
                           .existing = o.force ? Existing::replace : Existing::refuse};
  if (!o.output_type.empty()) file.element = element_named(o.output_type);
  return file;
}

/// Checks of the output that are possible before the distances are computed.
void check_output(World& world, const ApspOptions& o, Vertex n, Element element) {
  if (o.output.empty()) return;
  const StorageFormat format = storage_format_to_write(o.output);
  if (o.steps > 0)
    throw UsageError(fmt::format("--output {} with --steps {} (what is left undone are no distances). Leave one out.",
                                 o.output, o.steps));
  if (o.zstd > 0 && format != StorageFormat::zarr)
    throw UsageError(fmt::format("--output {} with --zstd {} (chunks of .zarr are compressed). Leave --zstd out.",
                                 o.output, o.zstd));
  const DistanceFileOptions file = file_options(o);
  const Element written = file.element.value_or(element);
  check_room(world, o.output, o.zstd > 0 ? 0 : distance_bytes(format, n, n, written), file.existing,
             fmt::format("the values of {0} x {0} pairs as {1}", n, name_of(written)));
}

template <class T>
Outcome run_as(World& world, const ApspOptions& o, const ReplicatedCsr<double>& read, const ReplicatedCsr<T>& arcs,
               Edge input_edges, Device* device, Progress progress) {
  AllPairsOptions options = all_pairs_options(o);
  options.device = device;
  options = with_stored_rates(world, arcs, std::move(options));
  if (o.trials == 1) options.progress = std::move(progress);
  if (!o.out_of_core) check_output(world, o, arcs.vertices(), kElementOf<T>);
  const Existing existing = o.force ? Existing::replace : Existing::refuse;
  Trials trials(world);
  AllPairs<T> all;
  for (int t = 0; t < o.trials; ++t) {
    all = {};  // its memory goes before the next takes as much
    trials.time([&] {
      if (o.out_of_core) {
        all.report = all_pairs_in_file(world, arcs, o.output, options, existing);
      } else {
        all = all_pairs(world, arcs, options);
      }
    });
  }
  Outcome out;
  trials.report(out.seconds, out.counters);
  const AllPairsReport& report = all.report;
  const double seconds = out.seconds["run"].template get<double>();
  out.input = {{"graph", arcs.name},
               {"vertices", arcs.vertices()},
               {"entries", input_edges},
               {"arcs", arcs.size()},
               {"directed", arcs.directed}};
  out.result = report.to_json();
  out.result["type"] = name_of(kElementOf<T>);
  const double cubed = 2.0 * std::pow(static_cast<double>(arcs.vertices()), 3);
  if (report.method == name_of(PairsMethod::floyd_warshall))
    out.result["operations_per_second"] = report.operations / seconds;
  out.result["nominal_operations_per_second"] = cubed / seconds;
  const auto forecast = world.collective_try([&]() -> std::optional<nlohmann::json> {
    if (device) return std::nullopt;  // the model's rates are the processor's
    if (report.plan && report.operations > 0) return report.plan->utilisation(seconds, report.operations / cubed);
    // Only rank 0's outcome is shown. Searches from every source have no blocks and are not covered by the model.
    if (world.rank() != 0 || report.operations == 0 || report.block == 0 || o.out_of_core ||
        options.semiring != Semiring::min_plus)
      return std::nullopt;
    return apsp_forecast({.element = all_pairs_algebra(arcs, Semiring::min_plus).element,
                          .n = arcs.vertices(),
                          .grid = all.distances.layout.grid,
                          .block = report.block,
                          .broadcast = {},
                          .share = report.operations / cubed,
                          .seconds = seconds});
  });
  if (forecast) out.result["model"] = *forecast;
  RankTimer timer(world);
  if (o.out_of_core) {
    out.result["output"] = o.output;
  } else if (!o.output.empty()) {
    const GraphOfArcs<T> graph(arcs);
    write_distances(world, o.output, all.distances, graph.graph(), file_options(o));
    out.seconds["write"] = world.max(timer.lap());
    out.result["output"] = o.output;
  }
  const bool partial = o.steps > 0;
  const bool verify = !partial && !o.no_verify && (o.verify || input_edges <= 100'000'000);
  Vertex checked = 0;
  std::optional<DistanceFile> file;
  if (o.out_of_core && !partial) file.emplace(o.output);
  const auto row = [&](Vertex s) {
    if (!file) return row_of(world, all.distances, s);
    std::vector<T> values(static_cast<std::size_t>(arcs.vertices()));
    file->read_row(s, values.data());
    return values;
  };
  if (!partial && options.semiring == Semiring::min_plus)
    out.result["distances"] = distance_summary(sample_distances<T>(arcs.vertices(), row));
  timer.lap();
  if (verify) {
    const auto fault = fault_of<T>(world, read, options.semiring, row, checked);
    out.verified = !fault;
    if (fault) out.failure = fmt::format("{}: {}. This is a defect: report it with the command.", arcs.name, *fault);
    out.result["checked_rows"] = checked;
    out.seconds["verify"] = world.max(timer.lap());
  }
  std::vector<std::pair<std::string, std::string>> rows{
      {"graph", fmt::format("{}: {} vertices, {} entries, {}", arcs.name, arcs.vertices(), input_edges,
                            arcs.directed ? "directed" : "undirected")},
      {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())},
      {"method",
       fmt::format("{}{}, {}{}", report.method, device ? " on " + device->facts().name : "", name_of(kElementOf<T>),
                   options.semiring == Semiring::min_plus
                       ? ""
                       : fmt::format(", {}: searches and trees taken off are for shortest paths", o.semiring))}};
  if (arcs.rounded > 0)
    rows.emplace_back("weights",
                      fmt::format("{} of {} are rounded to {}", arcs.rounded, arcs.size(), name_of(kElementOf<T>)));
  if (report.components > 1 || report.peeled > 0)
    rows.emplace_back("less to do",
                      fmt::format("{}, {} of trees taken off", catalog::counted(report.components, "component"),
                                  catalog::counted(report.peeled, "vertex", "vertices")));
  rows.emplace_back("time", fmt::format("{:.3f} s", seconds));
  if (report.method == name_of(PairsMethod::floyd_warshall) && report.operations > 0) {
    rows.emplace_back(
        "blocks",
        fmt::format("of {}: diagonal {:.3f} s, panels {:.3f}, outer product {:.3f}, waiting {:.3f}", report.block,
                    report.diagonal_seconds, report.panel_seconds, report.outer_seconds, report.wait_seconds));
    if (report.plan) {
      rows.emplace_back("plan", report.plan->text());
      rows.emplace_back("broadcasts",
                        fmt::format("{:.3f} s under way, {:.3f} copying; {:.0f} % hidden", report.broadcast_seconds,
                                    report.copy_seconds, 100 * report.hidden()));
    }
    rows.emplace_back("rate", fmt::format("{:.1f} Gop/s; {:.3g} of 2 n^3 operations were needed",
                                          report.operations / seconds / 1e9, report.operations / cubed));
    if (forecast)
      rows.emplace_back(
          "model",
          fmt::format("{:.3f} s expected; ideal {:.3f}, worst {:.3f}: this run lies at {:.2f} between the two",
                      forecast->at("expected").template get<double>(), forecast->at("ideal").template get<double>(),
                      forecast->at("worst").template get<double>(), forecast->at("place").template get<double>()));
  }
  if (report.from_disk)
    rows.emplace_back("tiles",
                      fmt::format("from block step {}; {:.2f} GB in memory, {:.2f} GB read, {:.2f} written",
                                  report.from_disk->first, static_cast<double>(report.from_disk->memory_bytes) / 1e9,
                                  report.from_disk->bytes_read / 1e9, report.from_disk->bytes_written / 1e9));
  if (report.saved) {
    const CheckpointReport& kept = report.saved->checkpoint;
    rows.emplace_back("checkpoint",
                      fmt::format("from block step {}, saved {} times, {:.3f} s ({:.1f} % of the time){}",
                                  report.saved->first, kept.saved, kept.save_seconds, 100 * kept.save_seconds / seconds,
                                  kept.saved == 0 ? ""
                                                  : fmt::format("; {:.3f} s each: one every 30 minutes "
                                                                "would be {:.2g} %",
                                                                kept.seconds_each(), 100 * kept.overhead_every(1800))));
  }
  if (!o.output.empty()) rows.emplace_back("written", o.output);
  rows.emplace_back("verified", partial         ? "no (--steps left the rest undone)"
                                : !verify       ? "no (--verify asks for it)"
                                : *out.verified ? fmt::format("yes, {} rows", checked)
                                                : "FAILED");
  out.text = table_of(rows);
  return out;
}

}  // namespace

int run_apsp(const Words& words) {
  Command command("run apsp", "Shortest paths between all pairs of vertices: a matrix of distances.");
  ApspOptions o;
  GraphInput input;
  CLI::App& app = command.app();
  input.add_reading_to(app);
  input.add_names_to(app);
  app.add_option("--method", o.method,
                 "fw dijkstra delta bfs, or auto (default): the one that is estimated to be fastest")
      ->check(CLI::IsMember({"auto", "fw", "dijkstra", "delta", "bfs"}));
  app.add_option("--semiring", o.semiring,
                 "min_plus (default: shortest paths), max_plus (longest), max_min (widest), or_and (who reaches whom)")
      ->check(CLI::IsMember({"min_plus", "max_plus", "max_min", "or_and"}));
  app.add_option("--delta", o.delta, "of delta-stepping (default: tuned on the first sources)")
      ->check(CLI::PositiveNumber);
  app.add_option(
         "--type", o.type,
         "float32 float64 int32 uint16 uint8 (default: the narrowest that holds every path; float32 rounds fractions)")
      ->check(CLI::IsMember({"auto", "float32", "float64", "int32", "uint16", "uint8"}));
  auto* device =
      app.add_option(
             "--device", o.device,
             "cpu (default) or cuda: Floyd-Warshall on a GPU for each rank; those of a machine are shared evenly")
          ->check(CLI::IsMember({"cpu", "cuda"}));
  app.add_option("--device-panels", o.device_panels,
                 "staged (default): panels pass through the hosts; direct: from GPU to GPU, by NCCL")
      ->check(CLI::IsMember({"staged", "direct"}))
      ->needs(device);
  app.add_option("--peel", o.peel, "on (default) or off: components and trees apart")
      ->check(CLI::IsMember({"on", "off"}));
  app.add_option("--block", o.block, "b, rows of a block (default: by size; between ranks by the model)")
      ->check(CLI::PositiveNumber);
  app.add_option("--grid", o.grid, "rows x columns of ranks, as 2x4 (default auto: by the model)");
  app.add_option("--placement", o.placement,
                 "rows x columns of a node's ranks in the grid (default auto: what sends least between nodes)");
  app.add_option("--variant", o.variant,
                 "naive la la+r la+r+nt coast: what is switched on between ranks (default: coast, its broadcast and "
                 "chunks by the model)")
      ->check(CLI::IsMember(GridOptions::ablations()));
  app.add_option("--broadcast", o.broadcast,
                 "tree ring ring2m: of panels (default auto: the variant's, or the model's)")
      ->check(CLI::IsMember({"auto", "tree", "ring", "ring2m"}));
  app.add_option("--chunk", o.chunk_kib, "KiB of a panel that travel at a time; 0: all (default: as --broadcast)")
      ->check(CLI::Range(std::int64_t{0}, kLargestChunkKib));
  app.add_option("--look-ahead", o.look_ahead, "on (default) or off")->check(CLI::IsMember({"on", "off"}));
  auto* steps =
      app.add_option("--steps", o.steps, "end after so many blocks: for measuring")->check(CLI::PositiveNumber);
  auto* trials = app.add_option("--trials", o.trials, "how often it is timed (default 1)")->check(CLI::PositiveNumber);
  auto* checkpoint = app.add_option("--checkpoint", o.checkpoint,
                                    "a folder: saved there now and then, and on SIGTERM; gone on with from there")
                         ->excludes(trials);
  app.add_option("--checkpoint-steps", o.checkpoint_steps,
                 "saved every so many blocks too; with --out-of-core noted in the file, and gone on with from there")
      ->check(CLI::PositiveNumber);
  app.add_option("--checkpoint-minutes", o.checkpoint_minutes, "saved every so many minutes (default 30; 0: not)")
      ->needs(checkpoint)
      ->check(CLI::NonNegativeNumber);
  auto* output = app.add_option(
      "--output", o.output,
      "write the distances, with original ids: .npy .tiles .zarr; with --names, those beside it as OUTPUT.names");
  auto* out_of_core = app.add_flag("--out-of-core", o.out_of_core,
                                   "work on the file --output D.tiles: for a matrix larger than memory (one rank)")
                          ->needs(output)
                          ->excludes(trials)
                          ->excludes(steps);
  app.add_option("--output-type", o.output_type, "of the values in the file")
      ->check(CLI::IsMember({"float32", "float64", "int32", "uint16", "uint8"}))
      ->needs(output)
      ->excludes(out_of_core);
  app.add_option("--zstd", o.zstd, "level at which chunks of .zarr are compressed (default 0: not)")
      ->needs(output)
      ->check(CLI::Range(0, 19));
  app.add_flag("--force", o.force, "replace an output that is there")->needs(output);
  auto* verify = app.add_flag("--verify", o.verify, "check the distances (default up to 100 million edges)");
  app.add_flag("--no-verify", o.no_verify, "do not")->excludes(verify);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    world.collective_try([&] { refuse_idle_options(app, world.size()); });
    if (o.checkpoint_steps > 0 && o.checkpoint.empty() && !o.out_of_core)
      throw UsageError(fmt::format("--checkpoint-steps {} (there is no --checkpoint, and no --out-of-core). Give one.",
                                   o.checkpoint_steps));
    if (!o.output.empty())
      static_cast<void>(storage_format_to_write(o.output));  // an ending that is none is refused first
    const Semiring semiring = semiring_named(o.semiring);
    if (o.out_of_core && semiring != Semiring::min_plus)
      throw UsageError(
          fmt::format("--semiring {} with --out-of-core (shortest paths are worked on in a file). Leave one "
                      "out.",
                      o.semiring));
    const ArcWeights weights = semiring == Semiring::or_and ? ArcWeights::ones : ArcWeights::as_given;
    if (o.out_of_core && o.device != "cpu")
      throw UsageError(fmt::format(
          "--device {} with --out-of-core (tiles in a file are for the processor). Leave one out.", o.device));
    const std::shared_ptr<Device> device = device_of_rank(world, o.device);
    RankTimer timer(world);
    const bool named = input.has_names(world);
    world.collective_try([&] {
      if (!o.output.empty() && !named) refuse_other_names(world, o.output);
    });
    command.begin_phase(world, "reading " + input.text());
    NamedEdges loaded = input.load_named(world, named);
    const double load_seconds = world.max(timer.lap());
    const nlohmann::json described_names = describe_names(loaded);
    const Edge input_edges = world.sum(static_cast<Edge>(loaded.edges.size()));
    const ReplicatedCsr<double> read = gather_arcs(world, std::move(loaded.edges), weights, semiring);
    const Element narrowest = narrowest_type(read, semiring);
    const Element usual = device ? device_element(*device, narrowest, read.longest()) : narrowest;
    return with_value_type(o.type == "auto" ? usual : element_named(o.type), [&](auto value) {
      using T = decltype(value);
      const auto finish = [&](const ReplicatedCsr<T>& arcs) {
        const double gather_seconds = world.max(timer.lap());
        Outcome out;
        command.begin_phase(world, fmt::format("all pairs of {} vertices", arcs.vertices()));
        write_with_names(world, o.output, o.output.empty() ? nullptr : loaded.names.get(), [&] {
          out = run_as(world, o, read, arcs, input_edges, device.get(), command.progress(world));
        });
        if (loaded.names) out.input["names"] = described_names;
        out.seconds["load"] = load_seconds;
        out.seconds["gather"] = gather_seconds;
        return out;
      };
      if constexpr (std::is_same_v<T, double>) {
        return finish(read);
      } else {
        return finish(world.collective_try([&] { return narrowed<T>(read); }));
      }
    });
  });
}

}  // namespace atl::cli
