// SPDX-License-Identifier: Apache-2.0
#include "shares_file.hpp"

#include <fmt/format.h>

#include <atoll/graph/formats/blocks.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/table/fields.hpp>
#include <charconv>
#include <cmath>
#include <unordered_map>

namespace atl::cli {
namespace {

struct Row {
  std::int64_t line;
  Vertex id;
  double share;
};

Vertex vertex_of(std::string_view text, const Dictionary* names, const char* at) {
  if (names) {
    const Vertex id = names->find(text);
    if (id == kNoVertex)
      throw LineError{at, fmt::format("no vertex has the name '{}'{}. Correct it.", text, names->nearest_text(text))};
    return id;
  }
  Vertex id = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
  if (error != std::errc() || end != text.data() + text.size() || id < 0)
    throw LineError{at,
                    fmt::format("the vertex is {} (an id is a whole number from 0 on). Correct it.", in_quotes(text))};
  return id;
}

Row row_of(std::string_view line, std::int64_t number, char separator, const Dictionary* names) {
  NameFields fields(line, separator);
  Row row{number, 0, 1};
  NameField field;
  int count = 0;
  for (; fields.next(field); ++count) {
    if (count == 0) {
      row.id = vertex_of(field.text, names, line.data());
    } else if (count == 1) {
      const auto [end, error] = std::from_chars(field.text.data(), field.text.data() + field.text.size(), row.share);
      if (error != std::errc() || end != field.text.data() + field.text.size() || !(row.share >= 0) ||
          !std::isfinite(row.share))
        throw LineError{line.data(), fmt::format("the share is {} (a finite number that is not negative). Correct it.",
                                                 in_quotes(field.text))};
    }
  }
  if (count > 2)
    throw LineError{line.data(), fmt::format("{} has {} fields (a vertex, or a vertex and its share, stand on a line). "
                                             "Correct it.",
                                             in_quotes(line), count)};
  return row;
}

}  // namespace

Array<double> read_shares(const Graph& graph, const Dictionary* names, const std::string& path) {
  World& world = graph.world();
  const bool comma = has_ending(path, ".csv");
  const char separator = comma ? ',' : names && !has_ending(path, ".txt") ? '\t' : ' ';
  std::vector<std::vector<Row>> threads(static_cast<std::size_t>(world.team().size()));
  for_each_block(world, path, {.from = text_begin(world, path), .count_rows = &count_lines},
                 [&](int thread, const Block& block) {
                   std::int64_t line = block.row;
                   for (const char* p = block.begin; p < block.end;) {
                     const char* const next = next_line(p, block.end);
                     std::string_view text(p, static_cast<std::size_t>(next - 1 - p));
                     if (text.ends_with('\r')) text.remove_suffix(1);
                     ++line;
                     p = next;
                     if (text.empty() || text.starts_with('#') || (line == 1 && text.starts_with("id,"))) continue;
                     threads[thread].push_back(row_of(text, line, separator, names));
                   }
                 });
  std::vector<Row> mine;
  for (const auto& rows : threads) mine.insert(mine.end(), rows.begin(), rows.end());
  const std::vector<Row> all = world.all_gather_varying(std::span<const Row>(mine));
  std::unordered_map<Vertex, const Row*> row_of_id;
  world.collective_try([&] {
    for (const Row& row : all) {
      const auto [other, is_new] = row_of_id.try_emplace(row.id, &row);
      if (!is_new)
        throw InputError(
            fmt::format("{}: vertex {} is on the lines {} and {} (each has one share). Leave one of them "
                        "out.",
                        path, names ? names->name(row.id) : std::to_string(row.id),
                        std::min(other->second->line, row.line), std::max(other->second->line, row.line)));
    }
  });
  Array<double> shares(static_cast<std::size_t>(graph.owned()), 0.0);
  std::vector<Vertex> found;
  for (std::size_t k = 0; k < shares.size(); ++k) {
    const auto here = row_of_id.find(graph.ids().id_of(static_cast<Vertex>(k)));
    if (here == row_of_id.end()) continue;
    shares[k] = here->second->share;
    found.push_back(here->first);
  }
  for (const Vertex id : world.all_gather_varying(std::span<const Vertex>(found))) row_of_id.erase(id);
  for (const Row& row : all)
    check(!row_of_id.contains(row.id), "{}:{}: {} has no vertex {} (a share is a vertex's). Correct it.", path,
          row.line, graph.name(), row.id);
  return shares;
}

}  // namespace atl::cli
