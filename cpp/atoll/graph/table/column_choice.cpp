// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/utf8.hpp>
#include <atoll/graph/table/column_choice.hpp>
#include <atoll/graph/table/fields.hpp>
#include <atoll/io/scan.hpp>
#include <charconv>

namespace atl::table {
namespace {

constexpr std::size_t kMostColumns = 10000;
constexpr std::string_view kSayWhich =
    "Say which are the ends: --source-column and --target-column, source= and target= in Python.";

// Digits in three groups by one sign, of which the first or the last has four: 2026-03-01, 1.3.2026, 03/01/2026 08:30.
bool is_date(std::string_view text) {
  std::size_t lengths[3] = {}, group = 0, at = 0;
  char sign = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (scan::is_digit(c)) {
      ++lengths[group];
    } else if (group < 2 && (c == '-' || c == '.' || c == '/') && (sign == 0 || c == sign)) {
      sign = c;
      ++group;
    } else {
      break;
    }
  }
  const bool year = (lengths[0] == 4 && lengths[2] >= 1 && lengths[2] <= 2) ||
                    (lengths[2] == 4 && lengths[0] >= 1 && lengths[0] <= 2);
  return group == 2 && year && lengths[1] >= 1 && lengths[1] <= 2 &&
         (at == text.size() || text[at] == ' ' || text[at] == 'T');
}

class Choosing {
 public:
  explicit Choosing(const ColumnQuestion& question) : q_(question) {}

  ColumnChoice choose() {
    if (!q_.source.empty() || !q_.target.empty())
      take_named_ends();
    else if (!find_pair())
      take_first_two();
    if (chosen_.source == chosen_.target)
      throw UsageError(fmt::format("{}: source and target are both {} (an edge has two ends). Name two columns.",
                                   q_.place, name_of(chosen_.source)));
    choose_weight();
    chosen_.described = fmt::format("source {}, target {}, {}", described(chosen_.source), described(chosen_.target),
                                    chosen_.weight ? "weight " + described(*chosen_.weight) : "no weight");
    return chosen_;
  }

 private:
  bool is_headed() const { return !q_.headings.empty(); }

  std::string name_of(std::size_t column) const {
    return column < q_.headings.size() ? in_quotes(q_.headings[column]) : fmt::format("column {}", column + 1);
  }
  std::string described(std::size_t column) const {
    return column < q_.headings.size() ? fmt::format("'{}' (column {})", printable(q_.headings[column]), column + 1)
                                       : fmt::format("in column {}", column + 1);
  }

  std::string all_columns() const {
    constexpr std::size_t kShown = 20;
    std::string all;
    for (std::size_t i = 0; i < std::min(q_.headings.size(), kShown); ++i)
      all += fmt::format("{}{}", i == 0 ? "" : ", ", in_quotes(q_.headings[i]));
    return q_.headings.size() > kShown ? all + ", ..." : all;
  }

  // A heading as it is written, else in other letters, else the number of a column.
  std::size_t named(const std::string& column, const char* option) const {
    for (std::size_t i = 0; i < q_.headings.size(); ++i)
      if (q_.headings[i] == column) return i;
    if (const std::string word = plain_word(column); !word.empty()) {
      std::optional<std::size_t> found;
      for (std::size_t i = 0; i < q_.headings.size(); ++i) {
        if (plain_word(q_.headings[i]) != word) continue;
        check(!found, "{}: {} is {} (columns {} and {} are called so). Give the number of one.", q_.place, option,
              in_quotes(column), found ? *found + 1 : 0, i + 1);
        found = i;
      }
      if (found) return *found;
    }
    std::size_t number = 0;
    const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
    if (error == std::errc{} && end == column.data() + column.size()) {
      if (number < 1 || number > kMostColumns)
        throw UsageError(fmt::format("{} is {} (columns count from 1). Correct it.", option, column));
      return number - 1;
    }
    throw InputError(
        fmt::format("{}: {} is {} ({}). Name one of them, or give its number.", q_.place, option, in_quotes(column),
                    is_headed() ? fmt::format("the columns are: {}", all_columns()) : "there is no line of headings"));
  }

  void take_named_ends() {
    const bool one = q_.source.empty() || q_.target.empty();
    if (!q_.source.empty()) chosen_.source = named(q_.source, "the source column");
    if (!q_.target.empty()) chosen_.target = named(q_.target, "the target column");
    chosen_.certain = true;
    if (!one) return;
    // The other end: of a pair with the one that is named, else the only other column that can be an end.
    const bool source_is_named = !q_.source.empty();
    const std::size_t given = source_is_named ? chosen_.source : chosen_.target;
    std::vector<std::size_t> others;
    for (const Pair& pair : pairs_in(q_.headings))
      if ((source_is_named ? pair.source : pair.target) == given)
        others.push_back(source_is_named ? pair.target : pair.source);
    if (others.empty()) {
      others = ends();
      std::erase(others, given);
      if (given < q_.kinds.size() && others.size() > 1)
        std::erase_if(others, [&](std::size_t i) { return q_.kinds[i] != q_.kinds[given]; });
      // Without headings the first two columns are the ends.
      if (!is_headed() && given < 2) others = {1 - given};
    }
    const char* missing = source_is_named ? "target" : "source";
    check(others.size() == 1, "{}: the {} is {} ({} {}). Name the {} column too.", q_.place,
          source_is_named ? "source" : "target", name_of(given),
          others.empty() ? "no other column can be the" : "several columns can be the", missing, missing);
    (source_is_named ? chosen_.target : chosen_.source) = others[0];
  }

  bool find_pair() {
    std::vector<Pair> pairs = pairs_in(q_.headings);
    if (pairs.empty()) return false;
    if (pairs.size() > 1) pairs = preferred(std::move(pairs));
    check(pairs.size() == 1, "{}: the ends are {} and {}, or {} and {} (both readings are possible). {}", q_.place,
          name_of(pairs[0].source), name_of(pairs[0].target), name_of(pairs.back().source),
          name_of(pairs.back().target), kSayWhich);
    chosen_.source = pairs[0].source;
    chosen_.target = pairs[0].target;
    chosen_.certain = true;
    // In "protein1 protein2 combined_score" the third is the weight, as without headings.
    const bool letters = q_.headings[pairs[0].source].size() == 1 && q_.headings[pairs[0].target].size() == 1;
    by_place_ = pairs[0].certainty == Pair::numbered || letters;
    first_ = pairs[0].source;
    return true;
  }

  std::vector<Pair> preferred(std::vector<Pair> pairs) const {
    const auto word = [&](std::size_t column) { return plain_word(q_.headings[column]); };
    // An arc goes from its tail to its head; a triple of a knowledge graph from its head, by a relation, to its tail.
    const bool both_ways =
        pairs.size() == 2 && pairs[0].source == pairs[1].target && pairs[0].target == pairs[1].source;
    if (both_ways && word(pairs[0].source).starts_with("head")) std::swap(pairs[0], pairs[1]);
    if (both_ways && word(pairs[0].source).starts_with("tail")) {
      const bool triples = std::ranges::any_of(q_.headings, [&](const std::string& h) {
        const std::string plain = plain_word(h);
        return is_relation(h) || plain == "type" || plain == "label" || plain == "edge" || plain == "r";
      });
      if (triples) return {pairs[1]};
      if (pairs[0].source < pairs[0].target) return {pairs[0]};
      return pairs;
    }
    // "source" and "target" beside "source name" and "target name" are the ends by their ids.
    for (const Pair& pair : pairs)
      if (word(pair.source) == "source" && word(pair.target) == "target" &&
          std::ranges::all_of(pairs, [&](const Pair& other) {
            return word(other.source).starts_with("source") && word(other.target).starts_with("target");
          }))
        return {pair};
    return pairs;
  }

  // Columns that can be an end, in order.
  std::vector<std::size_t> ends() const {
    std::vector<std::size_t> columns;
    for (std::size_t i = 0; i < q_.kinds.size(); ++i) {
      if (q_.kinds[i] != Kind::words && q_.kinds[i] != Kind::whole) continue;
      if (is_headed() && is_weight(q_.headings[i])) continue;
      if (!q_.weight.empty() && i == named(q_.weight, "the weight column")) continue;
      columns.push_back(i);
    }
    std::vector<std::size_t> others = columns;
    std::erase_if(others, [&](std::size_t i) { return has_dates(i); });
    return others.size() < 2 ? columns : others;
  }

  bool has_dates(std::size_t column) const {
    if (column >= q_.samples.size() || q_.kinds[column] != Kind::words) return false;
    std::vector<std::string> values = q_.samples[column];
    std::erase_if(values, says_missing);
    return !values.empty() && std::ranges::all_of(values, is_date);
  }

  // The two of these columns that have a value in common, if only two have.
  std::optional<Pair> sharing(const std::vector<std::size_t>& columns) const {
    std::optional<Pair> found;
    for (std::size_t a = 0; a < columns.size(); ++a)
      for (std::size_t b = a + 1; b < columns.size(); ++b) {
        if (columns[b] >= q_.samples.size()) return {};
        const auto& other = q_.samples[columns[b]];
        const bool share = std::ranges::any_of(q_.samples[columns[a]], [&](const std::string& value) {
          return !says_missing(value) && std::ranges::find(other, value) != other.end();
        });
        if (share && found) return {};
        if (share) found = Pair{columns[a], columns[b], Pair::ambiguous};
      }
    return found;
  }

  void take_first_two() {
    by_place_ = true;
    if (!is_headed()) return;  // columns 1 and 2, as in every list of edges without headings
    std::vector<std::size_t> columns = ends();
    const bool indexed = columns.size() > 0 && columns[0] == 0 && q_.headings.size() > 2 && is_index(q_.headings[0]);
    if (indexed) columns.erase(columns.begin());
    check(columns.size() > 1, "{}: the columns are {} ({}an edge has two ends: names or whole numbers). {}", q_.place,
          all_columns(), indexed ? fmt::format("{} looks like a number of the row, and ", name_of(0)) : std::string(),
          kSayWhich);
    chosen_.source = columns[0];
    chosen_.target = columns[1];
    first_ = indexed ? 1 : 0;
    // A third column that could be an end as well leaves two readings; where the ends are words, numbers are none.
    std::vector<std::size_t> alike;
    for (const std::size_t i : columns)
      if (q_.kinds[i] == q_.kinds[columns[0]]) alike.push_back(i);
    const std::size_t weights = q_.kinds[columns[0]] == Kind::whole && alike.size() == 3 && alike[2] == first_ + 2;
    const bool words = q_.kinds[columns[0]] == Kind::words && q_.kinds[columns[1]] == Kind::words;
    chosen_.certain = words && !q_.samples.empty();
    if (q_.kinds[columns[0]] != q_.kinds[columns[1]] || alike.size() - weights <= 2) return;
    const auto pair = words ? sharing(alike) : std::nullopt;
    if (pair) {
      chosen_.source = pair->source;
      chosen_.target = pair->target;
    } else {
      throw InputError(fmt::format("{}: the columns are {} (the edges may go from {} to {}, or from {} to {}). {}",
                                   q_.place, all_columns(), name_of(alike[0]), name_of(alike[1]), name_of(alike[0]),
                                   name_of(alike[2]), kSayWhich));
    }
  }

  void choose_weight() {
    if (q_.weights == UseWeights::none) return;
    if (!q_.weight.empty()) {
      chosen_.weight = named(q_.weight, "the weight column");
    } else if (is_headed()) {
      for (const std::string_view word : weight_names())
        for (std::size_t i = 0; i < q_.headings.size() && !chosen_.weight; ++i)
          if (i != chosen_.source && i != chosen_.target && plain_word(q_.headings[i]) == word) chosen_.weight = i;
    }
    const std::size_t third = first_ + 2;
    if (!chosen_.weight && by_place_ && third < q_.kinds.size() && chosen_.source == first_ &&
        chosen_.target == first_ + 1 && (q_.kinds[third] == Kind::whole || q_.kinds[third] == Kind::reals))
      chosen_.weight = third;
    check(chosen_.weight || q_.weights != UseWeights::required,
          "{}: has no weights ({}). Name the column of the weights, or read without them.", q_.place,
          is_headed() ? fmt::format("the columns are: {}", all_columns())
                      : fmt::format("the line has {} column{}", q_.kinds.size(), q_.kinds.size() == 1 ? "" : "s"));
    if (chosen_.weight && (*chosen_.weight == chosen_.source || *chosen_.weight == chosen_.target))
      throw InputError(fmt::format("{}: weight is {}, which is an end of the edges too (which is meant?). Name others.",
                                   q_.place, name_of(*chosen_.weight)));
  }

  const ColumnQuestion& q_;
  ColumnChoice chosen_;
  bool by_place_ = false;
  std::size_t first_ = 0;  // 1 where the first column numbers the rows
};

}  // namespace

ColumnChoice choose_columns(const ColumnQuestion& question) { return Choosing(question).choose(); }

}  // namespace atl::table
