// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/table/edge_columns.hpp>
#include <atoll/graph/table/fields.hpp>
#include <atoll/io/scan.hpp>

namespace atl::table {
namespace {

using Fields = std::vector<std::string>;

// Headings of columns of vertices, apart from the ends of end_names(): "gene" and "partner", "user" and "item".
constexpr std::string_view kThings[] = {"gene",      "protein",    "partner",
                                        "node",      "name",       "person",
                                        "user",      "item",       "drug",
                                        "disease",   "country",    "city",
                                        "author",    "paper",      "neighbor",
                                        "neighbour", "vertex",     "actor",
                                        "movie",     "host",       "concept",
                                        "term",      "symbol",     "nodeid",
                                        "id",        "interactor", "officialsymbolinteractor"};

bool names_a_thing(std::string_view heading) {
  return std::ranges::find(kThings, plain_word(heading)) != std::end(kThings);
}

bool recurs(const TextTable& table, std::size_t first, const std::string& word) {
  return std::any_of(table.rows.begin() + static_cast<std::ptrdiff_t>(first) + 1, table.rows.end(),
                     [&](const TextRow& row) { return std::ranges::find(row.fields, word) != row.fields.end(); });
}

bool numbers_below(const TextTable& table, std::size_t first, std::size_t column) {
  bool any = false;
  for (std::size_t r = first + 1; r < table.rows.size(); ++r) {
    const Fields& fields = table.rows[r].fields;
    if (column < fields.size() && says_missing(fields[column])) continue;
    if (column >= fields.size() || !looks_like_number(fields[column])) return false;
    any = true;
  }
  return any;
}

// The last comment as headings, where it has a word for each column and two of them name ends.
Fields headings_in_comment(const TextTable& table, std::size_t columns) {
  for (const char delimiter : {table.delimiter, ' '}) {
    Fields words;
    try {
      words = name_fields(table.comments.last, delimiter);
    } catch (const LineError&) {
      continue;
    }
    if (words.size() == columns && pairs_in(words).size() == 1) return words;
  }
  return {};
}

NumberSigns signs_in(const std::string& path, const TextTable& table, std::size_t first, std::size_t column,
                     const EdgeTableOptions& options, bool ids_have_commas) {
  if (options.decimal) return {options.decimal, options.decimal == ',' ? '.' : ','};
  std::vector<std::string_view> fields;
  for (std::size_t r = first; r < table.rows.size(); ++r)
    if (column < table.rows[r].fields.size()) fields.push_back(table.rows[r].fields[column]);
  // A field that is no number is an error of its own line.
  std::erase_if(fields, [](std::string_view field) { return !looks_like_number(field) && !is_grouped(field, '.'); });
  std::string_view doubt;
  if (ids_have_commas) fields.push_back("1,000.0");
  if (const auto signs = signs_of(fields, doubt)) return *signs;
  std::size_t row = first;
  while (row + 1 < table.rows.size() &&
         (column >= table.rows[row].fields.size() || table.rows[row].fields[column] != doubt))
    ++row;
  throw InputError(fmt::format(
      "{}:{}: weight is {} (the comma may be a decimal one or stand between groups of digits). Say which sign is the "
      "decimal one: --decimal, decimal= in Python.",
      path, table.rows[row].number, in_quotes(doubt)));
}

char group_in_ids(const TextTable& table, std::size_t first, const ColumnChoice& choice, char decimal) {
  if (decimal) return decimal == ',' ? '.' : ',';
  bool any = false;
  for (std::size_t r = first; r < table.rows.size(); ++r)
    for (const std::size_t column : {choice.source, choice.target})
      if (column < table.rows[r].fields.size()) any |= is_grouped(table.rows[r].fields[column], ',');
  return any ? ',' : '\0';
}

std::string list_of(const Fields& headings) {
  std::string all;
  for (const std::string& heading : headings) all += fmt::format("{}{}", all.empty() ? "" : ", ", heading);
  return all;
}

}  // namespace

bool is_heading_row(const TextTable& table, std::size_t first, const EdgeTableOptions& options) {
  if (options.headings) return *options.headings;
  const Fields& words = table.rows[first].fields;
  const bool any_number = std::ranges::any_of(words, looks_like_number);
  const bool below = first + 1 < table.rows.size();
  if (!options.words) {
    if (words.size() < 2 || any_number) return false;
    if (!pairs_in(words).empty() && pairs_in(words)[0].certainty > Pair::ambiguous) return true;
    return below && std::ranges::any_of(table.rows[first + 1].fields, looks_like_number);
  }
  for (const std::string* column : {&options.source, &options.target, &options.weight})
    if (!column->empty() && header_number(*column) < 0) return true;
  // Not single letters, which are names of vertices in many a small example.
  for (const Pair& pair : pairs_in(words)) {
    const std::string source = plain_word(words[pair.source]);
    if (pair.certainty == Pair::numbered) {  // "gene1 gene2" may be names too: headings are not among the names
      if (names_a_thing(source.substr(0, source.size() - 1)) && !recurs(table, first, words[pair.source]) &&
          !recurs(table, first, words[pair.target]))
        return true;
    } else if (source.size() > 1) {
      return true;
    }
  }
  if (words.size() > 1 && names_a_thing(words[0]) && names_a_thing(words[1])) return true;
  const auto heads_numbers = [&](std::size_t i) {
    return i < words.size() && !looks_like_number(words[i]) && !says_missing(words[i]) &&
           numbers_below(table, first, i);
  };
  for (std::size_t i = 2; i < words.size(); ++i)
    if (heads_numbers(i)) return true;
  return heads_numbers(0) && heads_numbers(1);
}

EdgeTable find_edge_columns(const std::string& path, const TextTable& table, std::size_t first,
                            const EdgeTableOptions& options) {
  EdgeTable found;
  const bool headed = is_heading_row(table, first, options);
  if (headed) found.headings = table.rows[first].fields;
  found.row = first + headed;
  const std::string place = fmt::format("{}:{}", path, table.rows[first].number);
  check(found.row < table.rows.size(),
        "{}: holds no edge (its only line is taken as headings: {}). Say so if it is an edge: --headings no, "
        "headings=False "
        "in Python.",
        path, list_of(found.headings));
  const Fields& edge = table.rows[found.row].fields;
  found.columns = edge.size();
  std::vector<Kind> kinds = kinds_of(table, found.row);
  const bool data_behind = found.columns > 2 && is_edge_data(edge.back());

  // R writes a number for each row, and no heading above them.
  if (headed && found.columns == found.headings.size() + 1 && !edge.back().empty() && !data_behind) {
    check(table.delimiter != ',' && table.delimiter != ';' && is_whole(edge[0]) && !options.words,
          "{}:{}: the line has {} fields and the headings are {} (is a {} part of a number or of a name?). Put such "
          "fields "
          "in quotes, or correct the headings.",
          path, table.rows[found.row].number, found.columns, found.headings.size(),
          table.delimiter == ' ' ? "blank" : in_quotes(std::string_view(&table.delimiter, 1)));
    found.headings.insert(found.headings.begin(), "");
  }
  check(!headed || found.columns <= found.headings.size() || edge[found.headings.size()].empty() || data_behind,
        "{}:{}: the line has {} fields and the headings are {} (are some {} part of numbers or of names?). Put such "
        "fields "
        "in quotes, or correct the headings.",
        path, table.rows[found.row].number, found.columns, found.headings.size(), name_of_delimiter(table.delimiter));
  const bool columns_given = !options.source.empty() || !options.target.empty();
  Fields words = found.headings;
  if (!headed && !columns_given && options.headings != false) words = headings_in_comment(table, found.columns);

  if (data_behind) kinds.resize(found.columns - 1);
  words.resize(words.empty() ? 0 : std::max(words.size(), kinds.size()));
  UseWeights weights = options.weights;
  std::string weight = options.weight;
  const bool key_given = !weight.empty() && header_number(weight) < 0 && !headed;
  if (data_behind && (key_given || weight.empty()) && weights != UseWeights::none) {
    found.weight_key = weight.empty() ? "weight" : weight;
    const bool any = std::any_of(
        table.rows.begin() + static_cast<std::ptrdiff_t>(found.row), table.rows.end(), [&](const TextRow& row) {
          return row.line.find(fmt::format("'{}'", found.weight_key)) != std::string_view::npos ||
                 row.line.find(fmt::format("\"{}\"", found.weight_key)) != std::string_view::npos;
        });
    check(any || (weight.empty() && weights != UseWeights::required),
          "{}: has no weights (the data of its first edges have no {}). Name another key, or read without weights.",
          place, in_quotes(found.weight_key));
    if (!any) found.weight_key.clear();
    weight.clear();
    weights = UseWeights::none;
  }
  std::vector<Fields> samples(kinds.size());
  for (std::size_t r = found.row; r < table.rows.size(); ++r)
    for (std::size_t i = 0; i < std::min(samples.size(), table.rows[r].fields.size()); ++i)
      samples[i].push_back(table.rows[r].fields[i]);
  found.choice = choose_columns({.place = place,
                                 .headings = words,
                                 .kinds = kinds,
                                 .samples = samples,
                                 .source = options.source,
                                 .target = options.target,
                                 .weight = weight,
                                 .weights = table.comments.unweighted && weights == UseWeights::automatic && !headed
                                                ? UseWeights::none
                                                : weights});
  const ColumnChoice& choice = found.choice;
  if (!options.words) found.id_group = group_in_ids(table, found.row, choice, options.decimal);
  if (choice.weight)
    found.weight_signs = signs_in(path, table, found.row, *choice.weight, options, found.id_group == ',');

  std::string unused;
  std::size_t count = 0;
  for (std::size_t i = 0; i < found.columns; ++i) {
    if (i == choice.source || i == choice.target || i == choice.weight || (i + 1 == found.columns && edge[i].empty()))
      continue;
    if (data_behind && i + 1 == found.columns && !found.weight_key.empty()) continue;
    ++count;
    if (count <= 8) unused += fmt::format("{}{}", count > 1 ? ", " : "", i + 1);
  }
  if (!found.weight_key.empty())
    found.choice.described = fmt::format("source in column {}, target in column {}, weight {} of the data behind",
                                         choice.source + 1, choice.target + 1, in_quotes(found.weight_key));
  found.described =
      fmt::format("{}cut by {}{}{}", choice.described.empty() ? "" : choice.described + "; ",
                  name_of_delimiter(table.delimiter), found.weight_signs.decimal == ',' ? ", decimal commas" : "",
                  found.id_group || found.weight_signs.group ? ", digits in groups" : "");
  if (count > 0)
    found.described += fmt::format("; not used: column{} {}{}", count > 1 ? "s" : "", unused, count > 8 ? ", ..." : "");
  found.worth_saying = headed || !words.empty() || count > 0 || found.weight_signs.decimal == ',' || found.id_group ||
                       found.weight_signs.group || data_behind || table.delimiter == ';' || table.delimiter == '|';
  return found;
}

}  // namespace atl::table
