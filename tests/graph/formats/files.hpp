// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/base/random.hpp>
#include <atoll/graph/formats/read.hpp>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <tuple>
#include <vector>

#include "folder.hpp"

/// Shared by the tests of readers and writers: packed files, and edge lists gathered for comparison.
namespace files {

using namespace atl;

/// The text as a zstd frame of raw blocks; frames may be concatenated.
inline std::string zstd_frame(const std::string& text) {
  constexpr std::size_t kBlock = 100000;
  std::string out("\x28\xb5\x2f\xfd\x00\x58", 6);  // no content size, window of 2 MiB
  for (std::size_t at = 0;; at += kBlock) {
    const std::string part = text.substr(at, kBlock);
    const bool last = at + kBlock >= text.size();
    const auto header = static_cast<std::uint32_t>(part.size() << 3 | (last ? 1 : 0));
    for (int i = 0; i < 3; ++i) out += static_cast<char>(header >> (8 * i));
    out += part;
    if (last) return out;
  }
}

/// The text as a gzip member of stored blocks.
inline std::string gzip_member(const std::string& text) {
  std::string out("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  const auto put = [&](std::uint32_t word, int bytes) {
    for (int i = 0; i < bytes; ++i) out += static_cast<char>(word >> (8 * i));
  };
  constexpr std::size_t kBlock = 60000;
  for (std::size_t at = 0;; at += kBlock) {
    const std::string part = text.substr(at, kBlock);
    const bool last = at + kBlock >= text.size();
    put(last, 1);
    put(static_cast<std::uint32_t>(part.size()), 2);
    put(~static_cast<std::uint32_t>(part.size()), 2);
    out += part;
    if (last) break;
  }
  std::uint32_t crc = ~0u;
  for (const char c : text) {
    crc ^= static_cast<unsigned char>(c);
    for (int i = 0; i < 8; ++i) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  put(~crc, 4);
  put(static_cast<std::uint32_t>(text.size()), 4);
  return out;
}

using EdgeTuple = std::tuple<Vertex, Vertex, double>;

/// The edge list of all ranks, in rank order; weights are 1 if there are none.
struct Gathered {
  std::vector<EdgeTuple> edges;
  std::vector<Vertex> vertices;
  bool directed = false, weighted = false, wide = false;
  std::optional<IdRange> range;

  Gathered sorted() && {
    std::sort(edges.begin(), edges.end());
    std::sort(vertices.begin(), vertices.end());
    return std::move(*this);
  }
};

/// Collective; the same on all ranks.
inline Gathered gather(World& world, const EdgeList& list) {
  Gathered all;
  struct Plain {
    Vertex source, target;
    double weight;
  };
  std::vector<Plain> mine(list.size());
  std::visit(
      [&](const auto& column) {
        for (std::size_t i = 0; i < column.size(); ++i) mine[i].source = static_cast<Vertex>(column[i]);
      },
      list.source);
  std::visit(
      [&](const auto& column) {
        for (std::size_t i = 0; i < column.size(); ++i) mine[i].target = static_cast<Vertex>(column[i]);
      },
      list.target);
  std::visit(
      [&](const auto& column) {
        for (std::size_t i = 0; i < mine.size(); ++i) {
          if constexpr (std::is_same_v<std::decay_t<decltype(column)>, std::monostate>)
            mine[i].weight = 1;
          else
            mine[i].weight = static_cast<double>(column[i]);
        }
      },
      list.weight);
  for (const Plain& e : world.all_gather_varying(std::span<const Plain>(mine)))
    all.edges.emplace_back(e.source, e.target, e.weight);
  all.vertices = world.all_gather_varying(std::span<const Vertex>(list.vertices));
  all.directed = list.directed;
  all.weighted = list.weighted();
  all.wide = list.source.index() == 1;
  all.range = list.range;
  return all;
}

inline Plan two_threads() {
  Plan plan;
  plan.threads = 2;
  return plan;
}

/// The contents of a file as read by `ranks` ranks.
inline Gathered read(const std::string& path, Rank ranks = 1, const ReadOptions& options = {}) {
  Gathered all;
  run_ranks(ranks, two_threads(), [&](World& world) {
    Gathered mine = gather(world, read_edges(world, path, options));
    if (world.rank() == 0) all = std::move(mine);
  });
  return all;
}

/// The message that reading throws, if it is the same on every rank; "nothing" if nothing is thrown. Checks that the
/// ranks can still communicate after the error.
inline std::string refusal(const std::string& path, Rank ranks = 1, const ReadOptions& options = {}) {
  std::vector<std::string> messages(static_cast<std::size_t>(ranks));
  run_ranks(ranks, two_threads(), [&](World& world) {
    std::string& message = messages[static_cast<std::size_t>(world.rank())];
    try {
      read_edges(world, path, options);
      message = "nothing";
    } catch (const Error& e) {
      message = e.what();
    }
    world.barrier();
  });
  for (const std::string& message : messages)
    if (message != messages[0]) return "not the same: " + messages[0] + " | " + message;
  return messages[0];
}

/// A file of the real data sets; empty if they are missing.
inline std::string real(const std::string& name) {
  const char* folder = std::getenv("ATOLL_DATA");
  const std::filesystem::path path = std::filesystem::path(folder ? folder : "../shared/data") / "graphs" / name;
  return std::filesystem::exists(path) ? path.string() : std::string();
}

}  // namespace files
