// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/graph/partition/blocks.hpp>
#include <atoll/runtime/plan.hpp>
#include <set>
#include <string>
#include <vector>

/// Rows distributed over ranks, and which of them each rank needs: every rank can work out what all others have.
namespace needs {

/// One thread a rank.
inline atl::Plan serial(const char* domains = "") {
  atl::Plan plan;
  plan.threads = 1;
  plan.domains = domains;
  return plan;
}

inline const std::vector<std::string> kKinds = {"none", "one rank needs all", "every fourth", "all"};

struct Rows {
  atl::Blocks owners;
  std::string kind;

  /// No multiple of 64; unequal blocks, and from three ranks on one without rows.
  Rows(atl::Rank ranks, std::string which) : kind(std::move(which)) {
    std::vector<atl::Vertex> first{0};
    for (atl::Rank r = 0; r < ranks; ++r) first.push_back(first.back() + (r == 1 && ranks > 2 ? 0 : 17 + 5 * r));
    owners = atl::Blocks(first);
  }

  bool needs(atl::Rank rank, atl::Vertex row) const {
    if (kind == "none") return false;
    if (kind == "one rank needs all") return rank == owners.ranks() - 1;
    if (kind == "all") return true;
    return atl::random_at(static_cast<std::uint64_t>(rank), static_cast<std::uint64_t>(row)) % 4 == 0;
  }
  /// In falling order, each row twice; own rows are among them.
  std::vector<atl::Vertex> list(atl::Rank rank) const {
    std::vector<atl::Vertex> rows;
    for (atl::Vertex row = owners.count(); row-- > 0;)
      if (needs(rank, row)) rows.insert(rows.end(), {row, row});
    return rows;
  }
  /// Rows of `owner` of which `rank` has copies.
  std::vector<atl::Vertex> copies(atl::Rank rank, atl::Rank owner) const {
    std::vector<atl::Vertex> rows;
    if (rank == owner) return rows;
    for (atl::Vertex row = owners.begin(owner); row < owners.end(owner); ++row)
      if (needs(rank, row)) rows.push_back(row);
    return rows;
  }
  /// The global numbers of a rank's local rows: its own, then copies.
  std::vector<atl::Vertex> local(atl::Rank rank) const {
    std::vector<atl::Vertex> rows;
    for (atl::Vertex row = owners.begin(rank); row < owners.end(rank); ++row) rows.push_back(row);
    for (atl::Rank owner = 0; owner < owners.ranks(); ++owner)
      for (const atl::Vertex row : copies(rank, owner)) rows.push_back(row);
    return rows;
  }
};

}  // namespace needs
