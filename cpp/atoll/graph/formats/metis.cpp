// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/random.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atomic>
#include <bit>

// METIS [1]: a header "n m [fmt [ncon]]", then one line per vertex with its neighbours, ids start at 1; '%' begins a
// comment. fmt has three digits: vertex sizes, vertex weights (ncon of them), edge weights. Sizes and vertex weights
// are skipped.
//
// An undirected edge is listed by both of its ends and emitted once, from the line of the smaller one. That both ends
// list it is verified without storing edges: sums of edge hashes, taken from either side, must be equal. The number of
// entries tells two dialects apart: files with m instead of 2m entries (GAP writes them) list arcs; and in the 10th
// DIMACS challenge fmt 100 does not mean sizes, but that loops and multi-edges are allowed.
// [1] G. Karypis. "METIS: A Software Package for Partitioning Unstructured Graphs", version 5.1.0, section 4.1.1, 2013.
namespace atl {
namespace {

struct MetisHeader {
  std::int64_t vertices = 0, edges = 0;
  bool sizes = false, edge_weights = false;
  std::int64_t vertex_weights = 0;  // per vertex
  bool loops_or_sizes = false;      // fmt is 100
  std::uint64_t from = 0;
  std::int64_t line = 0;
};

MetisHeader metis_header(const std::string& path, const Head& head) {
  HeadLines lines(path, head);
  for (;;) {
    if (!lines.next())
      throw InputError(
          fmt::format("{}:{}: the file ends before its header (vertices, edges). The file is cut off, or of "
                      "another format.",
                      path, lines.number()));
    const auto fields = fields_of(lines.line());
    if (fields.empty() || lines.line()[0] == '%') continue;
    MetisHeader header;
    const std::int64_t n = header_number(fields[0]), m = fields.size() > 1 ? header_number(fields[1]) : -1;
    std::string format(fields.size() > 2 ? fields[2] : "0");
    const std::int64_t constraints = fields.size() > 3 ? header_number(fields[3]) : 1;
    if (n < 0 || m < 0 || fields.size() > 4 || constraints < 0 || constraints > 1000000)
      lines.fail(
          fmt::format("the header is {} (it is 'vertices edges [fmt [ncon]]', whole numbers). Name the file's format.",
                      in_quotes(lines.line())));
    if (format.size() < 3) format = std::string(3 - format.size(), '0') + format;
    if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos)
      lines.fail(
          fmt::format("fmt is {} (it is up to three digits 0 or 1: vertex sizes, vertex weights, edge "
                      "weights). Correct the header.",
                      in_quotes(fields[2])));
    if (n < 1 || n > kMaxVertex)
      lines.fail(fmt::format("the header has {} vertices (a graph has 1 to 2^63 - 2). Correct it.", n));
    header.vertices = n;
    header.edges = m;
    header.loops_or_sizes = format == "100" && fields.size() < 4;
    header.sizes = format[0] == '1';
    header.vertex_weights = format[1] == '1' ? constraints : 0;
    header.edge_weights = format[2] == '1';
    header.from = lines.behind();
    header.line = lines.number();
    check_promise(lines, head, n, 1, "vertices, one a line,");
    check_promise(lines, head, m, 2, "edges");
    return header;
  }
}

// Counts lines that are not comments.
std::int64_t count_vertex_lines(const char* begin, const char* end) {
  std::int64_t n = count_lines(begin, end);
  for (const char* p = begin; p < end;) {
    const void* found = std::memchr(p, '%', static_cast<std::size_t>(end - p));
    if (!found) break;
    const char* at = static_cast<const char*>(found);
    n -= at == begin || at[-1] == '\n';
    p = at + 1;
  }
  return n;
}

enum class Entries { twice, arcs };  // how often the file lists an edge

class NeighbourParser {
 public:
  struct Tally {
    // Entries that name a larger, a smaller, or the same vertex, and the sums of edge hashes of the first two kinds.
    std::uint64_t up = 0, down = 0, loops = 0, up_hash = 0, down_hash = 0;
  };

  NeighbourParser(World& world, const MetisHeader& header, bool sizes, Entries entries, bool weighted,
                  std::size_t expected)
      : header_(header),
        skipped_(header.vertex_weights + sizes),
        entries_(entries),
        weighted_(weighted),
        columns_(expected, weighted),
        scratch_(static_cast<std::size_t>(world.team().size())) {}

  void operator()(int thread, const Block& block) {
    Scratch& scratch = scratch_[thread];
    bool appended = false;
    try {
      const std::size_t most = static_cast<std::size_t>(block.end - block.begin) / 2 + 2;
      if (scratch.source.size() < most) {
        scratch.source = Array<Vertex>(most);
        scratch.target = Array<Vertex>(most);
        if (weighted_) scratch.weight = Array<double>(most);
      }
      const bool narrow = header_.vertices <= UINT32_MAX;
      const std::size_t n = narrow ? parse<std::uint32_t>(scratch, block) : parse<Vertex>(scratch, block);
      appended = true;
      if (narrow) {
        columns_.append(block.turn, reinterpret_cast<std::uint32_t*>(scratch.source.data()),
                        reinterpret_cast<std::uint32_t*>(scratch.target.data()), scratch.weight.data(), n);
      } else {
        columns_.append(block.turn, scratch.source.data(), scratch.target.data(), scratch.weight.data(), n);
      }
    } catch (...) {
      if (!appended) columns_.append(block.turn, static_cast<const Vertex*>(nullptr), nullptr, nullptr, 0);
      throw;
    }
  }

  EdgeColumns& columns() { return columns_; }
  Tally total(World& world) const {
    Tally all;
    for (const Scratch& s : scratch_) {
      all.up += s.tally.up;
      all.down += s.tally.down;
      all.loops += s.tally.loops;
      all.up_hash += s.tally.up_hash;
      all.down_hash += s.tally.down_hash;
    }
    return world.fold(all, [](Tally a, const Tally& b) {
      a.up += b.up;
      a.down += b.down;
      a.loops += b.loops;
      a.up_hash += b.up_hash;
      a.down_hash += b.down_hash;
      return a;
    });
  }

 private:
  struct alignas(128) Scratch {
    Array<Vertex> source, target;
    Array<double> weight;
    Tally tally;
  };

  static std::string_view field_at(const char* p, const char* end) {
    const char* q = p;
    while (q < end && !scan::is_blank(*q) && *q != '\n') ++q;
    return {p, static_cast<std::size_t>(q - p)};
  }

  template <class Id>
  std::size_t parse(Scratch& scratch, const Block& block) {
    auto* source = reinterpret_cast<Id*>(scratch.source.data());
    auto* target = reinterpret_cast<Id*>(scratch.target.data());
    double* weight = scratch.weight.data();
    Tally tally;
    std::size_t n = 0;
    std::int64_t row = block.row;
    const auto vertices = static_cast<std::uint64_t>(header_.vertices);
    for (const char* p = block.begin; p < block.end; ++p) {  // p: the beginning of a line; after the body, its line end
      if (*p == '%') {
        p = next_line(p, block.end) - 1;
        continue;
      }
      const auto u = static_cast<std::uint64_t>(++row);
      while (scan::is_blank(*p)) ++p;
      if (*p == '\n') continue;
      if (u > vertices)
        throw LineError{p, fmt::format("the line would be that of vertex {} (the header says {} vertices). "
                                       "Correct the header, or remove the line.",
                                       u, vertices)};
      for (std::int64_t skip = skipped_; skip > 0 && *p != '\n'; --skip) {
        std::uint64_t ignored;
        if (!scan_id(p, ignored) || !(scan::is_blank(*p) || *p == '\n'))
          throw LineError{p, fmt::format("a weight of vertex {} ends in {} (not a whole number). Correct it.", u,
                                         in_quotes(field_at(p, block.end)))};
        while (scan::is_blank(*p)) ++p;
      }
      while (*p != '\n') {
        const char* at = p;
        std::uint64_t v;
        if (!scan_id(p, v) || !(scan::is_blank(*p) || *p == '\n'))
          throw LineError{at, fmt::format("a neighbour of vertex {} is {} (not a whole number). Correct it, "
                                          "or name the file's format.",
                                          u, in_quotes(field_at(at, block.end)))};
        if (v < 1 || v > vertices)
          throw LineError{at, fmt::format("a neighbour of vertex {} is {} (the header says {} vertices, "
                                          "numbered from 1). Was this file written from 0?",
                                          u, field_at(at, block.end).substr(0, 40), vertices)};
        while (scan::is_blank(*p)) ++p;
        double w = 1;
        if (header_.edge_weights) {
          at = p;
          if (*p == '\n')
            throw LineError{p, fmt::format("the line of vertex {} ends before the weight of the edge to {} "
                                           "(fmt says that edges have weights). Complete it.",
                                           u, v)};
          if (!scan_weight(p, block.end, w) || !(scan::is_blank(*p) || *p == '\n'))
            throw LineError{at, fmt::format("the weight of edge {}-{} is {} (not a finite number, or a whole one "
                                            "that a double would round). Correct it.",
                                            u, v, in_quotes(field_at(at, block.end)))};
          while (scan::is_blank(*p)) ++p;
        }
        const std::uint64_t hash_w = std::bit_cast<std::uint64_t>(w);
        if (v > u) {
          ++tally.up;
          tally.up_hash += mix64(mix64(mix64(u) + v) + hash_w);
        } else if (v < u) {
          ++tally.down;
          tally.down_hash += mix64(mix64(mix64(v) + u) + hash_w);
        } else {
          ++tally.loops;
        }
        if (v >= u || entries_ == Entries::arcs) {
          source[n] = static_cast<Id>(u);
          target[n] = static_cast<Id>(v);
          if (weight) weight[n] = w;
          ++n;
        }
      }
    }
    scratch.tally.up += tally.up;
    scratch.tally.down += tally.down;
    scratch.tally.loops += tally.loops;
    scratch.tally.up_hash += tally.up_hash;
    scratch.tally.down_hash += tally.down_hash;
    return n;
  }

  const MetisHeader& header_;
  const std::int64_t skipped_;
  const Entries entries_;
  const bool weighted_;
  EdgeColumns columns_;
  std::vector<Scratch> scratch_;
};

}  // namespace

EdgeList read_metis(World& world, const std::string& path, Head& head, const ReadOptions& options) {
  const MetisHeader header = from_head(world, path, head, [&](const Head& h) { return metis_header(path, h); });
  check(header.edge_weights || options.weights != ReadOptions::Weights::required,
        "{}:{}: has no edge weights (the last digit of fmt is 0). Read it without them.", path, header.line);
  const bool weighted = header.edge_weights && options.weights != ReadOptions::Weights::none;
  const BlockPlan plan{.from = header.from,
                       .first_line = header.line + 1,
                       .longest_line = std::size_t{1} << 40,
                       .count_rows = count_vertex_lines,
                       .file_bytes = head.file_bytes};
  const auto n = static_cast<std::uint64_t>(header.vertices), m = static_cast<std::uint64_t>(header.edges);
  EdgeList edges;
  edges.range = IdRange{1, header.vertices};

  // Collective; returns false if the file must be read in another way.
  const auto attempt = [&](bool sizes, Entries entries) {
    NeighbourParser parser(world, header, sizes, entries, weighted, expected_share(world, head, 2));
    const std::int64_t rows = for_each_block(world, path, plan, std::ref(parser));
    // Lines joined by line ends lack the last one if it is empty: a last vertex without neighbours.
    check(static_cast<std::uint64_t>(rows) + 1 >= n,
          "{}:{}: the header promises {} vertices, one a line (the file has {} lines for them). The file is "
          "cut off, or its header is wrong.",
          path, header.line, n, rows);
    const auto tally = parser.total(world);
    const std::uint64_t all = tally.up + tally.down + tally.loops;
    if (entries == Entries::arcs) {
      check(all == m || all == 2 * m || all + tally.loops == 2 * m,
            "{}:{}: the header promises {} edges (the lines have {} entries, neither as many nor twice as "
            "many). The file is cut off, or its header is wrong.",
            path, header.line, m, all);
    } else {
      // A loop may be listed once or twice in the line of its vertex.
      const bool twice = all == 2 * m || all + tally.loops == 2 * m;
      if (!twice && header.loops_or_sizes && !sizes && all == 2 * m + n) return false;
      if (!twice && all == m) return false;
      check(twice,
            "{}:{}: the header promises {} edges (the lines have {} entries: not twice as many). The file is "
            "cut off, or its header is wrong.",
            path, header.line, m, all);
      check(tally.up == tally.down && tally.up_hash == tally.down_hash,
            "{}: is not symmetric ({} entries name a larger id, {} a smaller one, and they are not the same "
            "edges). An undirected edge stands in the lines of both its ends; read it as directed, or "
            "complete it.",
            path, tally.up, tally.down);
    }
    parser.columns().finish(world, edges);
    return true;
  };

  const bool sizes = header.sizes && !header.loops_or_sizes;
  edges.directed = options.directed.value_or(false);
  if (options.directed == true) {
    attempt(sizes, Entries::arcs);
  } else if (!attempt(sizes, Entries::twice)) {
    bool done = false;
    if (header.loops_or_sizes) {
      try {
        done = attempt(true, Entries::twice);
      } catch (const InputError&) {
        // Then fmt 100 does not mean sizes. The same on every rank.
      }
    }
    if (!done) {
      world.log()(LogLevel::warn, "{}: names each edge once; read as arcs", path);
      attempt(sizes, Entries::arcs);
      edges.directed = options.directed.value_or(true);
    }
  }
  return edges;
}

}  // namespace atl
