// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/names/edges_of_names.hpp>
#include <atoll/graph/names/gather_names.hpp>
#include <atoll/io/dictionary/dictionary_file.hpp>
#include <atoll/io/scan.hpp>
#include <atomic>

namespace atl {
namespace {

// Each thread numbers the names of its share of a column.
void number_names(Team& team, std::span<const std::string_view> names, const char* column,
                  std::vector<NameTable>& tables, Array<std::uint32_t>& numbers) {
  std::atomic<std::size_t> wrong{names.size()};  // the first name that is no UTF-8
  team.run([&](int thread) {
    NameTable& table = tables[thread];
    const auto [begin, end] = team.share(thread, names.size());
    for (std::size_t i = begin; i < end; ++i) {
      bool good = true;
      numbers[i] = table.number_of(names[i], [&](std::string_view name) { good = is_utf8(name); });
      if (good) continue;
      for (std::size_t least = wrong; i < least && !wrong.compare_exchange_weak(least, i);) {
      }
      return;
    }
  });
  check(wrong == names.size(), "{}[{}] is {} (no UTF-8). Decode it from what it is.", column, wrong.load(),
        in_quotes(wrong < names.size() ? names[wrong] : std::string_view()));
}

void translate(Team& team, const GatheredNames& gathered, Array<std::uint32_t>& numbers) {
  team.run([&](int thread) {
    const std::vector<std::uint32_t>& ids = gathered.ids[thread];
    const auto [begin, end] = team.share(thread, numbers.size());
    for (std::size_t i = begin; i < end; ++i) numbers[i] = ids[numbers[i]];
  });
}

}  // namespace

NamedEdges edges_of_names(World& world, std::span<const std::string_view> source,
                          std::span<const std::string_view> target, std::span<const std::string_view> further) {
  Team& team = world.team();
  std::vector<NameTable> tables(static_cast<std::size_t>(team.size()));
  Array<std::uint32_t> from(source.size()), to(target.size()), others(further.size());
  world.collective_try([&] {
    check(source.size() == target.size(), "source has {} names and target {} (one each per edge). Correct them.",
          source.size(), target.size());
    number_names(team, source, "source", tables, from);
    number_names(team, target, "target", tables, to);
    number_names(team, further, "vertices", tables, others);
  });
  GatheredNames gathered = gather_names(world, tables, "edges");
  world.agree(gathered.names.size() > 0, "edges: there is none (a graph has one vertex at least). Give one.");
  translate(team, gathered, from);
  translate(team, gathered, to);
  NamedEdges named;
  named.edges.source = std::move(from);
  named.edges.target = std::move(to);
  named.edges.range = IdRange{0, gathered.names.size()};
  named.edges.name = "edges";
  named.names = std::make_shared<const Dictionary>(std::move(gathered.names));
  return named;
}

}  // namespace atl
