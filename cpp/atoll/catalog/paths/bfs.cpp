// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/device/graph_on_device.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/catalog/rows.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>
#include <charconv>
#include <nlohmann/json.hpp>

namespace atl::catalog {
namespace {

// "off", "on" or a degree; nothing if it is none of them.
std::optional<Edge> fission_of(const std::string& text) {
  if (text == "off") return kNoFission;
  if (text == "on") return kUsualFission;
  Edge degree = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), degree);
  if (error != std::errc() || end != text.data() + text.size() || degree < 1) return std::nullopt;
  return degree;
}

std::string refuse_fission(const std::string& text) {
  return fission_of(text) ? "" : fmt::format("{} (on, off, or the least degree of a heavy vertex)", text);
}

BfsOptions bfs_options(const Arguments& arguments) {
  const std::string& direction = arguments.word("direction");
  return {.direction = direction == "push"   ? Direction::push
                       : direction == "pull" ? Direction::pull
                                             : Direction::automatic,
          .depths = arguments.flag("depths") ? Depths::yes : Depths::no,
          .fission = *fission_of(arguments.word("fission")),
          .degree_order = arguments.flag("degree-order")};
}

// Search: Bfs or BfsOnDevice.
template <class Search>
class PreparedBfs final : public Prepared {
 public:
  template <class... Given>
  PreparedBfs(const BfsOptions& options, const Graph& graph, const Given&... given)
      : world_(graph.world()), depths_(options.depths == Depths::yes), bfs_(graph, given..., options) {}

  void run(const Arguments& arguments, Answer& answer, const Progress&) override {
    result_.parent = answer.take<Vertex>("parent");
    result_.depth = answer.take<Vertex>("depth");
    if (result_.parent.data() != written_) result_.listed.reset();  // another answer's arrays
    bfs_.run(arguments.vertex("source"), result_);
    written_ = result_.parent.data();
    answer.put("parent", std::move(result_.parent));
    if (depths_) answer.put("depth", std::move(result_.depth));
    answer.set("reached", result_.reached);
    answer.set("edges", result_.edges);
    answer.set("levels", std::int64_t{result_.levels});
    answer.set("pulls", std::int64_t{result_.pulls});
  }
  void report(const Arguments& arguments, const Answer&, const Runs& runs, Report& report) const override;
  std::size_t memory_bytes() const override { return bfs_.memory_bytes(); }

 private:
  World& world_;
  const bool depths_;
  Search bfs_;
  BfsResult result_;
  const Vertex* written_ = nullptr;  // where the run before wrote parents
};

template <class Search>
void PreparedBfs<Search>::report(const Arguments& arguments, const Answer&, const Runs& runs, Report& report) const {
  double seconds_per_edge = 0;
  nlohmann::json each = nlohmann::json::array();
  for (const TimedRun& run : runs.timed) {
    nlohmann::json row{{"source", *run.source}};
    for (const auto& [name, value] : run.scalars) {
      const auto number = std::get<std::int64_t>(value);
      if (name == "edges") {
        seconds_per_edge += run.seconds / static_cast<double>(std::max<Edge>(1, number));
      } else {
        row[name] = number;
      }
    }
    each.push_back(std::move(row));
  }
  const double mteps = static_cast<double>(runs.timed.size()) / seconds_per_edge / 1e6;
  const Vertex source = arguments.vertex("source");
  report.result = {{"source", source}, {"reached", result_.reached},    {"levels", result_.levels},
                   {"mteps", mteps},   {"searches", runs.timed.size()}, {"per_source", each}};
  if (runs.verified.value_or(false)) report.result["depth"] = result_.levels - 1;
  result_.rounds.for_each([&](std::size_t k, const BfsRound& r) {  // of the last search
    report.seconds["rounds"].push_back({{"round", k + 1},
                                        {"found", r.found},
                                        {"pulled", r.pulled},
                                        {"seconds", world_.max(r.seconds)},
                                        {"non_overlapped_communication", world_.max(r.waited_seconds)}});
  });
  if (const BfsRounds::Sums& left_out = result_.rounds.between(); left_out.rounds > 0)
    report.seconds["rounds_left_out"] = {{"rounds", left_out.rounds},
                                         {"found", left_out.found},
                                         {"pulled", left_out.pulls},
                                         {"seconds", world_.max(left_out.seconds)},
                                         {"non_overlapped_communication", world_.max(left_out.waited_seconds)}};
  report.lines.emplace_back("reached",
                            fmt::format("{} in {} from {}", result_.reached, counted(result_.levels, "level"), source));
  report.lines_after_time.emplace_back("rate", fmt::format("{:.1f} M edges/s (harmonic mean)", mteps));
}

Verdict verify_bfs(const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList* input) {
  const Vertex source = arguments.vertex("source");
  const auto depths = column_of<Vertex>(answer, "depth");
  const auto of_answer = column_of<Vertex>(answer, "parent");
  const auto parents = of_answer.empty() ? arguments.vertices("parents") : of_answer;
  if (input) {
    const BfsTreeReport tree = verify_bfs(graph, source, parents, depths, Tuples::of(*input),
                                          graph.directed() ? TupleKind::directed : TupleKind::undirected);
    return {tree.ok, tree.what};
  }
  if (answer.find("parent") && arguments.has("parents"))
    throw UsageError("--parents with --values parent (the file itself holds the parents). Leave one out.");
  if (!answer.find("parent") && !arguments.has("parents")) return verify_depths(graph, source, depths);
  const BfsTreeReport tree = verify_bfs(graph, source, parents, depths);
  return {tree.ok, tree.what};
}

std::vector<Option> options() {
  return {
      {.name = "source",
       .kind = Kind::vertex,
       .help =
           "original id to start from (default: the vertex of highest degree; of several searches, drawn by --seed)",
       .check_help = "original id that the search started from",
       .taken_from = OptionSource::as_source},
      {.name = "direction",
       .kind = Kind::word,
       .stage = Stage::prepare,
       .default_value = "auto",
       .help = "auto, push or pull",
       .choices = {"auto", "push", "pull"}},
      {.name = "fission",
       .kind = Kind::word,
       .stage = Stage::prepare,
       .default_value = "off",
       .help =
           "delegates of heavy vertices on the ranks of their neighbours: on, off, or from which degree on (default "
           "off)",
       .refuse = refuse_fission},
      {.name = "degree-order",
       .kind = Kind::flag,
       .stage = Stage::prepare,
       .default_value = false,
       .help = "push from a frontier's heaviest vertices first"},
      device_option(),
      {.name = "depths",
       .kind = Kind::flag,
       .stage = Stage::prepare,
       .default_value = true,
       .help = "whether depths are filled in",
       .taken_from = OptionSource::by_library},
      {.name = "parents",
       .kind = Kind::vertices,
       .stage = Stage::check,
       .check_help = "a second file, with the parents: the tree is checked too",
       .taken_from = OptionSource::by_file}};
}

}  // namespace

Algorithm bfs_row() {
  return {.name = "bfs",
          .summary = "breadth-first search: parents and depths from a source",
          .description = "Breadth-first search: parents and depths from a source.",
          .check_summary = "depths or parents, by Graph500's five rules",
          .check_description = "Whether a file holds the depths, or the parents, of a breadth-first search.",
          .options = options(),
          .contract = {},
          .columns = {{.name = "depth",
                       .type = "int64",
                       .meaning = "edges from the source; -1 where not reached",
                       .requires_flag = "depths"},
                      {"parent", "int64", "original id of the parent in a tree; -1 where not reached"}},
          .scalars = {{"reached", "int64", "reached vertices on all ranks"},
                      {"edges", "int64", "edges of reached vertices (directed: that leave them)"},
                      {"levels", "int64", "of the tree; 1 is the source alone"},
                      {"pulls", "int64", "levels found from the unvisited side"}},
          .repeats = {.option = "sources",
                      .help = "number of searches (default 1); with --source, that often from there",
                      .label = "search",
                      .warm_up = true,
                      .each_checked = true},
          .checks_input = true,
          .python = "bfs",
          .output_summary = "parents, depths",
          .on_one_rank = {"algorithms/bfs/kernel.cpp"},
          .over_ranks = {"algorithms/bfs/bfs.cpp"},
          .reference = "Beamer, SC 2012",
          .check =
              [](const Arguments& arguments) {
                if (arguments.flag("degree-order") && arguments.word("direction") == "pull")
                  throw UsageError(
                      "--degree-order with --direction pull (only what is pushed has an order). Leave one out.");
                if (arguments.word("device") != "cpu" &&
                    (arguments.flag("degree-order") || arguments.word("fission") != "off"))
                  throw UsageError(
                      "--degree-order or --fission with a --device (both are of pushes on processors). Leave one out.");
              },
          .prepare = [](const Graph& graph, const Arguments& arguments) -> std::unique_ptr<Prepared> {
            const BfsOptions options = bfs_options(arguments);
            const std::string& device = arguments.word("device");
            if (device != "cpu") return std::make_unique<PreparedBfs<BfsOnDevice>>(options, graph, device);
            return std::make_unique<PreparedBfs<Bfs>>(options, graph);
          },
          .verify = verify_bfs};
}

}  // namespace atl::catalog
