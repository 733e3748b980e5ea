// SPDX-License-Identifier: Apache-2.0
// Communication memory as in LCI's Figure 5: the queue's memory for an exchange in which every vertex is active,
// compared with the RMA layer, whose windows are as large as that exchange; and the memory of a search.
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/runtime/queue/queue.hpp>
#include <atoll/transport/plugin.hpp>
#include <bit>
#include <cli/cli11.hpp>

#include "cli/graph_input.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

// The vertices that rank r mirrors, in the order that both sides know: masters on this rank, mirrors on rank r.
std::vector<Local> masters_for(const Graph& graph, Rank r) {
  std::vector<Local> out;
  const auto& words = graph.mirrors().known_by[r];
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::uint64_t bits = words[w]; bits != 0; bits &= bits - 1)
      out.push_back(static_cast<Local>(64 * w + static_cast<std::size_t>(std::countr_zero(bits))));
  return out;
}

// Sends every master's label to all its mirrors, then every mirror's back to its master, over the queue: gathered into
// short messages that say where they begin, and scattered on arrival.
template <class Label>
class AllActive {
 public:
  AllActive(World& world, const Graph& graph) : world_(world), graph_(graph), queue_(world) {
    for (Rank r = 0; r < world.size(); ++r)
      masters_.push_back(r == world.rank() ? std::vector<Local>() : masters_for(graph, r));
    labels_.resize(static_cast<std::size_t>(graph.locals()));
    for (Local v = 0; v < graph.owned(); ++v) labels_[v] = label_of(v);
  }
  // Sets the mirrors to their masters' labels without communication.
  void set_mirrors() {
    for (Rank r = 0; r < world_.size(); ++r)
      for (std::size_t i = 0; i < mirrors_of(r); ++i)
        labels_[first_mirror(r) + i] = label_of(static_cast<Local>(first_mirror(r) + i));
  }

  void broadcast() {
    exchange([&](Rank r) { return masters_[r].size(); }, [&](Rank r, std::size_t i) { return labels_[masters_[r][i]]; },
             [&](Rank r) { return mirrors_of(r); },
             [&](Rank r, std::size_t i, Label x) { labels_[first_mirror(r) + i] = x; });
  }
  void reduce() {
    exchange([&](Rank r) { return mirrors_of(r); }, [&](Rank r, std::size_t i) { return labels_[first_mirror(r) + i]; },
             [&](Rank r) { return masters_[r].size(); },
             [&](Rank r, std::size_t i, Label x) { wrong_ += x != labels_[masters_[r][i]]; });
  }

  bool exact() {
    for (Rank r = 0; r < world_.size(); ++r)
      for (std::size_t i = 0; r != world_.rank() && i < mirrors_of(r); ++i)
        wrong_ += labels_[first_mirror(r) + i] != label_of(static_cast<Local>(first_mirror(r) + i));
    return world_.sum(wrong_) == 0;
  }
  std::size_t memory_bytes() { return queue_.memory_bytes(); }
  std::vector<std::size_t> bytes_from(bool broadcast) const {
    std::vector<std::size_t> out;
    for (Rank r = 0; r < world_.size(); ++r)
      out.push_back(r == world_.rank() ? 0 : sizeof(Label) * (broadcast ? mirrors_of(r) : masters_[r].size()));
    return out;
  }

 private:
  Label label_of(Local v) const { return static_cast<Label>(graph_.id_of(v) * 3 + 1); }
  std::size_t first_mirror(Rank r) const { return static_cast<std::size_t>(graph_.mirrors().begin[r]); }
  std::size_t mirrors_of(Rank r) const {
    return r == world_.rank() ? 0 : static_cast<std::size_t>(graph_.mirrors().count[r]);
  }

  template <class Count, class Gather, class Coming, class Scatter>
  void exchange(Count&& count, Gather&& gather, Coming&& coming, Scatter&& scatter) {
    const std::size_t at_once = queue_.eager_bytes() / sizeof(Label);
    std::vector<Label> values(at_once);
    std::size_t left = 0;
    for (Rank r = 0; r < world_.size(); ++r) left += coming(r);
    Request request;
    auto receive = [&] {
      Message m;
      if (!queue_.receive(m, request)) return;
      const auto* x = reinterpret_cast<const Label*>(m.data);
      const std::size_t n = m.bytes / sizeof(Label);
      for (std::size_t i = 0; i < n; ++i) scatter(m.from, m.tag + i, x[i]);
      left -= n;
      queue_.release(m);
    };
    for (Rank step = 1; step < world_.size(); ++step) {
      const Rank to = (world_.rank() + step) % world_.size();
      const std::size_t all = count(to);
      for (std::size_t first = 0; first < all; first += at_once) {
        const std::size_t n = std::min(at_once, all - first);
        for (std::size_t i = 0; i < n; ++i) values[i] = gather(to, first + i);
        const auto bytes = std::as_bytes(std::span(values).first(n));
        while (!queue_.send(to, static_cast<std::uint32_t>(first), bytes, request)) receive();
      }
    }
    while (left > 0) {
      receive();
      if (left > 0 && !queue_.has_message()) queue_.wait_for_message();
    }
    world_.barrier();
  }

  World& world_;
  const Graph& graph_;
  Queue queue_;
  std::vector<std::vector<Local>> masters_;  // [rank] that the rank mirrors
  std::vector<Label> labels_;                // [local]
  std::uint64_t wrong_ = 0;
};

// A vertex with an edge.
Vertex first_id(World& world, const Graph& graph) {
  return world.max(graph.active() > 0 ? graph.id_of(0) : Vertex{-1});
}

struct MemoryOptions {
  GraphInput input;
  int value_bytes = 8;
  std::string pattern = "both";
};

template <class Label>
Outcome measure(World& world, const MemoryOptions& options) {
  const Graph graph = Graph::build(world, options.input.load(world), options.input.options());
  const bool broadcasts = options.pattern != "reduce", reduces = options.pattern != "broadcast";
  AllActive<Label> all(world, graph);
  broadcasts ? all.broadcast() : all.set_mirrors();
  if (reduces) all.reduce();
  Outcome outcome;
  outcome.verified = all.exact();
  if (!*outcome.verified) outcome.failure = "bench memory: a label that arrived is not its vertex's. Report this.";
  auto row = [&](const char* name, std::size_t mine) {
    const auto bytes = static_cast<std::uint64_t>(mine);
    const std::uint64_t most = world.max(bytes), least = world.min(bytes);
    outcome.result[name] = {{"max_bytes", most}, {"min_bytes", least}};
    outcome.text += fmt::format("{:<24} {:>10} to {:>10} bytes a rank\n", name, least, most);
    return most;
  };
  outcome.input = {{"name", graph.name()}, {"vertices", graph.vertices()}};
  const std::uint64_t queue = row("queue", all.memory_bytes());
  if (auto* mpi = dynamic_cast<MpiFabric*>(&world.fabric().network()); mpi && world.size() > 1) {
    const std::vector<std::span<const std::byte>> nothing(static_cast<std::size_t>(world.size()));
    std::size_t bytes = 0;
    double seconds = 0;
    for (const bool broadcast : {true, false}) {
      if (broadcast ? !broadcasts : !reduces) continue;
      auto windows = mpi->rma_exchange(all.bytes_from(broadcast));
      windows->exchange(0, nothing);
      bytes += windows->window_bytes();
      seconds += windows->window_seconds();
      windows->close();
    }
    const std::uint64_t windows = row("mpi_rma", bytes);
    outcome.seconds["windows"] = world.max(seconds);
    outcome.result["queue_fraction_of_mpi_rma"] = static_cast<double>(queue) / static_cast<double>(windows);
    outcome.text +=
        fmt::format("{:<24} {:.2f} of mpi_rma's\n", "queue", static_cast<double>(queue) / static_cast<double>(windows));
  }
  Bfs bfs(graph, {});
  BfsResult found;
  if (const Vertex source = first_id(world, graph); source >= 0) bfs.run(source, found);
  row("build and search", static_cast<std::size_t>(world.counters().memory_bytes));
  return outcome;
}

}  // namespace

int bench_memory(const Words& words) {
  Command command("bench memory", "Communication memory for an exchange in which every vertex is active.");
  MemoryOptions options;
  options.input.add_to(command.app());
  command.app()
      .add_option("--value-bytes", options.value_bytes, "of a vertex: 4 or 8 (default)")
      ->check(CLI::IsMember({4, 8}));
  command.app()
      .add_option("--pattern", options.pattern, "both (default), broadcast (to mirrors) or reduce (to masters)")
      ->check(CLI::IsMember({"both", "broadcast", "reduce"}));
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    return options.value_bytes == 4 ? measure<std::uint32_t>(world, options) : measure<std::uint64_t>(world, options);
  });
}

}  // namespace atl::cli
