// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/table/headings.hpp>
#include <atoll/graph/table/matrix_text.hpp>
#include <atoll/io/scan.hpp>
#include <charconv>
#include <set>

namespace atl::table {
namespace {

// From so many columns on, all of them numbers without headings, rows are no edges: source, target, weight, time.
constexpr std::size_t kManyColumns = 5;

bool is_entry(std::string_view field) { return field.empty() || is_number(field); }

class Looking {
 public:
  Looking(const std::string& path, const TextTable& table, std::size_t first, bool forced)
      : path_(path), table_(table), first_(first), forced_(forced) {
    for (const TextRow& row : table.rows) fields_.push_back(row.fields);
    // A delimiter at the end of each line is no entry.
    const auto ends_empty = [](const std::vector<std::string>& row) { return row.size() > 1 && row.back().empty(); };
    if (first < fields_.size() &&
        std::all_of(fields_.begin() + static_cast<std::ptrdiff_t>(first), fields_.end(), ends_empty))
      for (std::size_t r = first; r < fields_.size(); ++r) fields_[r].pop_back();
  }

  std::optional<MatrixText> look() const {
    if (first_ >= table_.rows.size()) return {};
    if (auto labelled = with_labels()) return labelled;
    if (auto labelled = with_labels_on_one_side()) return labelled;
    const std::size_t n = fields(first_).size(), rows = table_.rows.size() - first_;
    for (std::size_t r = first_; r < table_.rows.size(); ++r)
      if (fields(r).size() != n || !std::ranges::all_of(fields(r), is_number)) {
        check(!forced_,
              "{}:{}: the row is no row of a matrix of numbers with {} columns (--format matrix). Correct it.", path_,
              table_.rows[r].number, n);
        return {};
      }
    const MatrixText square{.size = n, .row = first_, .first_field = 0, .labels = {}};
    if (forced_) return square;
    if (n < 3 || (n == 3 && rows != 3)) return {};
    if (rows == 1 && table_.complete) {
      if (n > 3) refuse("several edges in one line, or one edge with further columns", "Write one edge a line");
      return {};
    }
    const bool may_be_square = table_.complete ? rows == n : rows < n;
    const bool only_0_and_1 = all([](double w) { return w == 0 || w == 1; });
    if (!may_be_square) {
      if (only_0_and_1 && n > 3) refuse("a matrix that is not square, or edges with further columns");
      if (n >= kManyColumns && !is_counted()) refuse("edges with further columns, or a matrix");
      return {};
    }
    if (n > 3 && (only_0_and_1 || is_symmetric() || !table_.complete)) return square;
    if (only_0_and_1 || n >= kManyColumns || has_empty_diagonal()) refuse("a square matrix, or edges with weights");
    return {};
  }

 private:
  const std::vector<std::string>& fields(std::size_t row) const { return fields_[row]; }

  // ",A,B" above "A,0,1" and "B,1,0"; or "A,B", as R writes headings.
  std::optional<MatrixText> with_labels() const {
    if (first_ + 1 >= table_.rows.size()) return {};
    std::vector<std::string> labels = fields(first_);
    const std::size_t columns = fields(first_ + 1).size();
    if (labels.size() == columns) {
      if (is_number(labels[0])) return {};  // a row like the others
      labels.erase(labels.begin());
    }
    const std::size_t rows = table_.rows.size() - first_ - 1;
    if (labels.size() < 2 || labels.size() + 1 != columns) return {};
    if (rows > labels.size() || (table_.complete && rows != labels.size())) return {};
    bool in_order = true, known = true;
    for (std::size_t r = 0; r < rows; ++r) {
      const auto& row = fields(first_ + 1 + r);
      if (row.size() != columns || !std::all_of(row.begin() + 1, row.end(), is_entry)) return {};
      in_order &= row[0] == labels[r];
      known &= std::ranges::find(labels, row[0]) != labels.end();
    }
    if (!known) return {};
    check(in_order,
          "{}:{}: rows and columns have the same names in other orders (a matrix, or edges?). Write them in one order.",
          path_, table_.rows[first_].number);
    const std::set<std::string> distinct(labels.begin(), labels.end());
    check(distinct.size() == labels.size(),
          "{}:{}: two columns of the matrix have one heading (which vertex is which?). Rename one.", path_,
          table_.rows[first_].number);
    return MatrixText{.size = labels.size(), .row = first_ + 1, .first_field = 1, .labels = std::move(labels)};
  }

  // Names above the columns alone, as pandas writes without an index, or before the rows alone.
  std::optional<MatrixText> with_labels_on_one_side() const {
    if (!table_.complete) return {};
    const bool above = std::ranges::none_of(fields(first_), is_number);
    const std::size_t begin = first_ + above, skipped = above ? 0 : 1;
    if (begin >= fields_.size() || fields(begin).size() <= skipped) return {};
    const std::size_t n = fields(begin).size() - skipped;
    if (n < 3 || fields_.size() - begin != n || (above && fields(first_).size() != n)) return {};
    std::vector<std::string> labels = above ? fields(first_) : std::vector<std::string>();
    std::vector<double> values;
    for (std::size_t r = begin; r < fields_.size(); ++r) {
      const auto& row = fields(r);
      if (row.size() != n + skipped || (!above && is_number(row[0]))) return {};
      if (!above) labels.push_back(row[0]);
      for (std::size_t c = skipped; c < row.size(); ++c) {
        if (!is_number(row[c])) return {};
        values.push_back(number(row[c]));
      }
    }
    const std::set<std::string> distinct(labels.begin(), labels.end());
    if (distinct.size() < n) return {};
    if (above && (std::ranges::any_of(labels, is_weight) || std::ranges::any_of(pairs_in(labels), [](const Pair& pair) {
                    return pair.certainty > Pair::ambiguous;
                  })))
      return {};
    bool binary = true, symmetric = true;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        binary &= values[i * n + j] == 0 || values[i * n + j] == 1;
        symmetric &= values[i * n + j] == values[j * n + i];
      }
    if (symmetric || (binary && n > 3))
      return MatrixText{.size = n, .row = begin, .first_field = skipped, .labels = std::move(labels)};
    // Three columns of numbers under unknown headings may be edges with weights.
    if (!above || n > 3 || binary)
      throw InputError(fmt::format(
          "{}:{}: {} rows of {} numbers with names {} (a matrix, or edges?). Say --format matrix, format=\"matrix\" in "
          "Python, or which columns are the ends: --source-column and --target-column, source= and target= in Python.",
          path_, table_.rows[first_].number, n, n, above ? "above them" : "before them"));
    return {};
  }

  static double number(std::string_view field) {
    double value = 0;
    std::from_chars(field.data() + (field[0] == '+'), field.data() + field.size(), value);
    return value;
  }

  double value(std::size_t r, std::size_t c) const { return number(fields(first_ + r)[c]); }
  std::size_t rows() const { return table_.rows.size() - first_; }
  template <class F>
  bool all(F&& f) const {
    for (std::size_t r = 0; r < rows(); ++r)
      for (std::size_t c = 0; c < fields(first_).size(); ++c)
        if (!f(value(r, c))) return false;
    return true;
  }
  bool is_symmetric() const {
    for (std::size_t r = 0; r < rows(); ++r)
      for (std::size_t c = 0; c < r; ++c)
        if (value(r, c) != value(c, r)) return false;
    return true;
  }
  bool has_empty_diagonal() const {
    for (std::size_t r = 0; r < rows(); ++r)
      if (value(r, r) != 0) return false;
    return true;
  }
  // The first column numbers the rows: the reader of edges has a word for that.
  bool is_counted() const {
    for (std::size_t r = 1; r < rows(); ++r)
      if (value(r, 0) != value(0, 0) + static_cast<double>(r)) return false;
    return rows() > 3;
  }

  [[noreturn]] void refuse(const char* readings, const char* cure = nullptr) const {
    throw InputError(fmt::format(
        "{}:{}: {} of {} numbers without headings ({}: which?). {}.", path_, table_.rows[first_].number,
        !table_.complete ? "many rows"
        : rows() == 1    ? "one row"
                         : fmt::format("{} rows", rows()),
        fields(first_).size(), readings,
        cure ? cure
             : "Say --format matrix, format=\"matrix\" in Python, or which columns are the ends: --source-column and "
               "--target-column, source= and target= in Python"));
  }

  const std::string& path_;
  const TextTable& table_;
  const std::size_t first_;
  const bool forced_;
  std::vector<std::vector<std::string>> fields_;  // [row]
};

}  // namespace

std::optional<MatrixText> matrix_in(const std::string& path, const TextTable& table, std::size_t first, bool forced) {
  return Looking(path, table, first, forced).look();
}

}  // namespace atl::table
