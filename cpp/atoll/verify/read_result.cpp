// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/formats/blocks.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/verify/dense.hpp>
#include <atoll/verify/read_result.hpp>
#include <charconv>
#include <cstring>
#include <tuple>

namespace atl {
namespace {

template <class T>
struct Row {
  Vertex id;
  T value;
  std::int64_t line;  // from 1; in a .npy the index of the element
};

/// The rows read by each thread.
template <class T>
class Rows {
 public:
  explicit Rows(World& world) : threads_(static_cast<std::size_t>(world.team().size())) {}
  void add(int thread, const Row<T>& row) { threads_[thread].push_back(row); }
  std::vector<Row<T>> take() {
    std::vector<Row<T>> all = std::move(threads_[0]);
    for (std::size_t t = 1; t < threads_.size(); ++t) all.insert(all.end(), threads_[t].begin(), threads_[t].end());
    return all;
  }

 private:
  std::vector<std::vector<Row<T>>> threads_;
};

/// Parses the whole field as a number; accepts Infinity and NaN like std::from_chars.
template <class T>
bool parse(std::string_view field, T& value) {
  if (field.starts_with('+')) field.remove_prefix(1);
  const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
  return error == std::errc() && end == field.data() + field.size();
}

template <class T>
constexpr const char* kKind = std::is_same_v<T, double> ? "a number" : "a whole number";

template <class T>
std::vector<Row<T>> read_text(World& world, const std::string& path) {
  Rows<T> rows(world);
  for_each_block(
      world, path, {.from = text_begin(world, path), .count_rows = &count_lines}, [&](int thread, const Block& block) {
        std::int64_t line = block.row;
        for (const char* p = block.begin; p < block.end;) {
          const char* const next = next_line(p, block.end);
          const std::string_view text(p, static_cast<std::size_t>(next - p - 1));
          ++line;
          const auto fields = fields_of(text);
          const bool empty = fields.empty() || fields[0].starts_with('#') || (line == 1 && fields[0] == "id");
          if (!empty) {
            Row<T> row{0, {}, line};
            if (fields.size() != 2)
              throw LineError{p,
                              fmt::format("{} has {} fields (an id and a value stand on a line). Is this a result that "
                                          "--output has written?",
                                          in_quotes(text), fields.size())};
            if (!parse(fields[0], row.id) || row.id < 0)
              throw LineError{
                  p, fmt::format("the id is {} (a whole number from 0 on). Correct it.", in_quotes(fields[0]))};
            if (!parse(fields[1], row.value))
              throw LineError{
                  p, fmt::format("the value of vertex {} is {} ({} is needed). Correct it, or name what the file "
                                 "holds.",
                                 row.id, in_quotes(fields[1]), kKind<T>)};
            rows.add(thread, row);
          }
          p = next;
        }
      });
  return rows.take();
}

template <class T>
std::vector<Row<T>> read_npy(World& world, const std::string& path) {
  constexpr std::size_t kRow = 16;
  const Head head = read_head(world, path, 4096);
  std::uint64_t n = 0, start = 0;
  bool whole = false;
  world.collective_try([&] {
    check(head.text.starts_with("\x93NUMPY\x01") && head.text.size() >= 10,
          "{}: does not begin as numpy's format 1.0 does (.npy files do). Write it with numpy.save.", path);
    start = 10 + static_cast<unsigned char>(head.text[8]) + 256u * static_cast<unsigned char>(head.text[9]);
    const std::string words = head.text.substr(10, std::min(start, head.text.size()) - 10);
    whole = words.find("('value', '<i8')") != std::string::npos;
    check(words.find("[('id', '<i8'), ('value', '<") != std::string::npos &&
              (whole || words.find("('value', '<f8')]") != std::string::npos) &&
              words.find("'fortran_order': False") != std::string::npos,
          "{}: its header is {} (an array of ('id', '<i8') and ('value', '<i8' or '<f8') is needed). Write it by "
          "--output.",
          path, in_quotes(words));
    check(whole || std::is_same_v<T, double>, "{}: its values are of type f8 ({} is needed). Name what the file holds.",
          path, kKind<T>);
    const auto shape = words.find("'shape': (");
    if (shape != std::string::npos) std::from_chars(words.data() + shape + 10, words.data() + words.size(), n);
    check(head.file_bytes >= start && (head.file_bytes - start) % kRow == 0 && (head.file_bytes - start) / kRow == n,
          "{}: has {} bytes behind its header ({} values take {}). Is it cut off?", path,
          head.file_bytes - std::min<std::uint64_t>(head.file_bytes, start), n, n * kRow);
  });
  const auto ranks = static_cast<std::uint64_t>(world.size()), rank = static_cast<std::uint64_t>(world.rank());
  const std::uint64_t first = n * rank / ranks, end = n * (rank + 1) / ranks;
  std::vector<char> bytes(static_cast<std::size_t>(end - first) * kRow);
  world.collective_try([&] { InputFile(path).read_at(bytes.data(), bytes.size(), start + first * kRow); });
  std::vector<Row<T>> rows;
  for (std::uint64_t i = first; i < end; ++i) {
    const char* const at = bytes.data() + (i - first) * kRow;
    Row<T> row{0, {}, static_cast<std::int64_t>(i) + 1};
    std::memcpy(&row.id, at, sizeof row.id);
    if (whole) {
      std::int64_t value = 0;
      std::memcpy(&value, at + 8, sizeof value);
      row.value = static_cast<T>(value);
    } else {
      std::memcpy(&row.value, at + 8, sizeof row.value);
    }
    rows.push_back(row);
  }
  return rows;
}

/// An invalid row; the one of the first line is reported.
struct Wrong {
  std::int64_t line = INT64_MAX;
  Vertex id = kNoVertex;
  std::int64_t before = 0;  // the line that already has a value for it; 0: no vertex has the id

  bool operator<(const Wrong& other) const { return std::tie(line, id) < std::tie(other.line, other.id); }
};

Wrong first_of(World& world, const Wrong& mine) {
  return world.fold(mine, [](const Wrong& a, const Wrong& b) { return b < a ? b : a; });
}

}  // namespace

template <class T>
Array<T> read_result(const Graph& graph, const std::string& path) {
  World& world = graph.world();
  std::vector<Row<T>> rows = path.ends_with(".npy") ? read_npy<T>(world, path) : read_text<T>(world, path);
  std::vector<Vertex> ids;
  for (const Row<T>& row : rows) ids.push_back(row.id);
  const Array<Vertex> dense = dense_of(world, graph.ids(), ids);

  Wrong wrong;
  std::vector<std::vector<Row<T>>> outgoing(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (dense[i] < 0) {
      wrong = std::min(wrong, {rows[i].line, rows[i].id, 0});
    } else {
      rows[i].id = dense[i];
      outgoing[graph.blocks().owner(dense[i])].push_back(rows[i]);
    }
  }
  rows = {};
  const Vertex begin = graph.blocks().begin(world.rank());
  Array<T> values(static_cast<std::size_t>(graph.owned()));
  std::vector<std::int64_t> line(values.size(), 0);
  for (const auto& part : world.exchange(std::move(outgoing)))
    for (const Row<T>& row : part) {
      const auto k = static_cast<std::size_t>(row.id - begin);
      if (line[k] > 0)
        wrong = std::min(wrong,
                         {std::max(line[k], row.line), graph.ids().id_of(row.id - begin), std::min(line[k], row.line)});
      line[k] = line[k] > 0 ? std::min(line[k], row.line) : row.line;
      values[k] = row.value;
    }
  wrong = first_of(world, wrong);
  world.collective_try([&] {
    check(wrong.line == INT64_MAX || wrong.before != 0,
          "{}:{}: there is a value for {} (no vertex of {} has that id). Is it the result of another graph?", path,
          wrong.line, wrong.id, graph.name());
    check(wrong.line == INT64_MAX, "{}:{}: there is a value for vertex {} (line {} has one). Leave one of them out.",
          path, wrong.line, wrong.id, wrong.before);
  });

  Vertex missing = INT64_MAX, all = 0;
  for (std::size_t k = 0; k < line.size(); ++k) {
    if (line[k] > 0) continue;
    missing = std::min(missing, graph.ids().id_of(static_cast<Vertex>(k)));
    ++all;
  }
  missing = world.min(missing);
  all = world.sum(all);
  world.agree(
      all == 0,
      fmt::format("{}: there is no value for vertex {} ({} of the {} vertices of {} have none). Is the file cut off?",
                  path, missing, all, graph.vertices(), graph.name()));
  return values;
}
template Array<Vertex> read_result(const Graph&, const std::string&);
template Array<double> read_result(const Graph&, const std::string&);

}  // namespace atl
