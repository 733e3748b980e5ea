// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/binary.hpp>
#include <atoll/graph/formats/companions.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/io/scan.hpp>
#include <atoll/io/write_file.hpp>
#include <charconv>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t kRowsPerBlock = 8192;
// The longest line: three numbers of at most 24 characters, and the separators.
constexpr std::size_t kLongestLine = 96;

char* put(char* p, std::int64_t value) { return std::to_chars(p, p + 24, value).ptr; }

// A whole number that a double holds exactly is written with all digits, without an exponent.
char* put(char* p, double value) {
  if (std::abs(value) < 0x1p53 && std::trunc(value) == value) return put(p, static_cast<std::int64_t>(value));
  if (std::isfinite(value)) return std::to_chars(p, p + 32, value).ptr;
  // The spellings that Java, Python and C all read.
  const char* word = std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  const std::size_t n = std::strlen(word);
  std::memcpy(p, word, n);
  return p + n;
}

// Writes `head` and then every rank's rows, each formatted by line(char* p, row) -> end. Lines are formatted twice, the
// first time for their lengths only: so every rank and thread knows its offset, and no text is stored. Collective.
template <class Line>
void write_lines(World& world, const std::string& path, const std::string& head, std::size_t rows, Line&& line) {
  OutputFile file(world, path);
  const std::size_t blocks = (rows + kRowsPerBlock - 1) / kRowsPerBlock;
  std::vector<std::uint64_t> at(blocks + 1, 0);
  Team& team = world.team();
  std::vector<std::vector<char>> buffers(static_cast<std::size_t>(team.size()));
  const auto format = [&](int thread, std::size_t block) {
    auto& buffer = buffers[thread];
    buffer.resize(kRowsPerBlock * kLongestLine);
    char* p = buffer.data();
    for (std::size_t row = block * kRowsPerBlock, end = std::min(rows, row + kRowsPerBlock); row < end; ++row)
      p = line(p, row);
    return static_cast<std::size_t>(p - buffer.data());
  };
  world.collective_try([&] {
    team.for_range(blocks, 1,
                   [&](int thread, std::size_t block, std::size_t) { at[block + 1] = format(thread, block); });
  });
  for (std::size_t b = 0; b < blocks; ++b) at[b + 1] += at[b];
  std::uint64_t start = head.size(), total = head.size();
  const auto sizes = world.all_gather(at[blocks]);
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    if (r < static_cast<std::size_t>(world.rank())) start += sizes[r];
    total += sizes[r];
  }
  file.reserve(total);
  world.collective_try([&] {
    if (world.rank() == 0) file.write_at(head.data(), head.size(), 0);
    team.for_range(blocks, 1, [&](int thread, std::size_t block, std::size_t) {
      file.write_at(buffers[thread].data(), format(thread, block), start + at[block]);
    });
  });
  file.commit();
}

// Writes records of a fixed size: fill(bytes, row) writes one.
template <class Fill>
void write_records(World& world, const std::string& path, const std::string& head, std::size_t rows, std::size_t bytes,
                   Fill&& fill) {
  OutputFile file(world, path);
  const auto counts = world.all_gather(static_cast<std::uint64_t>(rows));
  std::uint64_t start = 0, total = 0;
  for (std::size_t r = 0; r < counts.size(); ++r) {
    if (r < static_cast<std::size_t>(world.rank())) start += counts[r];
    total += counts[r];
  }
  file.reserve(head.size() + total * bytes);
  std::vector<std::vector<char>> buffers(static_cast<std::size_t>(world.team().size()));
  world.collective_try([&] {
    if (world.rank() == 0) file.write_at(head.data(), head.size(), 0);
    world.team().for_range(rows, kRowsPerBlock, [&](int thread, std::size_t a, std::size_t b) {
      auto& buffer = buffers[thread];
      buffer.resize(kRowsPerBlock * bytes);
      for (std::size_t row = a; row < b; ++row) fill(buffer.data() + (row - a) * bytes, row);
      file.write_at(buffer.data(), (b - a) * bytes, head.size() + (start + a) * bytes);
    });
  });
  file.commit();
}

template <class Value>
void write_npy(World& world, const std::string& path, std::span<const Vertex> ids, std::span<const Value> values) {
  const auto n = world.sum(static_cast<std::int64_t>(ids.size()));
  std::string words =
      fmt::format("{{'descr': [('id', '<i8'), ('value', '{}')], 'fortran_order': False, 'shape': ({},), }}",
                  std::is_same_v<Value, double> ? "<f8" : "<i8", n);
  constexpr std::size_t kStart = 10, kAlign = 64;  // numpy.lib.format, version 1.0
  words.resize((kStart + words.size() + 1 + kAlign - 1) / kAlign * kAlign - kStart - 1, ' ');
  words += '\n';
  std::string head = "\x93NUMPY\x01";
  head += '\0';
  head += static_cast<char>(words.size() & 0xff);
  head += static_cast<char>(words.size() >> 8);
  head += words;
  write_records(world, path, head, ids.size(), 16, [&](char* p, std::size_t row) {
    std::memcpy(p, &ids[row], 8);
    std::memcpy(p + 8, &values[row], 8);
  });
}

std::string result_ending(const std::string& path) {
  std::string ending = std::filesystem::path(path).extension().string();
  if (ending != ".tsv" && ending != ".csv" && ending != ".txt" && ending != ".npy")
    throw UsageError(fmt::format("{}: the ending is {} (results are written as .tsv .csv .txt .npy). Use one of them.",
                                 path, in_quotes(ending)));
  return ending;
}

std::string edges_ending(const std::string& path) {
  static constexpr std::string_view kEndings[] = {".el",  ".edges", ".elist", ".wel",     ".txt",  ".tsv",
                                                  ".csv", ".mtx",   ".g500",  ".g500-64", ".atoll"};
  std::string ending = std::filesystem::path(path).extension().string();
  if (std::ranges::find(kEndings, ending) == std::end(kEndings))
    throw UsageError(
        fmt::format("{}: the ending is {} (graphs are written as .el .wel .txt .tsv .csv .mtx .g500 .g500-64 "
                    ".atoll). Use one of them.",
                    path, in_quotes(ending)));
  return ending;
}

template <class Value>
void write_values(World& world, const std::string& path, std::span<const Vertex> ids, std::span<const Value> values) {
  world.agree(ids.size() == values.size(),
              fmt::format("{}: {} ids and {} values were given (each id has one). Pass as many.", path, ids.size(),
                          values.size()));
  const std::string ending = result_ending(path);
  if (ending == ".npy") return write_npy(world, path, ids, values);
  const char between = ending == ".tsv" ? '\t' : ending == ".csv" ? ',' : ' ';
  write_lines(world, path, ending == ".csv" ? "id,value\n" : "", ids.size(), [&](char* p, std::size_t row) {
    p = put(p, ids[row]);
    *p++ = between;
    p = put(p, values[row]);
    *p++ = '\n';
    return p;
  });
}

// Calls f(source, target, weight of row -> double) with the columns' actual types.
template <class F>
void with_columns(const EdgeList& edges, F&& f) {
  std::visit(
      [&](const auto& source) {
        using Column = std::decay_t<decltype(source)>;
        const auto& target = std::get<Column>(edges.target);
        std::visit(
            [&](const auto& weight) {
              if constexpr (std::is_same_v<std::decay_t<decltype(weight)>, std::monostate>) {
                f(source, target, [](std::size_t) { return 1.0; });
              } else {
                f(source, target, [&](std::size_t row) { return weight[row]; });
              }
            },
            edges.weight);
      },
      edges.source);
}

struct IdBounds {
  Vertex least = std::numeric_limits<Vertex>::max(), most = -1;
};

IdBounds bounds_of(World& world, const EdgeList& edges) {
  IdBounds mine;
  with_columns(edges, [&](const auto& source, const auto& target, auto) {
    std::vector<IdBounds> parts(static_cast<std::size_t>(world.team().size()));
    world.team().for_range(source.size(), std::size_t{1} << 18, [&](int thread, std::size_t a, std::size_t b) {
      IdBounds part = parts[thread];
      for (std::size_t i = a; i < b; ++i) {
        const auto s = static_cast<Vertex>(source[i]), t = static_cast<Vertex>(target[i]);
        part.least = std::min({part.least, s, t});
        part.most = std::max({part.most, s, t});
      }
      parts[thread] = part;
    });
    for (const IdBounds& part : parts) {
      mine.least = std::min(mine.least, part.least);
      mine.most = std::max(mine.most, part.most);
    }
  });
  for (const Vertex v : edges.vertices) {
    mine.least = std::min(mine.least, v);
    mine.most = std::max(mine.most, v);
  }
  return {world.min(mine.least), world.max(mine.most)};
}

void write_text(World& world, const std::string& path, const EdgeList& edges, const std::string& head, char between,
                bool weights) {
  with_columns(edges, [&](const auto& source, const auto& target, auto weight) {
    write_lines(world, path, head, source.size(), [&](char* p, std::size_t row) {
      p = put(p, static_cast<Vertex>(source[row]));
      *p++ = between;
      p = put(p, static_cast<Vertex>(target[row]));
      if (weights) {
        *p++ = between;
        // A float is written with the digits that a float needs.
        const auto w = weight(row);
        p = std::to_chars(p, p + 32, w).ptr;
      }
      *p++ = '\n';
      return p;
    });
  });
}

void write_matrix(World& world, const std::string& path, const EdgeList& edges) {
  const IdBounds bounds = bounds_of(world, edges);
  Vertex least = bounds.least, most = bounds.most;
  if (edges.range) {
    least = edges.range->first;
    most = edges.range->first + edges.range->count - 1;
  }
  check(most >= 0, "{}: the graph has no vertex (a matrix has at least one row). Write it as .atoll.", path);
  const Vertex shift = least == 0 ? 1 : 0;
  const auto entries = world.sum(static_cast<std::int64_t>(edges.size()));
  std::string head = fmt::format("%%MatrixMarket matrix coordinate {} {}\n", edges.weighted() ? "real" : "pattern",
                                 edges.directed ? "general" : "symmetric");
  if (shift) {
    head += "% ids are larger by one than in the graph that this was written from\n";
    world.log()(LogLevel::warn, "{}: ids grow by one (those in .mtx start at 1)", path);
  }
  head += fmt::format("{} {} {}\n", most + shift, most + shift, entries);
  with_columns(edges, [&](const auto& source, const auto& target, auto weight) {
    write_lines(world, path, head, source.size(), [&](char* p, std::size_t row) {
      auto s = static_cast<Vertex>(source[row]), t = static_cast<Vertex>(target[row]);
      if (!edges.directed && s < t) std::swap(s, t);  // the lower triangle
      p = put(p, s + shift);
      *p++ = ' ';
      p = put(p, t + shift);
      if (edges.weighted()) {
        *p++ = ' ';
        p = std::to_chars(p, p + 32, weight(row)).ptr;
      }
      *p++ = '\n';
      return p;
    });
  });
}

void write_graph500(World& world, const std::string& path, const EdgeList& edges, int bits) {
  if (bits == 48) {
    const Vertex most = bounds_of(world, edges).most;
    check(most < Vertex{1} << 48, "{}: the largest id is {} (48 bits hold less than 2^48). Write it as .g500-64.", path,
          most);
  }
  if (!edges.weighted()) {
    remove_with_weights(world, path);
  } else {
    with_columns(edges, [&](const auto& source, const auto& target, auto weight) {
      const Edge rounded = world.sum(world.collective_try([&] {
        Edge count = 0;
        for (std::size_t row = 0; row < source.size(); ++row) {
          const auto w = static_cast<double>(weight(row));
          const auto narrow = static_cast<float>(w);
          if (static_cast<double>(narrow) == w) continue;
          check(
              std::isnormal(narrow),
              "{}.weights: the edge from {} to {} weighs {} (as float32, which this format has, it would be {}). Scale "
              "the weights, or write .atoll.",
              path, source[row], target[row], w, narrow);
          ++count;
        }
        return count;
      }));
      remove_with_weights(world, path);
      if (rounded > 0)
        world.log()(LogLevel::warn,
                    "{}.weights: {} weights are rounded to float32, which this format has (.atoll keeps them)", path,
                    rounded);
      write_records(world, weights_path(path), "", source.size(), 4, [&](char* p, std::size_t row) {
        const auto w = static_cast<float>(weight(row));
        std::memcpy(p, &w, 4);
      });
    });
  }
  with_columns(edges, [&](const auto& source, const auto& target, auto) {
    write_records(world, path, "", source.size(), bits == 48 ? 12 : 16, [&](char* p, std::size_t row) {
      const auto s = static_cast<std::uint64_t>(source[row]), t = static_cast<std::uint64_t>(target[row]);
      if (bits == 48) {
        const std::uint32_t words[3] = {static_cast<std::uint32_t>(s), static_cast<std::uint32_t>(t),
                                        static_cast<std::uint32_t>(s >> 32 | (t >> 32) << 16)};
        std::memcpy(p, words, 12);
      } else {
        const std::uint64_t words[2] = {s, t};
        std::memcpy(p, words, 16);
      }
    });
  });
}

}  // namespace

void write_result(World& world, const std::string& path, std::span<const Vertex> ids,
                  std::span<const std::int64_t> values) {
  write_values(world, path, ids, values);
}

void write_result(World& world, const std::string& path, std::span<const Vertex> ids, std::span<const double> values) {
  write_values(world, path, ids, values);
}

void check_result_path(World& world, const std::string& path) {
  world.collective_try([&] {
    result_ending(path);
    if (world.rank() == 0) output_target(path);
  });
}

void check_edges_path(World& world, const std::string& path) {
  world.collective_try([&] {
    edges_ending(path);
    if (world.rank() == 0) output_target(path);
  });
}

void write_edges(World& world, const std::string& path, const EdgeList& edges) {
  const std::string ending = edges_ending(path);
  const bool text = ending == ".txt" || ending == ".tsv" || ending == ".csv",
             list = ending == ".el" || ending == ".edges" || ending == ".elist" || ending == ".wel",
             binary = ending == ".g500" || ending == ".g500-64";
  // A comment or a header says the range of ids; only .atoll has vertices one by one.
  const bool holds_range = ending == ".atoll" || ending == ".mtx" || text;
  const bool some_lone = edges.range ? !holds_range : world.any(!edges.vertices.empty()) && ending != ".atoll";
  if (const auto lone = some_lone ? count_lone_vertices(world, edges) : 0; lone > 0)
    world.log()(LogLevel::warn, "{}: holds edges only; {} vert{} without any {} lost (.atoll keeps them)", path, lone,
                lone == 1 ? "ex" : "ices", lone == 1 ? "is" : "are");
  const bool empty = world.sum(static_cast<std::int64_t>(edges.size())) == 0;
  check(
      !empty || (holds_range && (edges.range || ending == ".atoll")),
      "{}: the graph has no edge ({} holds edges only, and a file without any is refused by who reads it). Write it as "
      ".atoll.",
      path, ending);
  if (!edges.directed && (list || (text && !(edges.range && edges.range->count > 0))))
    world.log()(LogLevel::warn, "{}: does not say that its edges go both ways; read it with --undirected", path);
  if (edges.directed && binary)
    world.log()(LogLevel::warn, "{}: does not say that its edges go one way; read it with --directed", path);
  if (ending == ".atoll") return write_binary(world, path, edges);
  if (ending == ".mtx") return write_matrix(world, path, edges);
  if (binary) return write_graph500(world, path, edges, ending == ".g500" ? 48 : 64);
  if (ending == ".wel") {
    check(edges.weighted(), "{}: the graph has no weights (.wel needs them). Write it as .el.", path);
    return write_text(world, path, edges, "", ' ', true);
  }
  if (ending == ".el" || ending == ".edges" || ending == ".elist") {
    check(!edges.weighted(),
          "{}: the graph has weights ({} has room for none). Write it as .wel, or read it without them (--unweighted).",
          path, ending);
    return write_text(world, path, edges, "", ' ', false);
  }
  const char between = ending == ".tsv" ? '\t' : ending == ".csv" ? ',' : ' ';
  std::string head;
  if (edges.range && edges.range->count > 0)
    head = fmt::format("# atoll: vertices {}..{} {}\n", edges.range->first, edges.range->first + edges.range->count - 1,
                       edges.directed ? "directed" : "undirected");
  if (ending == ".csv") head += edges.weighted() ? "source,target,weight\n" : "source,target\n";
  write_text(world, path, edges, head, between, edges.weighted());
}

}  // namespace atl
