// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
      : path_(path), table_(table), first_(first), forced_(forced) {}

  std::optional<MatrixText> look() const {
    if (first_ >= table_.rows.size()) return {};
    if (auto labelled = with_labels()) return labelled;
    const std::size_t n = fields(first_).size(), rows = table_.rows.size() - first_;
    for (std::size_t r = first_; r < table_.rows.size(); ++r)
      if (fields(r).size() != n || !std::ranges::all_of(fields(r), is_number)) {
        check(!forced_, "{}:{}: the row is no row of a matrix of numbers with {} columns (--format matrix). Correct it.", path_,
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
  const std::vector<std::string>& fields(std::size_t row) const { return table_.rows[row].fields; }

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
    for (std::size_t r = 0; r < rows; ++r) {
      const auto& row = fields(first_ + 1 + r);
      if (row.size() != columns || row[0] != labels[r] || !std::all_of(row.begin() + 1, row.end(), is_entry)) return {};
    }
    const std::set<std::string> distinct(labels.begin(), labels.end());
    if (distinct.size() < labels.size()) {
      if (std::ranges::all_of(labels, is_number)) return {};  // "0,1,1" above "1,..": rows of numbers
      throw InputError(fmt::format("{}:{}: two columns of the matrix have one heading (which vertex is which?). Rename one.",
                                   path_, table_.rows[first_].number));
    }
    return MatrixText{.size = labels.size(), .row = first_ + 1, .first_field = 1, .labels = std::move(labels)};
  }

  double value(std::size_t r, std::size_t c) const {
    const std::string& field = fields(first_ + r)[c];
    double value = 0;
    std::from_chars(field.data() + (field[0] == '+'), field.data() + field.size(), value);
    return value;
  }
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
        "{}:{}: {} rows of {} numbers without headings ({}: which?). {}.", path_, table_.rows[first_].number,
        table_.complete ? fmt::format("{}", rows()) : "many", fields(first_).size(), readings,
        cure ? cure
             : "Say --format matrix (format=\"matrix\" in Python), or which columns are the ends: --source-column and "
               "--target-column (source= and target=)"));
  }

  const std::string& path_;
  const TextTable& table_;
  const std::size_t first_;
  const bool forced_;
};

}  // namespace

std::optional<MatrixText> matrix_in(const std::string& path, const TextTable& table, std::size_t first, bool forced) {
  return Looking(path, table, first, forced).look();
}

}  // namespace atl::table
