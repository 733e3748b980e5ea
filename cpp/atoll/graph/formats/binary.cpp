// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/graph/formats/binary.hpp>
#include <atoll/io/read_file.hpp>
#include <atoll/io/scan.hpp>
#include <atoll/io/write_file.hpp>
#include <cmath>
#include <cstring>
#include <limits>

namespace atl {
namespace {

constexpr std::uint32_t kVersion = 2;  // 1 had checksums of our own
// 512 KiB to 1.5 MiB: large enough for an efficient read, and the table of blocks stays small.
constexpr std::uint64_t kBlockEdges = std::uint64_t{1} << 16;
constexpr std::uint64_t kBlockVertices = std::uint64_t{1} << 16;
constexpr std::uint64_t kAlign = 64;

struct Header {
  char magic[8];
  std::uint32_t version;
  std::uint32_t id_bytes, weight_bytes;  // 4 or 8; 0, 4 or 8
  std::uint32_t flags;
  std::uint64_t edges, vertices;  // vertices: those listed beside the edges
  std::int64_t first, count;      // the range of ids
  std::uint64_t blocks, file_bytes;
  std::uint64_t table_sum;
  std::uint64_t reserved[5];
  std::uint64_t header_sum;
};
static_assert(sizeof(Header) == 128);
constexpr std::uint32_t kDirected = 1, kRange = 2;

struct BlockEntry {
  std::uint64_t at, edges, vertices, sum;
};
static_assert(sizeof(BlockEntry) == 32);

std::uint64_t block_bytes(const Header& h, std::uint64_t edges, std::uint64_t vertices) {
  return (edges * (2 * std::uint64_t{h.id_bytes} + h.weight_bytes) + vertices * sizeof(Vertex) + kAlign - 1) / kAlign *
         kAlign;
}

// Checks that all ids, compared as unsigned numbers, lie in the header's range.
template <class Id>
void check_ids(const std::string& path, std::size_t block, const Header& h, const char* bytes, std::uint64_t n) {
  std::make_unsigned_t<Id> least = std::numeric_limits<std::make_unsigned_t<Id>>::max(), most = 0;
  for (std::uint64_t i = 0; i < n; ++i) {
    std::make_unsigned_t<Id> id;
    std::memcpy(&id, bytes + i * sizeof id, sizeof id);
    least = std::min(least, id);
    most = std::max(most, id);
  }
  const auto first = static_cast<std::uint64_t>((h.flags & kRange) ? h.first : 0);
  const auto last = static_cast<std::uint64_t>((h.flags & kRange) ? h.first + h.count - 1 : kMaxVertex);
  check(n == 0 || (least >= first && most <= last),
        "{}: block {} has an id outside {}..{} (the header says so). Write the file again.", path, block, first, last);
}

// The beginning of the file as rank 0 reads it; sizes are checked against the file's before they are used.
struct Contents {
  Header header;
  std::vector<BlockEntry> table;
};

Contents read_contents(const InputFile& file) {
  const std::string& path = file.path();
  Contents c{};
  Header& h = c.header;
  check(file.bytes() >= sizeof h, "{}: has {} bytes (the header alone has {}). The file is cut off.", path,
        file.bytes(), sizeof h);
  file.read_at(&h, sizeof h, 0);
  check(std::string_view(h.magic, 8) == kBinaryMagic, "{}: does not begin as an .atoll file does. Name its format.",
        path);
  check(h.version == kVersion,
        "{}: is of version {} (this program reads version {}). Make it anew from what it was made from: `atoll convert "
        "EDGES {}`.",
        path, h.version, kVersion, path);
  check(checksum(&h, sizeof h - sizeof h.header_sum) == h.header_sum,
        "{}: the header is damaged (its checksum is wrong). Get the file again.", path);
  check(h.file_bytes == file.bytes(), "{}: has {} bytes (its header says {}). The file is cut off; get it again.", path,
        file.bytes(), h.file_bytes);
  check((h.id_bytes == 4 || h.id_bytes == 8) && (h.weight_bytes == 0 || h.weight_bytes == 4 || h.weight_bytes == 8) &&
            h.blocks <= file.bytes() / sizeof(BlockEntry) && h.edges <= file.bytes() / (2 * h.id_bytes) &&
            h.vertices <= file.bytes() / sizeof(Vertex) && h.first >= 0 && h.count >= 0 &&
            h.first <= kMaxVertex - h.count + 1,
        "{}: the header contradicts itself (ids of {} bytes, weights of {}, {} edges, {} blocks). Write the "
        "file again.",
        path, h.id_bytes, h.weight_bytes, h.edges, h.blocks);
  const std::uint64_t table_bytes = h.blocks * sizeof(BlockEntry);
  std::uint64_t at = (sizeof h + table_bytes + kAlign - 1) / kAlign * kAlign;
  check(at <= file.bytes(), "{}: has {} bytes (the table of its {} blocks needs {}). Write the file again.", path,
        file.bytes(), h.blocks, at);
  c.table.resize(h.blocks);
  file.read_at(c.table.data(), table_bytes, sizeof h);
  check(checksum(c.table.data(), table_bytes) == h.table_sum,
        "{}: the table of blocks is damaged (its checksum is wrong). Get the file again.", path);
  std::uint64_t edges = 0, vertices = 0;
  for (std::size_t b = 0; b < c.table.size(); ++b) {
    const BlockEntry& e = c.table[b];
    const bool fits = e.at == at && e.edges <= h.edges - edges && e.vertices <= h.vertices - vertices &&
                      block_bytes(h, e.edges, e.vertices) <= file.bytes() - at;
    check(fits, "{}: block {} of the table does not fit the file ({} edges at byte {}). Write the file again.", path, b,
          e.edges, e.at);
    at += block_bytes(h, e.edges, e.vertices);
    edges += e.edges;
    vertices += e.vertices;
  }
  check(edges == h.edges && vertices == h.vertices && at == file.bytes(),
        "{}: the blocks have {} edges in {} bytes (the header says {} in {}). Write the file again.", path, edges, at,
        h.edges, file.bytes());
  return c;
}

// The part of [begin, begin + n) inside [first, last), relative to begin.
struct Overlap {
  std::uint64_t from, to;
  Overlap(std::uint64_t begin, std::uint64_t n, std::uint64_t first, std::uint64_t last)
      : from(std::min(n, first > begin ? first - begin : 0)),
        to(std::max(from, std::min(n, last > begin ? last - begin : 0))) {}
  std::uint64_t size() const { return to - from; }
};

template <class T>
char* bytes_of(Array<T>& column) {
  return reinterpret_cast<char*>(column.data());
}

}  // namespace

EdgeList read_binary(World& world, const std::string& path, const ReadOptions& options) {
  Contents c = world.collective_try([&] {
    if (world.rank() != 0) return Contents{};
    return read_contents(InputFile(path));
  });
  world.broadcast(std::span(&c.header, 1), 0);
  c.table.resize(c.header.blocks);
  world.broadcast(std::span(c.table), 0);
  const Header& h = c.header;
  check(h.weight_bytes > 0 || options.weights != ReadOptions::Weights::required,
        "{}: has no weights. Read it without them.", path);
  const std::size_t weight_bytes = options.weights == ReadOptions::Weights::none ? 0 : h.weight_bytes;

  const auto p = static_cast<unsigned __int128>(world.size()), r = static_cast<unsigned __int128>(world.rank());
  const auto share = [&](std::uint64_t n, unsigned __int128 part) { return static_cast<std::uint64_t>(n * part / p); };
  const std::uint64_t first = share(h.edges, r), last = share(h.edges, r + 1);
  const std::uint64_t first_vertex = share(h.vertices, r), last_vertex = share(h.vertices, r + 1);

  EdgeList edges;
  edges.directed = options.directed.value_or((h.flags & kDirected) != 0);
  if (h.flags & kRange) edges.range = IdRange{h.first, h.count};
  world.collective_try([&] {
    const InputFile file(path);
    const std::size_t mine = last - first;
    if (h.id_bytes == 4) {
      edges.source = Array<std::uint32_t>(mine);
      edges.target = Array<std::uint32_t>(mine);
    } else {
      edges.source = Array<Vertex>(mine);
      edges.target = Array<Vertex>(mine);
    }
    if (weight_bytes == 4) edges.weight = Array<float>(mine);
    if (weight_bytes == 8) edges.weight = Array<double>(mine);
    edges.vertices.resize(last_vertex - first_vertex);
    char* source = std::visit([](auto& column) { return bytes_of(column); }, edges.source);
    char* target = std::visit([](auto& column) { return bytes_of(column); }, edges.target);
    char* weight = nullptr;
    if (auto* w = std::get_if<Array<float>>(&edges.weight)) weight = bytes_of(*w);
    if (auto* w = std::get_if<Array<double>>(&edges.weight)) weight = bytes_of(*w);

    // Blocks that contain a part of this rank's share; one on a border is read and checked by both ranks.
    struct Job {
      std::size_t block;
      std::uint64_t edge, vertex;  // the first of the block
    };
    std::vector<Job> jobs;
    std::uint64_t edge = 0, vertex = 0;
    for (std::size_t b = 0; b < c.table.size(); ++b) {
      const BlockEntry& e = c.table[b];
      if (Overlap(edge, e.edges, first, last).size() + Overlap(vertex, e.vertices, first_vertex, last_vertex).size() >
          0)
        jobs.push_back({b, edge, vertex});
      edge += e.edges;
      vertex += e.vertices;
    }
    std::vector<Array<char>> buffers(static_cast<std::size_t>(world.team().size()));
    world.team().for_range(jobs.size(), 1, [&](int thread, std::size_t i, std::size_t) {
      const Job& job = jobs[i];
      const BlockEntry& e = c.table[job.block];
      const std::uint64_t bytes = block_bytes(h, e.edges, e.vertices);
      Array<char>& buffer = buffers[thread];
      if (buffer.size() < bytes) buffer = Array<char>(bytes);
      file.read_at(buffer.data(), bytes, e.at);
      check(checksum(buffer.data(), bytes) == e.sum,
            "{}: block {} at byte {} is damaged (its checksum is wrong). Get the file again.", path, job.block, e.at);
      const char* at = buffer.data();
      const Overlap part(job.edge, e.edges, first, last);
      const std::uint64_t to = job.edge + part.from - first;  // index in this rank's columns
      for (char* column : {source, target}) {
        h.id_bytes == 4 ? check_ids<std::uint32_t>(path, job.block, h, at, e.edges)
                        : check_ids<Vertex>(path, job.block, h, at, e.edges);
        if (part.size() > 0)
          std::memcpy(column + to * h.id_bytes, at + part.from * h.id_bytes, part.size() * h.id_bytes);
        at += e.edges * h.id_bytes;
      }
      if (weight_bytes > 0 && part.size() > 0) {
        std::memcpy(weight + to * weight_bytes, at + part.from * weight_bytes, part.size() * weight_bytes);
        bool finite = true;
        for (std::uint64_t k = to; k < to + part.size(); ++k)
          finite &= weight_bytes == 4 ? std::isfinite(std::get<Array<float>>(edges.weight)[k])
                                      : std::isfinite(std::get<Array<double>>(edges.weight)[k]);
        check(finite, "{}: block {} has a weight that is not finite. Write the file again.", path, job.block);
      }
      at += e.edges * h.weight_bytes;
      check_ids<Vertex>(path, job.block, h, at, e.vertices);
      const Overlap named(job.vertex, e.vertices, first_vertex, last_vertex);
      if (named.size() > 0)
        std::memcpy(edges.vertices.data() + (job.vertex + named.from - first_vertex), at + named.from * sizeof(Vertex),
                    named.size() * sizeof(Vertex));
    });
  });
  return edges;
}

void write_binary(World& world, const std::string& path, const EdgeList& edges) {
  Header h{};
  std::memcpy(h.magic, kBinaryMagic.data(), 8);
  h.version = kVersion;
  h.id_bytes = edges.source.index() == 0 ? 4 : 8;
  h.weight_bytes = edges.weight.index() == 0 ? 0 : edges.weight.index() == 1 ? 4 : 8;
  h.flags = (edges.directed ? kDirected : 0) | (edges.range ? kRange : 0);
  if (edges.range) {
    h.first = edges.range->first;
    h.count = edges.range->count;
  }
  // This rank's blocks: edges first, then named vertices.
  const std::uint64_t mine = edges.size(), named = edges.vertices.size();
  std::vector<BlockEntry> blocks;
  for (std::uint64_t a = 0; a < mine; a += kBlockEdges) blocks.push_back({0, std::min(kBlockEdges, mine - a), 0, 0});
  for (std::uint64_t a = 0; a < named; a += kBlockVertices)
    blocks.push_back({0, 0, std::min(kBlockVertices, named - a), 0});
  std::uint64_t bytes = 0;
  for (const BlockEntry& e : blocks) bytes += block_bytes(h, e.edges, e.vertices);

  struct Part {
    std::uint64_t edges, vertices, blocks, bytes;
  };
  const auto parts = world.all_gather(Part{mine, named, blocks.size(), bytes});
  std::uint64_t at = 0;
  for (std::size_t r = 0; r < parts.size(); ++r) {
    h.edges += parts[r].edges;
    h.vertices += parts[r].vertices;
    h.blocks += parts[r].blocks;
    h.file_bytes += parts[r].bytes;
    if (r < static_cast<std::size_t>(world.rank())) at += parts[r].bytes;
  }
  const std::uint64_t data = (sizeof h + h.blocks * sizeof(BlockEntry) + kAlign - 1) / kAlign * kAlign;
  h.file_bytes += data;
  at += data;
  for (BlockEntry& e : blocks) {
    e.at = at;
    at += block_bytes(h, e.edges, e.vertices);
  }

  const auto column_bytes = [](const auto& column) { return reinterpret_cast<const char*>(column.data()); };
  const char* source = std::visit(column_bytes, edges.source);
  const char* target = std::visit(column_bytes, edges.target);
  const char* weight = nullptr;
  if (const auto* w = std::get_if<Array<float>>(&edges.weight)) weight = column_bytes(*w);
  if (const auto* w = std::get_if<Array<double>>(&edges.weight)) weight = column_bytes(*w);

  OutputFile file(world, path);
  file.reserve(h.file_bytes);
  const std::uint64_t edge_blocks = (mine + kBlockEdges - 1) / kBlockEdges;
  std::vector<Array<char>> buffers(static_cast<std::size_t>(world.team().size()));
  world.collective_try([&] {
    world.team().for_range(blocks.size(), 1, [&](int thread, std::size_t b, std::size_t) {
      BlockEntry& e = blocks[b];
      const std::uint64_t n = block_bytes(h, e.edges, e.vertices);
      Array<char>& buffer = buffers[thread];
      if (buffer.size() < n) buffer = Array<char>(n);
      char* to = buffer.data();
      const auto put = [&](const char* from, std::uint64_t item, std::uint64_t size, std::uint64_t count) {
        if (count > 0) std::memcpy(to, from + item * size, count * size);
        to += count * size;
      };
      if (b < edge_blocks) {
        put(source, b * kBlockEdges, h.id_bytes, e.edges);
        put(target, b * kBlockEdges, h.id_bytes, e.edges);
        if (weight) put(weight, b * kBlockEdges, h.weight_bytes, e.edges);
      } else {
        put(reinterpret_cast<const char*>(edges.vertices.data()), (b - edge_blocks) * kBlockVertices, sizeof(Vertex),
            e.vertices);
      }
      std::memset(to, 0, static_cast<std::size_t>(buffer.data() + n - to));
      e.sum = checksum(buffer.data(), n);
      file.write_at(buffer.data(), n, e.at);
    });
  });
  const auto table = world.all_gather_varying(std::span<const BlockEntry>(blocks));
  world.collective_try([&] {
    if (world.rank() != 0) return;
    h.table_sum = checksum(table.data(), table.size() * sizeof(BlockEntry));
    h.header_sum = checksum(&h, sizeof h - sizeof h.header_sum);
    file.write_at(&h, sizeof h, 0);
    file.write_at(table.data(), table.size() * sizeof(BlockEntry), sizeof h);
  });
  file.commit();
}

}  // namespace atl
