// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/id_order.hpp>
#include <atoll/graph/names/read_named.hpp>
#include <atoll/graph/names/read_named_result.hpp>
#include <cmath>

#include "graph/formats/files.hpp"
#include "shapes.hpp"

using namespace files;

namespace {

// Names that are written in quotes, or only look as if.
const std::string kEdges =
    "\"\",\"a,b\"\n\"a,b\",\"say \"\"x\"\"\"\nM\xc3\xbcller,\"#1\"\n\"#1\",two words\ntwo words,\"tab\there\"\n\" "
    "x\",5\n";

struct Loaded {
  std::shared_ptr<const Dictionary> names;
  std::unique_ptr<Graph> graph;
};

Loaded load(World& world, const std::string& path, Partition partition = Partition::blocked) {
  NamedEdges named = read_named_edges(world, path);
  return {named.names, std::make_unique<Graph>(
                           Graph::build(world, std::move(named.edges), {.placement = {.partition = partition}}))};
}

// The value of a vertex is a half more than its id, or the next vertex, none for the last.
template <class T>
Array<T> values_by_owned_index(const Graph& graph, Meaning meaning) {
  Array<T> values(static_cast<std::size_t>(graph.owned()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Vertex id = graph.ids().id_of(static_cast<Vertex>(k));
    if (meaning == Meaning::vertices) {
      values[k] = static_cast<T>(id + 1 < graph.vertices() ? id + 1 : kNoVertex);
    } else {
      values[k] = static_cast<T>(static_cast<double>(id) + (std::is_same_v<T, double> ? 0.5 : 0));
    }
  }
  return values;
}

template <class T>
void write(const Loaded& loaded, const std::string& path, const Array<T>& by_owned_index, Meaning meaning) {
  World& world = loaded.graph->world();
  const IdOrder order(world, loaded.graph->ids());
  std::vector<Vertex> ids;
  for (Vertex k = 0; k < order.size(); ++k) ids.push_back(order.id_at(k));
  const std::vector<T> values = order.arrange(std::span<const T>(by_owned_index.data(), by_owned_index.size()));
  if constexpr (std::is_same_v<T, Vertex>) {
    write_named_result(world, path, *loaded.names, ids, values, meaning);
  } else {
    write_named_result(world, path, *loaded.names, ids, values);
  }
}

template <class T>
void check_round_trip(World& world, const std::string& from, const std::string& to, Partition partition,
                      Meaning meaning) {
  const Loaded loaded = load(world, from, partition);
  const Array<T> values = values_by_owned_index<T>(*loaded.graph, meaning);
  write(loaded, to, values, meaning);
  const Array<T> back = read_named_result<T>(*loaded.graph, *loaded.names, to, meaning);
  REQUIRE(back.size() == values.size());
  for (std::size_t k = 0; k < values.size(); ++k) CHECK(back[k] == values[k]);
}

std::string refusal_of(const std::string& graph, const std::string& path, Rank ranks) {
  std::vector<std::string> messages(static_cast<std::size_t>(ranks));
  run_ranks(ranks, two_threads(), [&](World& world) {
    const Loaded loaded = load(world, graph);
    std::string& message = messages[static_cast<std::size_t>(world.rank())];
    try {
      read_named_result<double>(*loaded.graph, *loaded.names, path);
      message = "nothing";
    } catch (const InputError& e) {
      message = e.what();
    }
    world.barrier();
  });
  for (const std::string& message : messages)
    if (message != messages[0]) return "not the same: " + messages[0] + " | " + message;
  return messages[0];
}

}  // namespace

TEST_CASE("results with names come back from each format, on every machine and partition") {
  const Folder folder;
  const std::string from = folder.write("g.csv", kEdges);
  for (const Rank ranks : shapes::kRanks)
    for (const Partition partition : {Partition::blocked, Partition::hashed})
      run_ranks(ranks, two_threads(), [&](World& world) {
        for (const char* ending : {"r.tsv", "r.csv", "r.txt"}) {
          const std::string to = folder / ending;
          check_round_trip<double>(world, from, to, partition, Meaning::numbers);
          check_round_trip<Vertex>(world, from, to, partition, Meaning::numbers);
          check_round_trip<Vertex>(world, from, to, partition, Meaning::vertices);
        }
      });
}

TEST_CASE("a result is sorted by name, and quotes only what needs them") {
  const Folder folder;
  const std::string from = folder.write("g.csv", kEdges), to = folder / "r.tsv";
  run_ranks(3, two_threads(), [&](World& world) {
    const Loaded loaded = load(world, from);
    write(loaded, to, values_by_owned_index<Vertex>(*loaded.graph, Meaning::vertices), Meaning::vertices);
  });
  CHECK(content(to) ==
        "\"\"\t\" x\"\n\" x\"\t\"#1\"\n\"#1\"\t5\n5\tMüller\nMüller\ta,b\na,b\t\"say \"\"x\"\"\"\n"
        "\"say \"\"x\"\"\"\t\"tab\there\"\n\"tab\there\"\ttwo words\ntwo words\t\n");
}

TEST_CASE("more rows than a block, and values that are no plain numbers") {
  const Folder folder;
  std::string text;
  for (int i = 0; i < 20001; ++i) text += fmt::format("n{} n{}\n", i, i / 2);
  const std::string from = folder.write("g.txt", text), to = folder / "r.csv";
  run_ranks(2, two_threads(), [&](World& world) {
    const Loaded loaded = load(world, from);
    Array<double> values = values_by_owned_index<double>(*loaded.graph, Meaning::numbers);
    if (world.rank() == 0) values[0] = INFINITY;
    write(loaded, to, values, Meaning::numbers);
    const Array<double> back = read_named_result<double>(*loaded.graph, *loaded.names, to);
    REQUIRE(back.size() == values.size());
    for (std::size_t k = 0; k < values.size(); ++k) REQUIRE(back[k] == values[k]);
  });
}

TEST_CASE("the first line of a result that does not fit is named, the same on all ranks") {
  const Folder folder;
  const std::string graph = folder.write("g.txt", "TP53 MDM2\nMDM2 BRCA1\n"), good = "BRCA1\t1\nMDM2\t2\n";
  for (const auto& [text, message] : {
           std::pair(good + "TP35\t3\n", ":3: no vertex has the name 'TP35'; the nearest: 'TP53'. Is it the result of"),
           {good + "TP53\tx\n", ":3: the value is 'x' (a number is needed)"},
           {good + "TP53\n", ":3: 'TP53' has 1 fields (a name and a value stand on a line)"},
           {good + "TP53\t1\t2\n", "has 3 fields"},
           {good + "MDM2\t3\n", ":3: there is a value for 'MDM2' (line 2 has one). Leave one of them out."},
           {good, ": there is no value for 'TP53' (1 of 3 vertices have none). Is the file cut off?"},
       })
    for (const Rank ranks : {1, 3}) {
      const std::string said = refusal_of(graph, folder.write("r.tsv", text), ranks);
      CHECK_MESSAGE(said.find(message) != std::string::npos, said);
    }
}

TEST_CASE("a result of numbers takes no names") {
  run_ranks(2, two_threads(), [&](World& world) {
    CHECK_THROWS_WITH_AS(check_named_result_path(world, "r.npy"), doctest::Contains("its vertices have names"),
                         UsageError);
  });
}
