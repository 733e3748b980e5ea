// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/table/fields.hpp>
#include <atoll/graph/table/text_table.hpp>
#include <atoll/io/scan.hpp>
#include <cctype>
#include <utility>

namespace atl::table {
namespace {

constexpr std::string_view kBlanks = " \t\r";
constexpr std::string_view kSeparators = ",;|\t";

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(kBlanks);
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

bool is_comment(std::string_view line) {
  return line.starts_with('#') || line.starts_with('%') || line.starts_with("//");
}

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return out;
}

// The words of a comment, in lower case, cut at all but letters and digits.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words(1);
  for (const char c : lower(text)) {
    if (std::isalnum(static_cast<unsigned char>(c)))
      words.back() += c;
    else if (!words.back().empty())
      words.emplace_back();
  }
  if (words.back().empty()) words.pop_back();
  return words;
}

class CommentReader {
 public:
  void read(std::string_view line) {
    read_own(line);
    const std::size_t mark = line.find_first_not_of("#%/ \t");
    const std::string_view text = mark == std::string_view::npos ? std::string_view() : trimmed(line.substr(mark));
    facts_.last = text;
    const std::vector<std::string> words = words_of(text);
    if (line.starts_with('%')) read_konect(line, words);
    read_direction(line, words);
  }
  CommentFacts facts() const { return facts_; }

 private:
  // "# atoll: vertices 1..34 undirected"
  void read_own(std::string_view line) {
    constexpr std::string_view kOurs = "# atoll: vertices ";
    if (!line.starts_with(kOurs)) return;
    line.remove_prefix(kOurs.size());
    const std::size_t dots = line.find(".."), blank = line.find(' ');
    if (dots == std::string_view::npos || blank == std::string_view::npos || dots > blank) return;
    const Vertex first = header_number(line.substr(0, dots)),
                 last = header_number(line.substr(dots + 2, blank - dots - 2));
    if (first >= 0 && first <= last && last <= kMaxVertex) facts_.range = IdRange{first, last - first + 1};
  }

  // KONECT: "% bip unweighted", then "% edges left right".
  void read_konect(std::string_view line, const std::vector<std::string>& words) {
    const bool kind = !words.empty() && (words[0] == "bip" || words[0] == "sym" || words[0] == "asym");
    if (kind && words.size() <= 3) {
      konect_ = true;
      facts_.two_mode = words[0] == "bip";
      facts_.unweighted = words.size() > 1 && words[1] == "unweighted";
      say(words[0] == "asym", line);
    } else if (konect_ && words.size() == 3 && facts_.left < 0) {
      facts_.left = header_number(words[1]);
    }
  }

  // "# Undirected graph: roads.txt", "# directed: false"
  void read_direction(std::string_view line, const std::vector<std::string>& words) {
    for (std::size_t i = 0; i < words.size(); ++i) {
      const bool un = words[i] == "undirected" || words[i] == "nondirected" || words[i] == "bidirectional";
      if (!un && words[i] != "directed") continue;
      const std::string after = i + 1 < words.size() ? words[i + 1] : "", before = i > 0 ? words[i - 1] : "";
      const bool negated = after == "false" || after == "no" || after == "0" || before == "not" || before == "non";
      say((un == negated), line);
    }
  }

  void say(bool directed, std::string_view line) {
    if (facts_.directed && *facts_.directed != directed) facts_.contradiction = true;
    if (facts_.directed) return;
    facts_.directed = directed;
    facts_.directed_by = trimmed(line);
  }

  CommentFacts facts_;
  bool konect_ = false;
};

// "sep=;", by which Excel tells the delimiter.
char excel_delimiter(std::string_view line) {
  line = trimmed(line);
  if (line.size() > 2 && line.front() == '"' && line.back() == '"') line = line.substr(1, line.size() - 2);
  if (lower(line.substr(0, 4)) != "sep=") return 0;
  if (line.size() == 4) return '\t';  // trimmed
  return line.size() == 5 && kSeparators.find(line[4]) != std::string_view::npos ? line[4] : '\0';
}

// How well a delimiter fits the lines; smaller is better.
struct Fit {
  char delimiter;
  bool possible = false;
  std::size_t others = 0;  // fields that hold another delimiter, or several numbers
  bool no_ids = false;     // where most fields are numbers: the first two of a row are not
  bool first_differs = false, varies = false;
  auto key() const { return std::tuple(no_ids, others > 0, varies, first_differs); }
};

bool holds_other(const NameField& field, char delimiter, bool words) {
  if (field.quoted || is_edge_data(field.text)) return false;
  if (has_commas(field.text)) return false;
  for (const char c : kSeparators)
    if (c != delimiter && c != '\t' && field.text.find(c) != std::string_view::npos) return true;
  if (words || delimiter == ' ') return field.text.find('\t') != std::string_view::npos && delimiter != ' ';
  // "1 2": two numbers in a field.
  const std::size_t blank = field.text.find_first_of(kBlanks);
  return blank != std::string_view::npos && looks_like_number(trimmed(field.text.substr(blank))) &&
         looks_like_number(field.text.substr(0, blank));
}

// `ragged`: some rows, fewer than half, may have one field or an open quote, which are errors of their lines.
Fit fit_of(char delimiter, const std::vector<TextRow>& rows, std::size_t first, bool words, bool ragged = false) {
  Fit fit{.delimiter = delimiter};
  std::vector<std::size_t> counts;
  for (std::size_t i = first; i < rows.size(); ++i) {
    std::size_t count = 0;
    try {
      NameFields fields(rows[i].line, delimiter);
      for (NameField field; fields.next(field); ++count) {
        fit.others += holds_other(field, delimiter, words);
        if (!words && count < 2 && i > first) fit.no_ids |= !is_whole(field.text) && !is_grouped(field.text, ',');
      }
    } catch (const LineError&) {
      if (delimiter != ' ' && !ragged) return fit;
      count = 2;  // the error is that of the reader
    }
    counts.push_back(count);
  }
  const std::size_t from = counts.size() > 1 ? 1 : 0;  // a title or counts may precede
  const auto single = static_cast<std::size_t>(
      std::count(counts.begin() + static_cast<std::ptrdiff_t>(from), counts.end(), std::size_t{1}));
  fit.possible =
      ragged ? counts.size() > 1 && counts[0] > 1 && 2 * single < counts.size() - from : !counts.empty() && single == 0;
  for (std::size_t i = from; i < counts.size(); ++i) fit.varies |= counts[i] != counts[from];
  fit.first_differs = !counts.empty() && counts[0] != counts[from];
  return fit;
}

char delimiter_of(const std::string& path, const std::vector<TextRow>& rows, bool words) {
  std::size_t first = 0;  // numbers that stand alone are counts
  while (first + 1 < rows.size() && first < 2 && is_whole(trimmed(rows[first].line))) ++first;
  const auto fits = [&](char delimiter, bool ragged = false) { return fit_of(delimiter, rows, first, words, ragged); };
  const Fit tabs = fits('\t'), blanks = fits(' ');
  if (tabs.possible && (words || (tabs.others == 0 && !tabs.varies))) return '\t';
  // NetworkX's lists: behind two ends cut by blanks, data with commas of their own.
  if (blanks.possible && std::ranges::all_of(rows, [](const TextRow& row) {
        const std::string_view line = trimmed(row.line), ends = line.substr(0, line.find('{'));
        return is_edge_data(line.substr(ends.size())) && ends.find_first_of(kSeparators) == std::string_view::npos;
      }))
    return ' ';
  std::vector<Fit> good;
  for (const char delimiter : {',', ';', '|'})
    if (const Fit fit = fits(delimiter); fit.possible) good.push_back(fit);
  if (!words && blanks.possible) {
    // "1 2 0,75" is cut by blanks, "1, 2" and "1, 2, some text" are not.
    if (good.empty() || (blanks.others == 0 && std::ranges::all_of(good, [](const Fit& f) { return f.others > 0; })))
      return ' ';
  }
  if (good.empty() && words && !blanks.possible)
    for (const char delimiter : {',', ';', '|'})
      if (const Fit fit = fits(delimiter, true); fit.possible) good.push_back(fit);
  if (good.empty()) return ' ';
  std::ranges::sort(good, {}, [](const Fit& f) { return f.key(); });
  if (good.size() > 1 && good[0].key() == good[1].key()) {
    throw InputError(fmt::format(
        "{}:{}: the line is {} (it can be cut by {} or by {}). Say by which: --delimiter, delimiter= in Python.", path,
        rows[first].number, in_quotes(rows[first].line), name_of_delimiter(good[0].delimiter),
        name_of_delimiter(good[1].delimiter)));
  }
  return good[0].delimiter;
}

}  // namespace

std::string name_of_delimiter(char delimiter) {
  switch (delimiter) {
    case '\t':
      return "tabs";
    case ',':
      return "commas";
    case ';':
      return "semicolons";
    case '|':
      return "bars";
    case ' ':
      return "blanks";
    default:
      return in_quotes(std::string_view(&delimiter, 1));
  }
}

TextTable read_first_rows(const std::string& path, const Head& head, const TextOptions& options) {
  TextTable table;
  HeadLines lines(path, head);
  CommentReader comments;
  char delimiter = options.delimiter;
  bool cut_short = false;
  try {
    while (table.rows.size() < options.rows) {
      if (!lines.next()) {
        table.complete = true;
        break;
      }
      const std::string_view line = trimmed(lines.line());
      if (line.empty()) continue;
      if (is_comment(line) && (options.comments_inside || table.rows.empty())) {
        if (table.rows.empty()) comments.read(line);
        continue;
      }
      if (const char excel = table.rows.empty() ? excel_delimiter(lines.line()) : '\0') {
        if (!delimiter) delimiter = excel;
        continue;
      }
      table.rows.push_back({{}, lines.line(), lines.offset(), lines.number()});
    }
  } catch (const HeadLines::TooShort&) {
    if (table.rows.size() < 2) throw;  // of headings and an edge at least
    cut_short = true;
  }
  table.complete &= !cut_short;
  table.end = lines.behind();
  table.lines = lines.number();
  table.comments = comments.facts();
  table.delimiter = delimiter ? delimiter : delimiter_of(path, table.rows, options.words);
  for (TextRow& row : table.rows) {
    try {
      row.fields = name_fields(row.line, table.delimiter);
    } catch (const LineError& e) {
      throw InputError(fmt::format("{}:{}: {}", path, row.number, e.what));
    }
  }
  return table;
}

std::vector<Kind> kinds_of(const TextTable& table, std::size_t first) {
  std::vector<Kind> kinds;
  if (first >= table.rows.size()) return kinds;
  const auto kind = [](std::string_view field) {
    if (is_edge_data(field)) return Kind::other;
    if (is_whole(field) || is_grouped(field, ',')) return Kind::whole;
    return looks_like_number(field) ? Kind::reals : Kind::words;
  };
  for (std::size_t i = 0; i < table.rows[first].fields.size(); ++i) {
    Kind column = kind(table.rows[first].fields[i]);
    bool told = !says_missing(table.rows[first].fields[i]);
    for (std::size_t r = first + 1; r < table.rows.size(); ++r) {
      if (i >= table.rows[r].fields.size() || says_missing(table.rows[r].fields[i])) continue;
      const Kind other = kind(table.rows[r].fields[i]);
      if (!std::exchange(told, true)) column = other;
      // A word below a number is an error in a column of weights, and a name in one of ends.
      if (column == Kind::whole && other == Kind::reals) column = Kind::reals;
      if (i < 2 && other == Kind::words) column = Kind::words;
    }
    kinds.push_back(column);
  }
  return kinds;
}

}  // namespace atl::table
